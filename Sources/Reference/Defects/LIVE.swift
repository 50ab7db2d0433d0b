import Holdfast
import HoldfastJSON

extension Defect {
    static let live = list {
        Defect(
            "live-is-silent-while-turns-run", .LIVE, 1, "Does not answer `ping` while a turn of the principal runs.",
            .sends { frame, sockets, _, server in
                guard frame.type == "pong", let socket = sockets.first else { return nil }
                let principal = server.core.connections[socket]?.principal
                return server.core.turns.values.contains { $0.principal == principal } ? [] : nil
            })
        Defect(
            "live-forgets-the-nonce", .LIVE, 2, "Answers `ping` without its `nonce`.", .omits("nonce", from: "pong"))
        Defect(
            "live-keeps-dead-sockets", .LIVE, 3, need: .patience,
            "Never ends a silent connection.",
            .effects { effect, _, _ in if case .cut = effect { [] } else { nil } })
        Defect(
            "live-ends-idle-sockets", .LIVE, 4, need: .patience,
            "Ignores WebSocket pongs as a sign of life; needs two heartbeats.",
            .input { input, server, next in if case .heard = input { [] } else { next(input, &server) } })
        Defect(
            "live-ends-without-asking", .LIVE, 4, need: .patience,
            "Sends no WebSocket ping, and ends a connection that sends nothing for two heartbeats.",
            .effects { effect, _, _ in if case .ping = effect { [] } else { nil } })
        Defect(
            "live-ends-as-if-it-stopped", .LIVE, 4, need: .patience,
            "Sends no WebSocket ping, and closes a connection that sends nothing for two heartbeats with 1001.",
            .effects { effect, _, server in
                switch effect {
                case .ping: []
                case .cut(let socket): server.having { $0.close(socket, code: 1001, reason: "idle") }
                default: nil
                }
            })
        Defect(
            "live-ends-siblings", .LIVE, 4, need: .patience,
            "Ends all connections of a principal when one is silent.",
            .effects { effect, _, server in
                guard case .cut(let socket) = effect, let principal = server.core.connections[socket]?.principal
                else { return nil }
                return server.core.connections.sockets(of: principal).map { .cut(socket: $0) }
            })
        Defect(
            "live-takes-any-version", .LIVE, 8, "Answers an `auth` of any `protocol` with `connected`.",
            .hears("auth") { frame, _ in if frame["protocol"]?.intValue != nil { frame["protocol"] = 1 } })
        Defect(
            "live-names-no-versions", .LIVE, 9, "Refuses a version without `supported`.",
            .omits("supported", from: "error"))
        Defect(
            "live-states-another-version", .LIVE, 10, "Sends `protocol` 2 in `connected`, whatever was requested.",
            .frames("connected") { frame, _ in frame["protocol"] = 2 })
        Defect(
            "live-ends-for-good", .LIVE, 11, "Closes with 4001 after a frame of an unknown type.",
            .refusing(.unknownType) { _, socket, _, server in
                server.having { $0.close(socket, code: 4001, reason: "nothing for you here") }
            })
        Defect(
            "live-cuts-behind-answers", .LIVE, 14, "Aborts the connection after every `done`.",
            .after("done") { _, sockets, _, _ in sockets.map { .cut(socket: $0) } })
        Defect(
            "live-hangs-up-behind-answers", .LIVE, 14, "Closes with 1000 after every `done`.",
            .after("done") { _, sockets, _, server in
                sockets.flatMap { socket in server.having { $0.close(socket, code: 1000, reason: "all is said") } }
            })
        Defect(
            "live-restarts-behind-answers", .LIVE, 14, "Closes with 1012 after every `done`.",
            .after("done") { _, sockets, _, server in
                sockets.flatMap { socket in server.having { $0.close(socket, code: 1012, reason: "restart") } }
            })
        Defect(
            "live-stops-as-if-all-were-said", .LIVE, 6, need: .restart, "Closes with 1000 when it stops.",
            .rules { $0.goodbye = 1000 })
        Defect(
            "live-abandons-turns-when-stopping", .LIVE, 7, need: .restart,
            "Drops running turns when it stops, and has no trace of them after the next start.",
            .input { input, server, next in
                if case .started = input { return [] }
                if case .stopping = input { server.core.turns = [:] }
                return next(input, &server)
            })
    }
}

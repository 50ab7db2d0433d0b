import Holdfast
import HoldfastJSON

extension Defect {
    static let live = list {
        Defect(
            "live-is-silent-while-turns-run", .LIVE, 1, "Does not answer `ping` while a turn of the principal runs.",
            .sends { frame, sockets, _, server in
                guard frame.type == "pong" else { return nil }
                let principal = server.principal(sockets)
                return server.core.turns.values.contains { $0.principal == principal } ? [] : nil
            })
        Defect(
            "live-forgets-the-nonce", .LIVE, 1, "Answers `ping` without its `nonce`.", .omits("nonce", from: "pong"))
        Defect(
            "live-keeps-dead-sockets", .LIVE, 2, need: .patience,
            "Never ends a silent connection.",
            .effects { effect, _, _ in if case .close(_, 4004, _) = effect { [] } else { nil } })
        Defect(
            "live-ends-as-if-it-stopped", .LIVE, 2, need: .patience,
            "Closes a connection that is silent for two heartbeats with 1001.", .closes(4004, with: 1001))
        Defect(
            "live-ends-idle-sockets", .LIVE, 3, need: .patience,
            "Ignores WebSocket pongs as a sign of life; needs two heartbeats.",
            .input { input, server, next in if case .heard = input { [] } else { next(input, &server) } })
        Defect(
            "live-ends-without-asking", .LIVE, 3, need: .patience,
            "Sends no WebSocket ping, and ends a connection that sends nothing for two heartbeats.",
            .effects { effect, _, _ in if case .ping = effect { [] } else { nil } })
        Defect(
            "live-ends-siblings", .LIVE, 3, need: .patience,
            "Ends all connections of a principal when one is silent.",
            .effects { effect, _, server in
                guard case .close(let silent, 4004, let reason) = effect,
                    let principal = server.core.connections[silent]?.principal
                else { return nil }
                return server.core.connections.sockets(of: principal).map {
                    .close(socket: $0, code: 4004, reason: reason)
                }
            })
        Defect(
            "live-takes-any-version", .LIVE, 6, "Answers an `auth` of any `protocol` with `connected`.",
            .hears("auth") { frame, _ in if frame["protocol"]?.intValue != nil { frame["protocol"] = 1 } })
        Defect(
            "live-names-no-versions", .LIVE, 7, "Refuses a version without `supported`.",
            .omits("supported", from: "error"))
        Defect(
            "live-states-another-version", .LIVE, 8, "Sends `protocol` 2 in `connected`, whatever was requested.",
            .frames("connected") { frame, _ in frame["protocol"] = 2 })
        Defect(
            "live-ends-for-good", .LIVE, 9, "Closes with 4001 after a frame of an unknown type.",
            .refusing(.unknownType) { _, socket, _, server in
                server.collecting { $0.close(socket, code: 4001, reason: "nothing for you here") }
            })
        Defect(
            "live-cuts-behind-answers", .LIVE, 10, "Aborts the connection after every `done`.",
            .after("done") { _, sockets, _, _ in sockets.map { .cut(socket: $0) } })
        Defect(
            "live-hangs-up-behind-answers", .LIVE, 10, "Closes with 1000 after every `done`.",
            .after("done") { _, sockets, _, server in
                sockets.flatMap { socket in server.collecting { $0.close(socket, code: 1000, reason: "all is said") } }
            })
        Defect(
            "live-restarts-behind-answers", .LIVE, 10, "Closes with 1012 after every `done`.",
            .after("done") { _, sockets, _, server in
                sockets.flatMap { socket in server.collecting { $0.close(socket, code: 1012, reason: "restart") } }
            })
        Defect(
            "live-stops-as-if-all-were-said", .LIVE, 5, need: .restart, "Closes with 1000 when it stops.",
            .rules { $0.stopCode = 1000 })
        Defect(
            "turn-abandons-turns-when-stopping", .TURN, 8, need: .restart,
            "Drops running turns when it stops, and has no trace of them after the next start.",
            .input { input, server, next in
                if case .started = input { return [] }
                if case .stopping = input { server.core.turns = [:] }
                return next(input, &server)
            })
    }
}

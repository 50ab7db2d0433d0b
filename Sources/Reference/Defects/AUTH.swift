import Holdfast
import HoldfastJSON

extension Defect {
    static let auth = list {
        Defect(
            "auth-never-greets", .AUTH, 1, "Accepts connections and a valid `auth`, and never sends `connected`.",
            .drops { frame, _ in frame.type == "connected" })
        Defect(
            "auth-greets-before-auth", .AUTH, 2, "Sends a frame as soon as a connection opens.",
            .input { input, server, next in
                guard case .opened(let socket, _) = input else { return next(input, &server) }
                return next(input, &server) + [server.sending(["type": "welcome"], to: socket)]
            })
        Defect(
            "auth-takes-any-token", .AUTH, 3, "Treats a wrong or missing token as the first principal's.",
            .hears("auth") { frame, server in
                if server.core.rules.principal(token: frame.text("token")) == nil { frame["token"] = server.firstToken }
            },
            .upgrade { shown, _, rules in
                rules.principal(token: shown) == nil ? rules.tokens(of: rules.anonymous).first : shown
            })
        Defect(
            "auth-closes-with-a-plain-code", .AUTH, 3, "Closes with 1008 after `auth_failed`.",
            .closes(4001, with: 1008))
        Defect(
            "auth-waits-forever", .AUTH, 4, need: .patience, "Keeps connections that never send `auth` open.",
            .rules { $0.authMs = 1_000_000_000 })
        Defect(
            "auth-waits-half-the-time", .AUTH, 4, need: .patience,
            "Closes a connection without `auth` after half of the allowed time.", .rules { $0.authMs /= 2 })
        Defect(
            "auth-ends-silence-with-a-plain-code", .AUTH, 4, need: .patience,
            "Closes a connection without `auth` with 1008.", .closes(4002, with: 1008))
        Defect(
            "auth-runs-before-auth", .AUTH, 5,
            "Runs a `chat` that comes before `auth`, for the first principal.",
            .input { input, server, next in
                guard case .received(let socket, .text(let text)) = input,
                    let connection = server.core.connections[socket], connection.principal == nil,
                    case .chat(let chat)? = try? server.core.reader.frame(text)
                else { return next(input, &server) }
                return server.collecting { $0.ask(chat, of: $0.rules.anonymous, from: .socket(socket)) }
            })
        Defect(
            "auth-trusts-returning-clients", .AUTH, 3,
            "Requires no valid token from a `clientId` that had one before; needs a second connection.",
            .hears("auth") { frame, server in
                guard let client = frame.text("clientId") else { return }
                if let principal = server.core.rules.principal(token: frame.text("token")) {
                    server.notes.texts[client] = principal
                } else if let token = server.notes.texts[client].flatMap(server.core.rules.tokens)?.first {
                    frame["token"] = .string(token)
                }
            })
        Defect(
            "auth-sends-turns-to-everybody", .AUTH, 6,
            "Sends the frames of a turn to the connections of all principals.",
            .sends { frame, _, _, server in
                guard frame["seq"] != nil else { return nil }
                let connections = server.core.connections
                return [.send(to: connections.all.filter { connections[$0]?.principal != nil }, server.outgoing(frame))]
            })
        Defect(
            "auth-shows-foreign-sessions", .AUTH, 6, "Shows the sessions of all principals to each over REST.",
            .shows { session, reading, _ in
                session.owner = reading.principal
            })
        Defect(
            "auth-writes-into-foreign-sessions", .AUTH, 7, "Runs a `chat` to another principal's session.",
            .chats { asker, server in
                if let id = asker.session { server.core.sessions[id]?.owner = asker.principal }
            })
        Defect(
            "auth-leaves-rest-open", .AUTH, 8, "Answers REST requests without a valid token as the first principal.",
            .requests { asked, server in
                let rules = server.core.rules
                if rules.principal(token: asked.token) == nil { asked.token = rules.tokens(of: rules.anonymous).first }
            })
        Defect(
            "auth-remembers-the-first-request", .AUTH, 6,
            "Answers every request of an HTTP connection as its first one with a valid token.",
            .requests { asked, server in
                let isValid = server.core.rules.principal(token: asked.token) != nil
                let first = server.notes.texts["peer \(asked.peer)"] ?? (isValid ? asked.token : nil)
                server.notes.texts["peer \(asked.peer)"] = first
                asked.token = first ?? asked.token
            })
        Defect(
            "auth-takes-tokens-in-urls", .AUTH, 9,
            "Accepts a valid token in the query of a request or an upgrade.",
            .requests { asked, _ in asked.token = asked.token ?? token(inQuery: asked.query) },
            .upgrade { shown, query, _ in shown ?? token(inQuery: query) })
        Defect(
            "auth-greets-twice", .AUTH, 1, "Sends `connected` twice on each connection.",
            .after("connected") { frame, sockets, _, server in [.send(to: sockets, server.outgoing(frame))] })
        Defect(
            "auth-states-no-capabilities", .AUTH, 12,
            "Supports every profile and lists none of them in `connected`.",
            .frames("connected") { frame, _ in frame["capabilities"] = [] })
    }

    private static func token(inQuery query: String?) -> String? {
        let field = query?.split(separator: "&").first { $0.hasPrefix("token=") }
        return field.map { String($0.dropFirst("token=".count)) }
    }
}

extension CoreRules {
    func tokens(of principal: String) -> [String] {
        principalsByToken.filter { $0.value == principal }.map(\.key).sorted()
    }
}

extension FaultyCore {
    fileprivate var firstToken: JSONValue? { core.rules.tokens(of: core.rules.anonymous).first.map(JSONValue.string) }
}

extension Fault {
    static func closes(_ code: UInt16, with other: UInt16) -> Fault {
        effects { effect, _, _ in
            guard case .close(let socket, code, let reason) = effect else { return nil }
            return [.close(socket: socket, code: other, reason: reason)]
        }
    }
}

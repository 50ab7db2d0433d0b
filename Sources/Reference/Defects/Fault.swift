import Holdfast
import HoldfastJSON
import HoldfastTransport

/// One change to a server, outside its core.
enum Fault: Sendable {
    /// A layer around the core: inputs pass through it on their way in, and effects on their way out.
    typealias Layer = @Sendable (Input, inout FaultyCore, Next) -> [Effect]
    /// Passes an input on to the inner layers and the core.
    typealias Next = (Input, inout FaultyCore) -> [Effect]

    case rules(@Sendable (inout CoreRules) -> Void)
    /// Changes the records that it starts with.
    case records(@Sendable (inout [StoredRecord]) -> Void)
    case start(@Sendable (inout ServerCore) -> Void)
    /// Replaces a message before anything else sees it.
    case message(@Sendable (Input.Received) -> Input.Received)
    /// Replaces the token of an upgrade, given the token, the query and the rules.
    case upgrade(@Sendable (String?, String?, CoreRules) -> String?)
    case disk(@Sendable (inout RecordLog.Deviations) -> Void)
    /// Changes what the core receives, sends or stores, or when.
    case layer(Layer)
}

extension Fault {
    /// Handles an input before the core does, or in its place by not calling `next`.
    static func input(_ body: @escaping Layer) -> Fault { .layer(body) }

    static func hears(_ type: String, _ change: @escaping @Sendable (inout JSONValue, inout FaultyCore) -> Void)
        -> Fault
    {
        .layer { input, server, next in
            guard case .received(let socket, .text(let text)) = input, let frame = server.frame(text),
                frame.type == type
            else { return next(input, &server) }
            var changed = frame
            change(&changed, &server)
            return next(changed == frame ? input : .received(socket: socket, .text(changed.text())), &server)
        }
    }

    /// Changes questions from either transport; then restores the session's owner, or removes a new, unused session.
    static func chats(_ change: @escaping @Sendable (inout FaultyCore.Asker, inout FaultyCore) -> Void) -> Fault {
        .layer { input, server, next in
            guard let asker = server.asker(in: input) else { return next(input, &server) }
            let id = asker.session ?? ""
            let owner = server.core.sessions[id]?.owner
            defer {
                let isUnused = server.core.sessions[id]?.turns.isEmpty == true
                if let owner {
                    server.core.sessions[id]?.owner = owner
                } else if isUnused {
                    server.core.sessions[id] = nil
                }
            }
            var changed = asker
            change(&changed, &server)
            return next(changed.chat == asker.chat ? input : input.asking(changed.chat), &server)
        }
    }

    static func requests(_ change: @escaping @Sendable (inout RESTRequest, inout FaultyCore) -> Void) -> Fault {
        .layer { input, server, next in
            guard case .asked(let request, var asked) = input else { return next(input, &server) }
            change(&asked, &server)
            return next(.asked(request: request, asked), &server)
        }
    }

    static func outcomes(_ change: @escaping @Sendable (ServerCore.Write, Bool, inout FaultyCore) -> Bool) -> Fault {
        .layer { input, server, next in
            guard case .stored(let write, let succeeded) = input, let purpose = server.core.writes[write] else {
                return next(input, &server)
            }
            return next(.stored(write: write, succeeded: change(purpose, succeeded, &server)), &server)
        }
    }
}

extension Fault {
    /// Changes, adds or drops live frames, but not replayed ones.
    static func sends(
        _ change: @escaping @Sendable (_ frame: JSONValue, _ sockets: [Int], Input, inout FaultyCore) -> [Effect]?
    ) -> Fault {
        effects { effect, input, server in
            guard case .send(let sockets, let outgoing) = effect else { return nil }
            return change(outgoing.frame, sockets, input, &server)
        }
    }

    /// Replaces an effect; nil leaves it unchanged.
    static func effects(_ change: @escaping @Sendable (Effect, Input, inout FaultyCore) -> [Effect]?) -> Fault {
        .layer { input, server, next in
            next(input, &server).flatMap { change($0, input, &server) ?? [$0] }
        }
    }

    /// Changes outgoing frames of some types, live and replayed; with no types named, all frames.
    static func frames(
        _ types: String..., change: @escaping @Sendable (inout JSONValue, inout FaultyCore) -> Void
    ) -> Fault {
        @Sendable func changed(_ frame: JSONValue, _ server: inout FaultyCore) -> JSONValue {
            var frame = frame
            frame.edit("missed") { $0 = changed($0, &server) }
            if types.isEmpty || types.contains(frame.type) { change(&frame, &server) }
            return frame
        }
        return sends { frame, sockets, _, server in
            guard frame.objectValue != nil else { return nil }
            let new = changed(frame, &server)
            return new == frame && new.text() == frame.text() ? nil : [.send(to: sockets, server.outgoing(new))]
        }
    }

    static func omits(
        _ members: String..., from type: String, where isBroken: @escaping @Sendable (JSONValue) -> Bool = { _ in true }
    ) -> Fault {
        frames(type) { frame, _ in
            if isBroken(frame) { for member in members { frame[member] = nil } }
        }
    }

    static func drops(_ isDropped: @escaping @Sendable (JSONValue, FaultyCore) -> Bool) -> Fault {
        sends { frame, sockets, _, server in
            if isDropped(frame, server) { return [] }
            guard frame.type == "syncResult" else { return nil }
            var kept = frame
            kept.edit("missed") { if isDropped($0, server) { $0 = .null } }
            return [.send(to: sockets, server.outgoing(kept))]
        }
    }

    static func after(
        _ type: String, _ body: @escaping @Sendable (JSONValue, [Int], Input, inout FaultyCore) -> [Effect]
    ) -> Fault {
        sends { frame, sockets, input, server in
            guard frame.type == type else { return nil }
            return [.send(to: sockets, server.outgoing(frame))] + body(frame, sockets, input, &server)
        }
    }

    static func refusing(
        _ codes: ErrorCode..., body: @escaping @Sendable (JSONValue, Int, Input, inout FaultyCore) -> [Effect]?
    ) -> Fault {
        sends { frame, sockets, input, server in
            guard frame.isRefusal, let socket = sockets.first, case .received = input,
                codes.isEmpty || codes.contains(where: { $0.rawValue == frame.text("code") })
            else { return nil }
            return body(frame, socket, input, &server)
        }
    }

    /// Adds effects to the refusal of a question on either transport; `body` can ask the question again.
    static func refused(
        _ code: ErrorCode,
        body: @escaping @Sendable (FaultyCore.Asker, inout FaultyCore, (inout FaultyCore) -> [Effect]) -> [Effect]
    ) -> Fault {
        .layer { input, server, next in
            guard let asker = server.asker(in: input) else { return next(input, &server) }
            let effects = next(input, &server)
            let isRefused = effects.contains { effect in
                switch effect {
                case .send(_, let outgoing): outgoing.frame.isRefusal && outgoing.frame.text("code") == code.rawValue
                case .answer(_, let answer):
                    answer.status == code.status && server.frame(answer.body)?.text("code") == code.rawValue
                default: false
                }
            }
            return isRefused ? effects + body(asker, &server) { next(input, &$0) } : effects
        }
    }

    static func answers(
        _ change: @escaping @Sendable (inout Answer, RESTRequest, inout FaultyCore) -> Void
    ) -> Fault {
        effects { effect, _, server in
            guard case .answer(let request, let answer) = effect, let asked = server.notes.asked[request],
                let body = try? JSONParser.value(answer.body)
            else { return nil }
            var changed = Answer(status: answer.status, headers: answer.headers, body: body)
            change(&changed, asked, &server)
            guard !changed.isWithheld else { return [] }
            let text = changed.body == body ? answer.body : changed.body.text()
            return [
                .answer(
                    request: request,
                    RESTAnswer(status: changed.status, body: changed.writes(text), headers: changed.headers))
            ]
        }
    }

    struct Answer {
        var status: Int
        var headers: [String: String]
        var body: JSONValue
        var isWithheld = false
        /// Corrupts the text of the body; changes nothing by default.
        var writes: (String) -> String = { $0 }

        mutating func eachListed(_ change: (inout JSONValue) -> Void) { body.edit("sessions", change) }

        mutating func each(_ name: String, _ change: (inout JSONValue) -> Void) {
            guard var session = body["session"] else { return }
            session.edit(name, change)
            body["session"] = session
        }
    }

    static func notices(_ change: @escaping @Sendable (inout Notice, inout FaultyCore) -> Void) -> Fault {
        effects { effect, _, server in
            guard case .push(let device, var notice) = effect, let payload = try? JSONParser.value(notice.payload)
            else { return nil }
            let session = server.session(of: payload)
            let turn = session?.turns.last { $0.id == notice.turn }
            let answer = session?.messages.last { $0.id == payload.text("messageId") }
            var changed = Notice(
                payload: payload, headers: notice.headers, turn: notice.turn, question: turn?.question ?? "",
                answer: MessageContent.text(of: answer?.content))
            change(&changed, &server)
            notice.payload = changed.writes(changed.payload.text())
            notice.headers = changed.headers
            return [.push(device: device, notice)]
        }
    }

    struct Notice {
        var payload: JSONValue
        var headers: [String: String]
        let turn: String
        let question: String
        let answer: String
        /// Corrupts the text of the payload; changes nothing by default.
        var writes: (String) -> String = { $0 }

        subscript(aps name: String) -> JSONValue? {
            get { payload["aps"]?[name] }
            set {
                var aps = payload["aps"] ?? [:]
                aps[name] = newValue
                payload["aps"] = aps
            }
        }

        subscript(alert name: String) -> JSONValue? {
            get { self[aps: "alert"]?[name] }
            set {
                var alert = self[aps: "alert"] ?? [:]
                alert[name] = newValue
                self[aps: "alert"] = alert
            }
        }
    }
}

extension Fault {
    static func shows(
        _ change: @escaping @Sendable (inout SessionStore.Session, Reading, FaultyCore) -> Void
    ) -> Fault {
        views { session, reading, server in
            change(&session, reading, server)
            return true
        }
    }

    /// Changes the sessions that a reader sees; the closure returns false to hide one.
    static func views(
        _ change: @escaping @Sendable (inout SessionStore.Session, Reading, FaultyCore) -> Bool
    ) -> Fault {
        .layer { input, server, next in
            guard let reading = Reading(input, server.core.rules) else { return next(input, &server) }
            let truth = server.core.sessions
            for session in truth.all {
                var shown = session
                server.core.sessions[session.id] = change(&shown, reading, server) ? shown : nil
            }
            defer { server.core.sessions = truth }
            return next(input, &server)
        }
    }

    struct Reading {
        let principal: String
        /// Nil for the list.
        let session: String?

        init?(_ input: Input, _ rules: CoreRules) {
            guard case .asked(_, let asked) = input, asked.method == "GET", asked.path.hasPrefix("/api/sessions"),
                let principal = rules.principal(token: asked.token)
            else { return nil }
            self.principal = principal
            session = asked.path.split(separator: "/").dropFirst(2).first.map(String.init)
        }
    }

    /// Changes or delays writes; nil leaves one unchanged.
    ///
    /// Calling `next` reports the outcome to the core.
    static func stores(
        _ change: @escaping @Sendable (_ write: Int, StoredRecord, inout FaultyCore, Next) -> [Effect]?
    ) -> Fault {
        .layer { input, server, next in
            func changed(_ effects: [Effect], _ server: inout FaultyCore) -> [Effect] {
                effects.flatMap { effect -> [Effect] in
                    guard case .store(let write, let records) = effect, let record = records.first else {
                        return [effect]
                    }
                    return change(write, record, &server) { input, server in changed(next(input, &server), &server) }
                        ?? [effect]
                }
            }
            return changed(next(input, &server), &server)
        }
    }

    /// Reports a record as stored and stores it later; nil stores it at once.
    static func storesLate(
        _ delay: @escaping @Sendable (StoredRecord, FaultyCore) -> Int?
    ) -> Fault {
        stores { write, record, server, next in
            guard let ms = delay(record, server) else { return nil }
            let late: [Effect] = [.store(write: write, [record])]
            let effects = next(.stored(write: write, succeeded: true), &server)
            return effects + (ms == 0 ? late : server.delaying(late, ms: ms))
        }
    }
}

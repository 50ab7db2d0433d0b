import Holdfast
import HoldfastJSON
import HoldfastTransport

/// One thing that is wrong with a server, around its core.
enum Fault: Sendable {
    /// What comes in goes through a layer on its way to the core, and what goes out on its way back.
    typealias Layer = @Sendable (Input, inout FaultyCore, Next) -> [Effect]
    /// The way on to the core, through the layers within.
    typealias Next = (Input, inout FaultyCore) -> [Effect]

    /// It was told something else.
    case rules(@Sendable (inout CoreRules) -> Void)
    /// It remembers something else after a start.
    case records(@Sendable (inout [StoredRecord]) -> Void)
    /// It begins with something else in memory.
    case start(@Sendable (inout ServerCore) -> Void)
    /// It takes a message for another one, before anything else sees it.
    case message(@Sendable (Input.Received) -> Input.Received)
    /// It takes another token for that of an upgrade: the one shown, its query, and who may come.
    case upgrade(@Sendable (String?, String?, CoreRules) -> String?)
    /// Its disk writes otherwise.
    case disk(@Sendable (inout RecordLog.Habits) -> Void)
    /// It hears, says or stores something else, or at another time.
    case layer(Layer)
}

// What comes in.
extension Fault {
    /// Does something about an input before the core sees it, or instead: then the way on is not taken.
    static func input(_ body: @escaping Layer) -> Fault { .layer(body) }

    /// Changes the frames of a type that clients send.
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

    /// Changes questions, whichever transport they come by; what is done to the session they name holds for this question alone.
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
            guard changed.chat != asker.chat else { return next(input, &server) }
            switch input {
            case .received(let socket, _): return next(.received(socket: socket, .text(changed.chat.text())), &server)
            case .asked(let request, var asked):
                asked.body = Array(changed.chat.text().utf8)
                return next(.asked(request: request, asked), &server)
            default: return next(input, &server)
            }
        }
    }

    static func requests(_ change: @escaping @Sendable (inout RESTRequest, inout FaultyCore) -> Void) -> Fault {
        .layer { input, server, next in
            guard case .asked(let request, var asked) = input else { return next(input, &server) }
            change(&asked, &server)
            return next(.asked(request: request, asked), &server)
        }
    }

    /// Takes an end of a write for another one; told is what was written.
    static func outcomes(_ change: @escaping @Sendable (ServerCore.Write, Bool, inout FaultyCore) -> Bool) -> Fault {
        .layer { input, server, next in
            guard case .stored(let write, let succeeded) = input, let purpose = server.core.writes[write] else {
                return next(input, &server)
            }
            return next(.stored(write: write, succeeded: change(purpose, succeeded, &server)), &server)
        }
    }
}

// What goes out.
extension Fault {
    /// Changes, adds to or drops what is sent, live alone.
    static func sends(
        _ change: @escaping @Sendable (_ frame: JSONValue, _ sockets: [Int], Input, inout FaultyCore) -> [Effect]?
    ) -> Fault {
        effects { effect, input, server in
            guard case .send(let sockets, let said) = effect else { return nil }
            return change(said.frame, sockets, input, &server)
        }
    }

    /// Does something else about an effect; nil leaves it as it is.
    static func effects(_ change: @escaping @Sendable (Effect, Input, inout FaultyCore) -> [Effect]?) -> Fault {
        .layer { input, server, next in
            next(input, &server).flatMap { change($0, input, &server) ?? [$0] }
        }
    }

    /// Changes the frames of some types as they leave, live and in a replay; of all types where none is named.
    static func frames(
        _ types: String..., change: @escaping @Sendable (inout JSONValue, inout FaultyCore) -> Void
    ) -> Fault {
        @Sendable func changed(_ frame: JSONValue, _ server: inout FaultyCore) -> JSONValue {
            var frame = frame.mapping("missed") { changed($0, &server) }
            if types.isEmpty || types.contains(frame.type) { change(&frame, &server) }
            return frame
        }
        return sends { frame, sockets, _, server in
            guard frame.objectValue != nil else { return nil }
            let new = changed(frame, &server)
            return new == frame && new.text() == frame.text() ? nil : [.send(to: sockets, server.said(new))]
        }
    }

    /// Leaves members out of the frames of a type.
    static func omits(
        _ members: String..., from type: String, where isMeant: @escaping @Sendable (JSONValue) -> Bool = { _ in true }
    ) -> Fault {
        frames(type) { frame, _ in
            if isMeant(frame) { for member in members { frame[member] = nil } }
        }
    }

    /// Says nothing of some frames, live and in a replay.
    static func drops(_ isDropped: @escaping @Sendable (JSONValue, FaultyCore) -> Bool) -> Fault {
        sends { frame, sockets, _, server in
            if isDropped(frame, server) { return [] }
            guard frame.type == "syncResult" else { return nil }
            let left = frame.mapping("missed") { isDropped($0, server) ? nil : $0 }
            return [.send(to: sockets, server.said(left))]
        }
    }

    /// Does something behind each frame of a type.
    static func after(
        _ type: String, _ body: @escaping @Sendable (JSONValue, [Int], Input, inout FaultyCore) -> [Effect]
    ) -> Fault {
        sends { frame, sockets, input, server in
            guard frame.type == type else { return nil }
            return [.send(to: sockets, server.said(frame))] + body(frame, sockets, input, &server)
        }
    }

    /// Does something else than answer a frame with an `error`.
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

    /// Does something more about a question that is refused, whichever transport it came by; it may be asked once more.
    static func refused(
        _ code: ErrorCode,
        body: @escaping @Sendable (FaultyCore.Asker, inout FaultyCore, (inout FaultyCore) -> [Effect]) -> [Effect]
    ) -> Fault {
        .layer { input, server, next in
            guard let asker = server.asker(in: input) else { return next(input, &server) }
            let effects = next(input, &server)
            let isRefused = effects.contains { effect in
                switch effect {
                case .send(_, let said): said.frame.isRefusal && said.frame.text("code") == code.rawValue
                case .answer(_, let answer):
                    answer.status == code.status && server.frame(answer.body)?.text("code") == code.rawValue
                default: false
                }
            }
            return isRefused ? effects + body(asker, &server) { next(input, &$0) } : effects
        }
    }

    /// Changes what is answered over REST.
    static func answers(
        _ change: @escaping @Sendable (inout Answer, RESTRequest, inout FaultyCore) -> Void
    ) -> Fault {
        effects { effect, _, server in
            guard case .answer(let request, let answer) = effect, let asked = server.notes.asked[request],
                let body = try? JSONParser.value(answer.body)
            else { return nil }
            var changed = Answer(status: answer.status, headers: answer.headers, body: body)
            change(&changed, asked, &server)
            guard !changed.isKeptBack else { return [] }
            let text = changed.body == body ? answer.body : changed.body.text()
            return [
                .answer(
                    request: request,
                    RESTAnswer(status: changed.status, body: changed.writes(text), headers: changed.headers))
            ]
        }
    }

    /// An answer over REST on its way out.
    struct Answer {
        var status: Int
        var headers: [String: String]
        var body: JSONValue
        /// Whether it is never given.
        var isKeptBack = false
        /// How its text is spoiled.
        var writes: (String) -> String = { $0 }

        mutating func eachListed(_ change: (inout JSONValue) -> Void) {
            body = body.mapping("sessions") { entry in
                var entry = entry
                change(&entry)
                return entry
            }
        }

        /// Changes each element of a member of a session.
        mutating func each(_ name: String, _ change: (JSONValue) -> JSONValue?) {
            if let session = body["session"] { body["session"] = session.mapping(name, change) }
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

    /// A notice on its way out, and what it is about.
    struct Notice {
        var payload: JSONValue
        var headers: [String: String]
        let turn: String
        let question: String
        let answer: String
        /// How its text is spoiled.
        var writes: (String) -> String = { $0 }

        subscript(aps name: String) -> JSONValue? {
            get { payload["aps"]?[name] }
            set {
                var aps = payload["aps"] ?? [:]
                aps[name] = newValue
                payload["aps"] = aps
            }
        }

        /// A member of what is shown.
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

// What is stored.
extension Fault {
    /// Shows other sessions to who reads them; what the closure answers with false is not shown.
    static func shows(
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

    /// A read over REST.
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

    /// Stores something else, or at another time; nil stores it as it is.
    ///
    /// The way on tells the core of an outcome.
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

    /// Says that a record is stored, and stores it later; nil for at once and not at all later.
    static func storesLate(
        _ delay: @escaping @Sendable (StoredRecord, FaultyCore) -> Int?
    ) -> Fault {
        stores { write, record, server, next in
            guard let ms = delay(record, server) else { return nil }
            let late: [Effect] = [.store(write: write, [record])]
            let told = next(.stored(write: write, succeeded: true), &server)
            return told + (ms == 0 ? late : server.delaying(late, ms: ms))
        }
    }
}

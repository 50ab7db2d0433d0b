import Holdfast
import HoldfastJSON
import HoldfastTranscript

extension ClientStepContext {
    /// The driver's command for an act of the person or the phone, and the details to record, given the current screen.
    package func command(for act: ClientAct, shown: JSONValue?) throws -> (command: JSONObject, act: JSONObject) {
        performer.note(done: act)
        var members: JSONObject = [:]
        var details: JSONObject = [:]
        switch act {
        case .launch(let fresh, let opened):
            let isFirst = performer.notes { $0.countLaunch() }
            members = ["fresh": .bool(fresh ?? isFirst)]
            details = members
            guard let push = try opened.map({ try notification($0) }) else { break }
            members["opened"] = push.payload
            details["sessionId"] = .string(push.session)
            details["opened"] = .string(push.message)
        case .send(let name, let text):
            let name = try filled(name)
            let text = try text.map { try filled($0) } ?? "\(name) of \(performer.run)"
            let mark = performer.lastArrival
            performer.notes { $0.sent.append((name, text, mark)) }
            members = ["text": .string(text)]
            details = ["text": .string(text), "as": .string(name)]
        case .sendAgain(let name):
            let name = try filled(name)
            let message = ClientScreen(shown ?? [:]).message(performer.named(name))
            guard message?["status"] == "failed", let key = message?["clientMessageId"]?.stringValue else {
                throw StepEnd.unmet("\(pointer): '\(name)' is not shown as failed with its key")
            }
            members = ["clientMessageId": .string(key)]
            details = ["as": .string(name), "clientMessageId": .string(key)]
        case .receivePush(let notified), .openPush(let notified):
            let push = try notification(notified)
            members = ["payload": push.payload]
            details = ["sessionId": .string(push.session), "message": .string(push.message)]
            if let turn = push.payload["turnId"] { details["turnId"] = turn }
        case .select(let session):
            members = ["sessionId": try session.map { JSONValue.string(try filled($0)) } ?? .null]
            details = members
        case .networkDown, .networkUp, .quit, .crash, .background, .foreground: break
        }
        var command: JSONObject = ["do": .string(act.verb)]
        for member in members { command[member.key] = member.value }
        return (command, details)
    }

    private func notification(
        _ push: ClientNotification
    ) throws -> (payload: JSONValue, session: String, message: String) {
        let session = try filled(push.session)
        let message = try filled(push.message)
        let turn = try push.turn.map { try self.turn($0) } ?? ServerWorld.turn(in: message)
        let text = performer.act { world in
            world.stored(message).map { MessageContent.text(of: $0.content) } ?? ServerWorld.defaultText(of: message)
        }
        var payload: JSONValue = [
            "aps": [
                "alert": ["title": "Agent", "body": .string(String(text.prefix(200)))], "thread-id": .string(session),
            ],
            "sessionId": .string(session), "messageId": .string(message),
        ]
        payload["turnId"] = turn.map { .string("t\($0)") }
        return (payload, session, message)
    }

    func action(_ action: ServerAction) throws {
        switch action {
        case .tool(let turn, let tool, let audience):
            let (number, tool) = (try self.turn(turn), try filled(tool))
            note("tool", inTurn: number)
            performer.act { $0.use(tool, in: number, to: audience) }
        case .finish(let turn, let text, let audience):
            let (number, text) = (try self.turn(turn), try text.map { try filled($0) })
            // A turn that has ended stores nothing more.
            let isRunning = performer.act { $0.turns[number]?.status == .running }
            note("finish", inTurn: number, storing: isRunning ? ["a\(number)"] : [])
            performer.act { $0.finish(number, text: text, to: audience) }
        case .fail(let turn, let code, let audience):
            let (number, code) = (try self.turn(turn), try filled(code))
            note("fail", inTurn: number)
            performer.act { $0.fail(number, code: code, to: audience) }
        case .tell(let frame, let isNumbered, let audience):
            let frame = try filled(frame)
            performer.act { $0.tell(frame, isNumbered: isNumbered, to: audience) }
        case .tellRaw(let text, let bytes): performer.act { $0.tellRaw(text: text, bytes: bytes) }
        case .elsewhere(let session, let messages, let isNew, let audience):
            let session = try filled(session)
            if isNew, performer.act({ $0.index(of: session) != nil }) {
                throw StepEnd.unmet("\(pointer): session '\(session)' is there already, so the client began it")
            }
            let context = reserving(messages)
            let stored = try messages.map {
                ClientWorld.Message(
                    id: try context.filled($0.id), role: $0.role, text: try $0.text.map { try context.filled($0) })
            }
            if let taken = stored.map(\.id).first(where: { id in performer.act { $0.stored(id) } != nil }) {
                throw StepEnd.unmet("\(pointer): message '\(taken)' is there already, so the client asked meanwhile")
            }
            note(
                "elsewhere", ["sessionId": .string(session), "messages": .array(stored.map { .string($0.id) })])
            performer.act { $0.storeElsewhere(stored, in: session, to: audience) }
        case .end(let how):
            if !keepsMark { performer.setMark() }
            performer.act { $0.end(how) }
        case .restart(let epoch, let lastSeq, let keepsFrames):
            if !keepsMark { performer.setMark() }
            let epoch = try filled(epoch)
            note("restart", ["epoch": .string(epoch), "lastSeq": JSONValue(lastSeq)])
            performer.act { $0.restart(epoch: epoch, lastSeq: lastSeq, keepsFrames: keepsFrames) }
        case .forget(let upTo):
            guard let seq = try filled(upTo).intValue else {
                throw StepEnd.harness(HarnessProblem(.notANumber(name: "\(upTo.text())"), at: location))
            }
            note("forget", ["upTo": JSONValue(seq)])
            performer.act { $0.forget(upTo: seq) }
        case .remove(let session):
            let session = try filled(session)
            note("remove", ["sessionId": .string(session)])
            performer.act { $0.remove(session) }
        }
    }

    /// This context with reserved numbers for `${next}` in messages, so that no question takes them meanwhile.
    private func reserving(_ messages: [ClientWorld.Message]) -> Self {
        let suffixes = Set(messages.compactMap { $0.id.split(separator: "${next").dropFirst().first })
        guard !suffixes.isEmpty else { return self }
        var local = local
        local["next"] = JSONValue(performer.act { $0.reserve(suffixes.count) })
        return Self(performer: performer, pointer: pointer, local: local, keepsMark: keepsMark)
    }

    /// Records an act of the server before it happens, so that the judge knows what was stored, and when.
    private func note(_ action: String, _ details: JSONObject) { performer.record(.act(action, details), on: .server) }

    private func note(_ action: String, inTurn number: Int, storing ids: [String] = []) {
        guard let session = performer.act({ $0.turns[number]?.session }) else { return }
        var details: JSONObject = ["sessionId": .string(session), "turnId": .string("t\(number)")]
        if !ids.isEmpty { details["messages"] = .array(ids.map { .string($0) }) }
        note(action, details)
    }
}

extension ClientStepContext where Scene == ClientPerformer {
    func act(_ act: ClientAct) async throws {
        var shown: JSONValue?
        if case .sendAgain = act { shown = try await performer.readScreen(at: pointer) }
        let (command, details) = try self.command(for: act, shown: shown)
        try await performer.command(command, as: details, at: pointer) { [server] in
            if let isReachable = act.makesReachable { server.act { $0.setReachable(isReachable) } }
        }
    }
}

extension ClientAct {
    /// Nil if the act does not change it.
    package var makesReachable: Bool? {
        switch self {
        case .networkDown: false
        case .networkUp: true
        default: nil
        }
    }
}

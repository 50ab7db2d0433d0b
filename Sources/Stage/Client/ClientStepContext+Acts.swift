import Holdfast
import HoldfastJSON
import HoldfastTranscript

// What the person, the phone and the server do.
extension ClientStepContext {
    func act(_ act: ClientAct) async throws {
        if !keepsMark { performer.setMark() }
        switch act {
        case .launch(let fresh, let opened):
            let it = try opened.map { try notification($0) }
            let details: JSONObject? = it.map {
                ["sessionId": .string($0.session), "opened": .string($0.message)]
            }
            try await performer.launch(fresh: fresh, opened: it?.payload, details: details ?? [:], at: pointer)
        case .send(let name, let text):
            let name = try filled(name)
            let text = try text.map { try filled($0) } ?? "\(name) of \(performer.run)"
            performer.note(sent: name, text)
            try await tell("send", ["text": .string(text)], act: ["text": .string(text), "as": .string(name)])
        case .sendAgain(let name):
            let name = try filled(name)
            let named = performer.named(name)
            let message = ClientScreen(try await performer.look(at: pointer)).message(named)
            guard message?["status"] == "failed", let key = message?["clientMessageId"]?.stringValue else {
                throw StepEnd.unmet("\(pointer): '\(name)' is not shown as failed with its key")
            }
            let members: JSONObject = ["clientMessageId": .string(key)]
            try await tell("sendAgain", members, act: ["as": .string(name), "clientMessageId": .string(key)])
        case .receivePush(let it), .openPush(let it):
            let it = try notification(it)
            var details: JSONObject = ["sessionId": .string(it.session), "message": .string(it.message)]
            if let turn = it.payload["turnId"] { details["turnId"] = turn }
            try await tell(act.verb, ["payload": it.payload], act: details)
        case .select(let session):
            let value = try session.map { JSONValue.string(try filled($0)) } ?? .null
            try await tell(act.verb, ["sessionId": value], act: ["sessionId": value])
        case .networkDown:
            try await performer.command(["do": "networkDown"], as: [:], at: pointer) { [server] in
                server.act { $0.setReachable(false) }
            }
        case .networkUp:
            try await performer.command(["do": "networkUp"], as: [:], at: pointer) { [server] in
                server.act { $0.setReachable(true) }
            }
        case .quit:
            try await tell("quit", [:], act: [:])
            performer.noteQuit()
        case .background, .foreground: try await tell(act.verb, [:], act: [:])
        }
    }

    private func tell(_ verb: String, _ members: JSONObject, act: JSONObject) async throws {
        var command: JSONObject = ["do": .string(verb)]
        for member in members { command[member.key] = member.value }
        try await performer.command(command, as: act, at: pointer)
    }

    /// A notification as the push service would deliver it.
    private func notification(
        _ it: ClientNotification
    ) throws -> (payload: JSONValue, session: String, message: String) {
        let session = try filled(it.session)
        let message = try filled(it.message)
        let turn = try it.turn.map { try self.turn($0) } ?? ServerWorld.turn(in: message)
        let text = server.act { world in
            world.stored(message).map { WorldQuestion.text(of: $0.content) } ?? ServerWorld.usualText(of: message)
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

    func deed(_ deed: ServerDeed) throws {
        switch deed {
        case .tool(let turn, let tool, let audience):
            let (number, tool) = (try self.turn(turn), try filled(tool))
            note("tool", inTurn: number)
            server.act { $0.use(tool, in: number, to: audience) }
        case .finish(let turn, let text, let audience):
            let (number, text) = (try self.turn(turn), try text.map { try filled($0) })
            note("finish", inTurn: number, storing: ["a\(number)"])
            server.act { $0.finish(number, text: text, to: audience) }
        case .fail(let turn, let code, let audience):
            let (number, code) = (try self.turn(turn), try filled(code))
            note("fail", inTurn: number)
            server.act { $0.fail(number, code: code, to: audience) }
        case .tell(let frame, let isNumbered, let audience):
            let frame = try filled(frame)
            server.act { $0.tell(frame, isNumbered: isNumbered, to: audience) }
        case .tellRaw(let text, let bytes): server.act { $0.tellRaw(text: text, bytes: bytes) }
        case .elsewhere(let session, let messages, let isNew, let audience):
            let session = try filled(session)
            if isNew, server.act({ $0.index(of: session) != nil }) {
                throw StepEnd.unmet("\(pointer): session '\(session)' is there already, so the client began it")
            }
            let stored = try messages.map {
                ClientWorld.Message(id: try filled($0.id), role: $0.role, text: try $0.text.map { try filled($0) })
            }
            note(
                "elsewhere", ["sessionId": .string(session), "messages": .array(stored.map { .string($0.id) })])
            server.act { $0.storeElsewhere(stored, in: session, to: audience) }
        case .end(let how):
            if !keepsMark { performer.setMark() }
            server.act { $0.end(how) }
        case .restart(let epoch, let lastSeq, let keepsFrames):
            if !keepsMark { performer.setMark() }
            let epoch = try filled(epoch)
            note("restart", ["epoch": .string(epoch), "lastSeq": JSONValue(lastSeq)])
            server.act { $0.restart(epoch: epoch, lastSeq: lastSeq, keepsFrames: keepsFrames) }
        case .forget(let upTo):
            guard let seq = try filled(upTo).intValue else {
                throw StepEnd.harness(HarnessProblem(.notANumber(name: "\(upTo.text())"), at: location))
            }
            note("forget", ["upTo": JSONValue(seq)])
            server.act { $0.forget(upTo: seq) }
        case .remove(let session):
            let session = try filled(session)
            note("remove", ["sessionId": .string(session)])
            server.act { $0.remove(session) }
        }
    }

    /// Puts on record what the server is about to do by itself; a judge knows from it what was stored, and when.
    private func note(_ deed: String, _ details: JSONObject) {
        recorder.note(.act(deed, details), on: .server)
    }

    private func note(_ deed: String, inTurn number: Int, storing ids: [String] = []) {
        guard let session = server.act({ $0.turns[number]?.session }) else { return }
        var details: JSONObject = ["sessionId": .string(session), "turnId": .string("t\(number)")]
        if !ids.isEmpty { details["messages"] = .array(ids.map { .string($0) }) }
        note(deed, details)
    }
}

import Basics
import Holdfast
import JSON
import Reference
import Transport

/// What can be done to a mock server while it runs; each is `POST /control/` and its name.
enum ControlAction: String, CaseIterable {
    case drop, silence, resume, restart
    case fail
    case limit = "rate-limit"
    case slow, fault, say, ask, push, replies, heal

    /// What it does, and with which members.
    var summary: String {
        switch self {
        case .drop: "Ends connections: 'how' is fin, reset or close (with 'code'); 'connection' names one."
        case .silence: "Reads and says nothing on open connections, for 'seconds'; 'connection' names one."
        case .resume: "Ends a silence; what was held arrives late."
        case .restart:
            "Stops ('how': stop) or kills it and starts it again after 'seconds'; 'epoch' is new or kept, what is stored stays."
        case .fail: "The next 'count' turns fail, with a 'reason'."
        case .limit: "The next 'count' questions are refused with rate_limited and 'retryAfterMs'."
        case .slow: "Every turn takes 'ms' longer."
        case .fault: "Adds a 'rule', such as 'cut before done'."
        case .say: "The agent says 'text' of its own accord, in 'sessionId', or with 'new' in a new one."
        case .ask: "Another device asks 'text'."
        case .push: "Sends a notice of a new message 'text', or of the newest answer."
        case .replies: "The agent answers by 'replies' and 'default' from now on; {} is the echo again."
        case .heal: "Ends silences, faults and all that was ordered."
        }
    }

    private var members: [String] {
        switch self {
        case .drop: ["connection", "how", "code"]
        case .silence: ["connection", "seconds"]
        case .resume: ["connection"]
        case .restart: ["how", "epoch", "seconds"]
        case .fail: ["count", "reason"]
        case .limit: ["count", "retryAfterMs"]
        case .slow: ["ms"]
        case .fault: ["rule"]
        case .say, .ask, .push: ["text", "sessionId", "principal", "new"]
        case .replies: ["replies", "default"]
        case .heal: []
        }
    }

    private enum Drop: String, CaseIterable { case fin, reset, close }
    private enum Epoch: String, CaseIterable { case new, kept }

    /// Does it.
    /// - Returns: What was done.
    /// - Throws: `InputProblems` or an `InputProblem`, and then nothing was done.
    func perform(_ body: JSONValue, on mock: MockServer) async throws -> JSONValue {
        let act = try MemberReader.read(body, at: "body") { reader in
            reader.refuseUnknown(besides: members)
            return read(reader, body)
        }
        return try await act(mock)
    }

    private typealias Act = (MockServer) async throws -> JSONValue

    /// What is to be done; nil when something is wrong and has been noted.
    private func read(_ reader: MemberReader, _ body: JSONValue) -> Act? {
        let connection = members.contains("connection") ? reader.string("connection") : nil
        switch self {
        case .drop: return drop(reader, connection)
        case .silence:
            let seconds = reader.integer("seconds", in: 1...600)
            return { ["connections": Self.names(try await $0.end(connection, .cut(.silence), seconds: seconds))] }
        case .resume: return { ["connections": Self.names(try await $0.resume(connection))] }
        case .restart:
            let how = reader.choice("how", of: MockServer.Ending.self) ?? .stop
            let epoch = reader.choice("epoch", of: Epoch.self) ?? .new
            let seconds = reader.integer("seconds", in: 0...600) ?? 0
            return { mock in
                try await mock.restart(how, keepsEpoch: epoch == .kept, downFor: seconds)
                return ["how": .string(how.rawValue), "epoch": .string(epoch.rawValue), "seconds": JSONValue(seconds)]
            }
        case .fail:
            let count = reader.integer("count", in: 0...1_000_000) ?? 1
            let reason = reader.string("reason") ?? "it was told to"
            var rule = Rule(.question, .fail, times: count)
            rule.reason = String(reason.prefix(1000))
            return Self.ordering(.rule(rule))
        case .limit:
            let count = reader.integer("count", in: 0...1_000_000) ?? 1
            let wait = reader.integer("retryAfterMs", in: 1...3_600_000) ?? 5000
            var rule = Rule(.question, .refuse, times: count)
            rule.milliseconds = wait
            return Self.ordering(.rule(rule))
        case .slow:
            guard let ms = reader.integer("ms", in: 0...600_000, required: true) else { return nil }
            var rule = Rule(.question, .delay)
            rule.milliseconds = ms
            return Self.ordering(.rule(rule))
        case .fault: return fault(reader)
        case .say:
            guard let text = text(reader, required: true) else { return nil }
            return Self.ordering(.say(text, place(reader)))
        case .ask:
            guard let text = text(reader, required: true) else { return nil }
            return Self.ordering(.ask(text, place(reader)))
        case .push: return Self.ordering(.push(text(reader, required: false), place(reader)))
        case .replies:
            guard !reader.object.isEmpty else { return Self.ordering(.replies(Replies())) }
            return { mock in try await mock.obey(.replies(try Replies(body, named: "body"))) }
        case .heal:
            return { mock in
                mock.record?.removeFaults()
                let resumed = try await mock.resume(nil)
                _ = try await mock.obey(.heal)
                return ["connections": Self.names(resumed)]
            }
        }
    }

    private func drop(_ reader: MemberReader, _ connection: String?) -> Act? {
        let how = reader.choice("how", of: Drop.self)
        let code = reader.integer("code", in: 1000...4999)
        if let code, !isCloseCode(code) {
            return reader.wrong("code", JSONValue(code), "a code that a close frame can carry, such as 1001 or 4001")
        }
        if code != nil, let how, how != .close {
            return reader.wrong("how", .string(how.rawValue), "close, where there is a 'code'")
        }
        let ending: ConnectionEnding =
            switch how ?? (code == nil ? .fin : .close) {
            case .fin: .cut(.fin)
            case .reset: .cut(.reset)
            case .close: .close(UInt16(code ?? 1001))
            }
        return { ["connections": Self.names(try await $0.end(connection, ending))] }
    }

    private func fault(_ reader: MemberReader) -> Act? {
        guard let text = reader.string("rule", required: true) else { return nil }
        do {
            let rule = try Rule(text)
            return { mock in
                guard mock.record?.faults.entries.count ?? 0 < Self.maxFaults else {
                    throw InputProblem(
                        "rule", "there are \(Self.maxFaults) rules already", expected: "at most \(Self.maxFaults)",
                        fix: "POST /control/heal removes them")
                }
                mock.record?.add(rule)
                return ["rule": .string(rule.text)]
            }
        } catch {
            reader.collector.note(
                reader.pointer.appending("rule"), error.what, expected: error.expected, fix: error.fix)
            return nil
        }
    }

    /// What is said or asked; with its frame around it, it stays below what a phone takes.
    private func text(_ reader: MemberReader, required: Bool) -> String? {
        guard let text = reader.string("text", required: required) else { return nil }
        guard text.utf8.count <= Self.maxTextBytes else {
            return reader.wrong("text", .string(text), "a text of at most \(Self.maxTextBytes) bytes")
        }
        return text
    }

    private static let maxTextBytes = 200_000
    private static let maxFaults = 100

    private func place(_ reader: MemberReader) -> ServerPlace {
        ServerPlace(
            principal: reader.string("principal"), session: reader.string("sessionId"),
            isNew: reader.bool("new") ?? false)
    }

    private static func ordering(_ order: ServerOrder) -> Act? { { try await $0.obey(order) } }

    private static func names(_ names: [String]) -> JSONValue { .array(names.map { .string($0) }) }
}

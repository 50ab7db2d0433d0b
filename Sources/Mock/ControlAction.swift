import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastReference
import HoldfastTransport

/// An action on a running mock server; each is `POST /control/` and its name.
enum ControlAction: String, CaseIterable {
    case drop, silence, resume, restart
    case fail
    case limit = "rate-limit"
    case slow, fault, say, ask, push, replies, heal

    /// The action's part of `Spec/schemas/files/control.json`.
    private var schema: FileSchema { .control(rawValue) }

    var summary: String { schema.description }

    private enum Drop: String, CaseIterable { case fin, reset, close }
    private enum Epoch: String, CaseIterable { case new, kept }

    /// - Throws: `InputProblems` or an `InputProblem`; then nothing has been done.
    func perform(_ body: JSONValue, on mock: MockServer) async throws -> JSONValue {
        let act = try MemberReader.read(body, at: "body", schema: schema) { read($0, body) }
        return try await act(mock)
    }

    private typealias Act = (MockServer) async throws -> JSONValue

    private func read(_ reader: MemberReader, _ body: JSONValue) -> Act? {
        let connection = reader.string("connection")
        switch self {
        case .drop: return drop(reader, connection)
        case .silence:
            let seconds = reader.integer("seconds")
            return { ["connections": Self.names(try await $0.end(connection, .cut(.silence), seconds: seconds))] }
        case .resume: return { ["connections": Self.names(try await $0.resume(connection))] }
        case .restart:
            let how = reader.choice("how", of: MockServer.Ending.self) ?? .stop
            let epoch = reader.choice("epoch", of: Epoch.self) ?? .new
            let seconds = reader.integer("seconds") ?? 0
            return { mock in
                try await mock.restart(how, keepsEpoch: epoch == .kept, downFor: seconds)
                return ["how": .string(how.rawValue), "epoch": .string(epoch.rawValue), "seconds": JSONValue(seconds)]
            }
        case .fail:
            let count = reader.integer("count") ?? 1
            let reason = reader.string("reason") ?? "it was asked to"
            var rule = Rule(.question, .fail, times: count)
            rule.reason = String(reason.prefix(1000))
            return Self.sending(.rule(rule))
        case .limit:
            let count = reader.integer("count") ?? 1
            let wait = reader.integer("retryAfterMs") ?? 5000
            var rule = Rule(.question, .refuse, times: count)
            rule.milliseconds = wait
            return Self.sending(.rule(rule))
        case .slow:
            guard let ms = reader.integer("ms") else { return nil }
            var rule = Rule(.question, .delay)
            rule.milliseconds = ms
            return Self.sending(.rule(rule))
        case .fault: return fault(reader)
        case .say:
            return text(reader).flatMap { Self.sending(.say($0, place(reader))) }
        case .ask:
            return text(reader).flatMap { Self.sending(.ask($0, place(reader))) }
        case .push: return Self.sending(.push(text(reader), place(reader)))
        case .replies:
            guard !reader.object.isEmpty else { return Self.sending(.replies(Replies())) }
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
        let code = reader.integer("code")
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
        guard let text = reader.string("rule") else { return nil }
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

    /// The text to say or ask, short enough that its frame stays below the message limit of a phone.
    private func text(_ reader: MemberReader) -> String? {
        guard let text = reader.string("text") else { return nil }
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

    private static func sending(_ command: MockCommand) -> Act? { { try await $0.obey(command) } }

    private static func names(_ names: [String]) -> JSONValue { .array(names.map { .string($0) }) }
}

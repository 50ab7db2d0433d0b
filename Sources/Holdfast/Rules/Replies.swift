import JSON
import JSONSchema

/// What an agent answers to which questions; a script in the question itself goes before all of it.
///
/// The first rule whose condition a question meets is followed. A rule may be good for some times only, so that a question
/// fails once and is answered when it is asked again.
package struct Replies: Sendable {
    package var rules = Rules()
    /// What is done about all other questions; nil for the echo.
    package var otherwise: [AgentStep]?

    package init() {}

    /// One answer to all questions.
    package init(always text: String) {
        otherwise = [.reply(text)]
    }

    /// Whether it is the echo alone.
    package var isEcho: Bool { rules.isEmpty && otherwise == nil }

    /// Reads a file of replies; its shape is `Spec/schemas/files/replies.json`.
    ///
    /// - Parameters:
    ///   - text: The file.
    ///   - file: Its name, as problems show it.
    /// - Throws: Every problem of the file at once, each with its line.
    package init(_ text: String, file: String) throws(InputProblems) {
        self = try MemberReader.read(
            Array(text.utf8), file: file, expected: "a file of replies", RepliesReader.replies)
    }

    /// Reads the same from a value that has no lines, such as a member of a request.
    package init(_ value: JSONValue, named name: String) throws(InputProblems) {
        try self.init(value.text(pretty: true), file: name)
    }
}

/// Reads rules, conditions and steps.
private enum RepliesReader {
    private static let conditions = ["is", "contains", "matches"]
    private static let deeds = ["reply", "fail", "script"]
    private static let kinds = ["tool", "wait", "reply", "fail"]
    private static let maxSteps = 1000

    static func replies(_ reader: MemberReader) -> Replies {
        reader.refuseUnknown(besides: ["replies", "default"])
        var replies = Replies()
        replies.rules = Rules(reader.objects("replies").compactMap(rule))
        if let other = reader.members("default") {
            other.refuseUnknown(besides: deeds)
            replies.otherwise = steps(other)
        }
        if reader.object.isEmpty {
            reader.collector.note(
                reader.pointer, "it says nothing", expected: "'replies', 'default', or both", fix: "add one of them")
        }
        return replies
    }

    private static func rule(_ reader: MemberReader) -> Rule? {
        reader.refuseUnknown(besides: conditions + deeds + ["times"])
        let times = reader.integer("times", in: 1...1_000_000)
        let steps = steps(reader)
        guard let name = one(of: conditions, reader, "condition"), let text = reader.string(name) else { return nil }
        let condition: TextCondition
        switch name {
        case "is": condition = .exactly(text.lowercased())
        case "contains": condition = .containing(text.lowercased())
        default:
            do {
                condition = .matching(try Pattern(text))
            } catch {
                reader.collector.note(
                    reader.pointer.appending(name), "'\(clipped(text))' is no pattern: \(error)",
                    expected: "a regular expression as in JSON Schema", fix: "correct it, or use 'contains'")
                return nil
            }
        }
        guard let steps else { return nil }
        var rule = Rule(.question, .script, times: times)
        rule.condition = condition
        rule.steps = steps
        return rule
    }

    /// The name of the one member among some that is there; anything else is noted.
    private static func one(of names: [String], _ reader: MemberReader, _ what: String) -> String? {
        let found = names.filter { reader.value($0) != nil }
        if found.count == 1 { return found[0] }
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        reader.collector.note(
            reader.pointer,
            found.isEmpty
                ? "no \(what)" : "\(found.count) of them: \(found.map { "'\($0)'" }.joined(separator: " and "))",
            expected: "exactly one of \(list)", fix: found.isEmpty ? "add one" : "keep one")
        return nil
    }

    private static func steps(_ reader: MemberReader) -> [AgentStep]? {
        switch one(of: deeds, reader, "answer") {
        case "reply": return reader.string("reply", isEmptyAllowed: true).flatMap { reply($0, reader) }.map { [$0] }
        case "fail": return reader.string("fail").map { [.fail($0)] }
        case "script": return script(reader)
        default: return nil
        }
    }

    private static func script(_ reader: MemberReader) -> [AgentStep]? {
        guard let elements = reader.array("script") else { return nil }
        guard (1...maxSteps).contains(elements.count) else {
            reader.collector.note(
                reader.pointer.appending("script"), "\(elements.count) steps", expected: "1 to \(maxSteps) steps",
                fix: elements.isEmpty ? "add a step such as {\"reply\": \"hello\"}" : "shorten it")
            return nil
        }
        var steps: [AgentStep] = []
        for (index, element) in elements.enumerated() {
            guard let members = MemberReader(element.value, at: element.pointer, into: reader.collector),
                let step = step(members)
            else { continue }
            if step.isLast, index < elements.count - 1 {
                reader.collector.note(
                    element.pointer, "steps follow that are never reached", expected: "a reply or failure at the end",
                    fix: "remove what follows, or make it a rule of its own")
            }
            steps.append(step)
        }
        if steps.last?.isLast != true { steps.append(.reply("You said: \(AgentStep.placeholder)")) }
        return steps
    }

    private static func step(_ reader: MemberReader) -> AgentStep? {
        guard let kind = one(of: kinds, reader, "step") else { return nil }
        reader.refuseUnknown(besides: kind == "tool" ? ["tool", "input"] : [kind])
        switch kind {
        case "tool":
            guard let tool = reader.string("tool") else { return nil }
            guard tool.utf8.count <= 256 else {
                return reader.wrong("tool", .string(tool), "a name of at most 256 bytes")
            }
            return .tool(tool, input: reader.value("input"))
        case "wait": return reader.integer("wait", in: 0...AgentStep.maxWaitMs).map { .wait($0) }
        case "reply": return reader.string("reply", isEmptyAllowed: true).flatMap { reply($0, reader) }
        default: return reader.string("fail").map { .fail($0) }
        }
    }

    private static func reply(_ text: String, _ reader: MemberReader) -> AgentStep? {
        guard text.utf8.count <= AgentStep.maxAnswerBytes / 2 else {
            return reader.wrong("reply", .string(text), "a text of at most \(AgentStep.maxAnswerBytes / 2) bytes")
        }
        return .reply(text)
    }
}

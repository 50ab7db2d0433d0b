import HoldfastJSON
import HoldfastJSONSchema

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
    package init(always text: String) { otherwise = [.reply(text)] }

    /// Whether it is the echo alone.
    package var isEcho: Bool { rules.isEmpty && otherwise == nil }

    /// Reads a file of replies; its shape is `Spec/schemas/files/replies.json`.
    ///
    /// - Throws: Every problem of the file at once, each with its line.
    package init(_ text: String, file: String) throws(InputProblems) {
        self = try MemberReader.read(
            Array(text.utf8), file: file, schema: .replies, expected: "a file of replies", RepliesReader.replies)
    }

    /// Reads the same from a value that has no lines, such as a member of a request.
    package init(_ value: JSONValue, named name: String) throws(InputProblems) {
        try self.init(value.text(pretty: true), file: name)
    }
}

/// Reads rules, conditions and steps.
private enum RepliesReader {
    static func replies(_ reader: MemberReader) -> Replies {
        var replies = Replies()
        replies.rules = Rules(reader.objects("replies").compactMap(rule))
        replies.otherwise = reader.members("default").map(steps)
        return replies
    }

    private static func rule(_ reader: MemberReader) -> Rule? {
        guard let condition = condition(reader) else { return nil }
        var rule = Rule(.question, .script, times: reader.integer("times"))
        rule.condition = condition
        rule.steps = steps(reader)
        return rule
    }

    private static func condition(_ reader: MemberReader) -> TextCondition? {
        if let text = reader.string("is") { return .exactly(text.lowercased()) }
        if let text = reader.string("contains") { return .containing(text.lowercased()) }
        let text = reader.text("matches")
        do {
            return .matching(try Pattern(text))
        } catch {
            reader.collector.note(
                reader.pointer.appending("matches"), "'\(clipped(text))' is not a regular expression: \(error)",
                expected: "a regular expression as in JSON Schema", fix: "correct it, or use 'contains'")
            return nil
        }
    }

    private static func steps(_ reader: MemberReader) -> [AgentStep] {
        guard reader.value("script") != nil else { return [step(reader)] }
        let elements = reader.objects("script")
        var steps = elements.map(step)
        for (element, step) in zip(elements, steps).dropLast() where step.isLast {
            reader.collector.note(
                element.pointer, "the steps after it are never reached", expected: "a reply or failure at the end",
                fix: "remove them, or put them in a separate rule")
        }
        if steps.last?.isLast != true { steps.append(.reply("You said: \(AgentStep.placeholder)")) }
        return steps
    }

    private static func step(_ reader: MemberReader) -> AgentStep {
        if let tool = reader.string("tool") {
            return .tool(bounded(tool, "tool", 256, reader), input: reader.value("input"))
        }
        if let wait = reader.integer("wait") { return .wait(wait) }
        if let reason = reader.string("fail") { return .fail(reason) }
        return .reply(bounded(reader.text("reply"), "reply", AgentStep.maxAnswerBytes / 2, reader))
    }

    /// A text, of which a schema counts the characters.
    private static func bounded(_ text: String, _ key: String, _ most: Int, _ reader: MemberReader) -> String {
        if text.utf8.count > most {
            let _: Never? = reader.wrong(key, .string(text), "a text of at most \(most) bytes")
        }
        return text
    }
}

/// What an agent does next about a question.
package enum AgentStep: Sendable, Equatable {
    /// It uses a tool, with what it gives to it.
    case tool(String, input: JSONValue?)
    /// It thinks, for so many milliseconds.
    case wait(Int)
    /// It answers, and is done.
    case reply(String)
    /// It gives up, with the reason.
    case fail(String)

    /// The longest wait a script may ask for: ten minutes.
    package static let maxWaitMs = 600_000
    /// The longest answer, in bytes of its JSON text; with its frame around it, it fits into a message (ENV-9) and a page.
    package static let maxAnswerBytes = 983_040
    /// In `{question}` a reply repeats what was asked.
    package static let placeholder = "{question}"

    /// Whether a turn ends with it.
    var isLast: Bool {
        switch self {
        case .reply, .fail: true
        case .tool, .wait: false
        }
    }
}

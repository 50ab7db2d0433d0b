import HoldfastJSON
import HoldfastJSONSchema

/// An agent's configured replies; a script in the question takes precedence.
///
/// The first rule whose condition the question satisfies applies. A rule may be limited, so that a question fails once
/// and succeeds when it is asked again.
package struct Replies: Sendable {
    package var rules = Rules()
    /// The steps for all other questions; nil to echo.
    package var otherwise: [AgentStep]?

    package init() {}

    package init(always text: String) { otherwise = [.reply(text)] }

    package var isEcho: Bool { rules.isEmpty && otherwise == nil }

    /// Reads a file of replies; the format is `Spec/schemas/files/replies.json`.
    ///
    /// - Throws: All problems of the file, with lines.
    package init(_ text: String, file: String) throws(InputProblems) {
        self = try MemberReader.read(
            Array(text.utf8), file: file, schema: .replies, expected: "a file of replies", RepliesReader.replies)
    }

    /// Reads replies from a value without lines, such as a member of a request.
    package init(_ value: JSONValue, named name: String) throws(InputProblems) {
        try self.init(value.text(pretty: true), file: name)
    }
}

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

    /// A text with a limit that a schema can express only in characters.
    private static func bounded(_ text: String, _ key: String, _ most: Int, _ reader: MemberReader) -> String {
        if text.utf8.count > most {
            let _: Never? = reader.wrong(key, .string(text), "a text of at most \(most) bytes")
        }
        return text
    }
}

package enum AgentStep: Sendable, Equatable {
    /// Use a tool with this input.
    case tool(String, input: JSONValue?)
    /// Think for a number of milliseconds.
    case wait(Int)
    /// Answer, and finish.
    case reply(String)
    /// Fail with this reason.
    case fail(String)

    package static let maxWaitMs = 600_000
    /// The longest answer, as bytes of JSON text; with its frame, it fits into a message (ENV-9) and a page.
    package static let maxAnswerBytes = 983_040
    /// In a reply, this is replaced by the question.
    package static let placeholder = "{question}"

    var isLast: Bool {
        switch self {
        case .reply, .fail: true
        case .tool, .wait: false
        }
    }
}

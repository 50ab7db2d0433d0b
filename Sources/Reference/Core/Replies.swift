import JSONSchema

/// What the agent answers to which questions; a script in the question itself goes before all of it.
///
/// The first rule whose condition a question meets is followed. A rule may be good for some times only, so that a question
/// fails once and is answered when it is asked again.
package struct Replies: Sendable {
    /// Which questions a rule is for.
    enum Condition: Sendable {
        /// Those that say just this, whatever the case and the blanks around it.
        case exactly(String)
        /// Those that have this in them, whatever the case.
        case containing(String)
        /// Those that match; matching takes time in proportion to the text, whatever the pattern.
        case matching(Pattern)
    }

    /// A condition, and what the agent does then.
    struct Rule: Sendable {
        let condition: Condition
        let steps: [Agent.Step]
        /// How often it is still followed; nil for always.
        var times: Int?
    }

    /// In `{question}` a reply repeats what was asked.
    static let placeholder = "{question}"
    /// How much of a question is looked at, in characters.
    static let maxMatchedCharacters = 10_000

    var rules: [Rule] = []
    /// What is done about all other questions; nil for the echo.
    var otherwise: [Agent.Step]?

    package init() {}

    /// One answer to all questions.
    package init(always text: String) {
        otherwise = [.reply(text)]
    }

    /// Whether it is the echo alone.
    package var isEcho: Bool { rules.isEmpty && otherwise == nil }

    /// What is done about a question; nil for the echo.
    ///
    /// A rule that is good for some times has been used then.
    mutating func steps(for question: String) -> [Agent.Step]? {
        let seen = String(question.prefix(Self.maxMatchedCharacters))
        let plain = seen.lowercased()
        for index in rules.indices where rules[index].times != 0 && rules[index].condition.holds(for: seen, plain) {
            if let times = rules[index].times { rules[index].times = times - 1 }
            return Self.filled(rules[index].steps, for: question)
        }
        return otherwise.map { Self.filled($0, for: question) }
    }

    private static func filled(_ steps: [Agent.Step], for question: String) -> [Agent.Step] {
        steps.map { step in
            guard case .reply(let text) = step, text.contains(placeholder) else { return step }
            let whole = text.replacing(placeholder, with: Agent.quoted(question) ?? "something very long")
            return whole.utf8.count <= Agent.maxAnswerBytes / 2
                ? .reply(whole) : .fail("the answer is longer than \(Agent.maxAnswerBytes / 2) bytes")
        }
    }
}

extension Replies.Condition {
    fileprivate func holds(for question: String, _ plain: String) -> Bool {
        switch self {
        case .exactly(let text):
            String(
                plain.trimmingPrefix(while: \.isWhitespace).reversed().trimmingPrefix(while: \.isWhitespace).reversed())
                == text
        case .containing(let text): plain.contains(text)
        case .matching(let pattern): pattern.matches(question)
        }
    }
}

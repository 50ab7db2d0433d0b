import Holdfast
import HoldfastJSON

/// The agent of the reference server: follows a script in the question, and echoes plain text.
///
/// A script is the JSON text `{"script":[{"tool":"webFetch"},{"wait":300},{"reply":"text"}]}`, or one that ends with
/// `{"fail":"model exploded"}`. A server with a real model would call it here, and nothing else would change.
enum Agent {
    typealias Step = AgentStep
    /// In characters.
    static let maxEchoCharacters = 400

    /// The agent's response to a question: any number of tools and waits, then exactly one reply or failure.
    ///
    /// A script in the question takes precedence over the configured replies.
    static func steps(for question: String, among replies: inout Replies) -> [Step] {
        guard question.first == "{", let root = try? JSONParser.value(question),
            case .array(let script)? = root["script"]
        else { return replies.steps(for: question) ?? [.reply(answer(to: question))] }
        var steps: [Step] = []
        for element in script {
            guard let step = step(element) else {
                return [.fail("the script holds a step that is none of tool, wait, reply and fail")]
            }
            steps.append(step)
            switch step {
            case .reply(let text) where JSONValue.string(text).text().utf8.count > Step.maxAnswerBytes:
                steps[steps.count - 1] = .fail("the answer is longer than \(Step.maxAnswerBytes) bytes")
                return steps
            case .reply, .fail: return steps
            case .tool, .wait: continue
            }
        }
        return steps + [.reply(answer(to: question))]
    }

    static func step(_ element: JSONValue) -> Step? {
        if let tool = element.text("tool"), !tool.isEmpty, tool.utf8.count <= 256 {
            return .tool(tool, input: element["input"])
        }
        if let wait = element["wait"]?.intValue, wait >= 0 { return .wait(min(wait, Step.maxWaitMs)) }
        if let reply = element.text("reply") { return .reply(reply) }
        if let reason = element.text("fail") { return .fail(reason) }
        return nil
    }

    static func answer(to question: String) -> String {
        guard !question.isEmpty else { return "You said nothing." }
        return quoted(question).map { "You said: \($0)" } ?? "You said something very long."
    }

    /// The question as an answer quotes it; nil if it is too long, because a character has no maximum length.
    static func quoted(_ question: String) -> String? {
        let echo = question.prefix(maxEchoCharacters)
        guard echo.utf8.count <= Step.maxAnswerBytes / 8 else { return nil }
        return "\(echo)\(echo.endIndex == question.endIndex ? "" : "…")"
    }
}

extension Replies {
    /// The steps for a question; nil to echo it.
    ///
    /// Uses up one application of the matching rule, if the rule is limited.
    mutating func steps(for question: String) -> [Agent.Step]? {
        let steps = rules.rule(for: Rule.Arrival(question: question))?.steps ?? otherwise
        return steps?.map { step in
            guard case .reply(let text) = step, text.contains(AgentStep.placeholder) else { return step }
            let whole = text.replacing(AgentStep.placeholder, with: Agent.quoted(question) ?? "something very long")
            return whole.utf8.count <= AgentStep.maxAnswerBytes / 2
                ? .reply(whole) : .fail("the answer is longer than \(AgentStep.maxAnswerBytes / 2) bytes")
        }
    }
}

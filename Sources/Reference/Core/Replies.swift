import Holdfast

extension Replies {
    /// What is done about a question; nil for the echo.
    ///
    /// A rule that is good for some times has been used then.
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

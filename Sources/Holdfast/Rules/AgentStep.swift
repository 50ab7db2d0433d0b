import HoldfastJSON

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
    /// The longest answer, in bytes of its JSON text; with its frame around it, it stays below 1,000,000 (ENV-17).
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

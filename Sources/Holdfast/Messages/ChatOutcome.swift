import HoldfastJSON

/// What a response to `POST /api/chat` says of its question.
package enum ChatOutcome: Sendable {
    /// Its turn ended with an answer.
    case answered
    /// Its turn ended with an error.
    case failed
    /// It started no turn.
    case refused
    /// Nothing, as if the response was lost.
    case unknown

    /// Reads a response: a 5xx without the name of a turn or a question may be a gateway's, which knows neither.
    package init(status: Int, body: JSONValue?) {
        func names(_ member: String) -> Bool { body?[member]?.stringValue != nil }
        self =
            switch status {
            case 200...299: .answered
            case _ where names("turnId"): .failed
            case 400...499: .refused
            case _ where names("clientMessageId"): .refused
            default: .unknown
            }
    }
}

import HoldfastJSON

/// The outcome of a question according to the response to `POST /api/chat`.
package enum ChatOutcome: Sendable {
    /// The turn ended with an answer.
    case answered
    /// The turn ended with an error.
    case failed
    /// No turn was started.
    case refused
    /// The response does not say; treat it as lost.
    case unknown

    /// Classifies a response: a 5xx that names neither turn nor question may come from a gateway.
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

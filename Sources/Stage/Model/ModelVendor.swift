/// Whose interface a request to the model speaks.
enum ModelVendor: Sendable, Hashable {
    /// `POST /v1/chat/completions`.
    case openAI
    /// `POST /v1/messages`.
    case anthropic
}

import HoldfastJSON

struct ModelRequest: Sendable {
    /// The name of the requested model; answers repeat it.
    var model: String
    var isStreaming: Bool
    /// Whether a streamed answer ends with the number of tokens (OpenAI's `stream_options.include_usage`).
    var includesUsage: Bool
    /// The texts of the last message that a user wrote: one, or one for each part.
    var prompt: [String]
    var toolResults: Int
    /// By name, in their order.
    var tools: [String]
    /// Tokens are estimated from it.
    var bytes: Int

    /// - Throws: `badRequest` with what is missing or wrong, in the words of the vendor's form.
    init(_ body: JSONValue, of vendor: ModelVendor, bytes: Int) throws(ModelProblem) {
        guard body.objectValue != nil else { throw .badRequest("the body is not a JSON object") }
        guard let model = body["model"]?.stringValue, !model.isEmpty else {
            throw .badRequest("model: a name is required")
        }
        guard let messages = body["messages"]?.arrayValue, !messages.isEmpty else {
            throw .badRequest("messages: at least one message is required")
        }
        if vendor == .anthropic, (body["max_tokens"]?.intValue ?? 0) < 1 {
            throw .badRequest("max_tokens: a number from 1 is required")
        }
        self.model = model
        self.bytes = bytes
        isStreaming = body["stream"]?.boolValue ?? false
        includesUsage = body["stream_options"]?["include_usage"]?.boolValue ?? false
        tools = (body["tools"]?.arrayValue ?? []).compactMap { tool in
            (vendor == .openAI ? tool["function"]?["name"] : tool["name"])?.stringValue
        }
        prompt = []
        toolResults = 0
        for (index, message) in messages.enumerated() {
            guard let role = message["role"]?.stringValue else {
                throw .badRequest("messages.\(index).role: a role is required")
            }
            let texts = Self.texts(of: message["content"])
            if role == "tool" {
                toolResults += 1
            } else if role == "user" {
                toolResults += Self.results(in: message["content"])
                guard !texts.isEmpty else { continue }
                prompt = texts
                toolResults = 0
            }
        }
    }

    private static func texts(of content: JSONValue?) -> [String] {
        if let text = content?.stringValue { return [text] }
        return (content?.arrayValue ?? []).filter { $0["type"]?.stringValue == "text" }
            .compactMap { $0["text"]?.stringValue }
    }

    private static func results(in content: JSONValue?) -> Int {
        (content?.arrayValue ?? []).count { $0["type"]?.stringValue == "tool_result" }
    }
}

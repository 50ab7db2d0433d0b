import HoldfastJSON

/// One answer of the model, before it gets a vendor's form.
struct ModelAnswer: Sendable {
    enum Output: Sendable {
        case text(String)
        case tool(String, input: JSONValue)
    }

    let output: Output
    let model: String
    let includesUsage: Bool
    let name: String
    /// An estimate, at least 1: one token per four bytes.
    let inputTokens: Int
    let outputTokens: Int

    /// The answer to a request; nil if the script tells the model to fail.
    init?(to request: ModelRequest, _ act: ModelScript.Act) {
        let size: Int
        switch act {
        case .tool(let tool, let input):
            output = .tool(tool, input: input)
            size = tool.utf8.count + input.text().utf8.count
        case .answer(let text):
            output = .text(text)
            size = text.utf8.count
        case .failure: return nil
        }
        model = request.model
        includesUsage = request.includesUsage
        name = String(UInt64.random(in: .min ... .max), radix: 36)
        inputTokens = request.bytes / 4 + 1
        outputTokens = size / 4 + 1
    }

    /// A text in about this many pieces, cut between characters.
    static func pieces(of text: String, about count: Int = 8) -> [String] {
        var rest = text[...]
        var pieces: [String] = []
        let size = max(4, text.count / count)
        while !rest.isEmpty {
            pieces.append(String(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return pieces
    }
}

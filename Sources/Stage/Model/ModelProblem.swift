import HoldfastJSON
import HoldfastTransport

enum ModelProblem: Error, Sendable, Equatable {
    case badRequest(String)
    case notFound(String)
    case wrongMethod(String)
    /// The body is larger than this many bytes.
    case tooLarge(Int)
    case scripted(String)

    var words: String {
        switch self {
        case .badRequest(let words), .scripted(let words): words
        case .notFound(let request): "there is nothing at \(request)"
        case .wrongMethod(let request): "\(request) is not allowed; the method is POST"
        case .tooLarge(let bytes): "the body is larger than \(bytes) bytes"
        }
    }

    func response(for vendor: ModelVendor) -> HTTPServerResponse {
        var response = HTTPServerResponse.json(body(for: vendor).text(), status: status(for: vendor))
        // The vendors' own packages repeat a failed request unless this header forbids it; a script fails once.
        response.headers.append(("x-should-retry", "false"))
        return response
    }

    private func status(for vendor: ModelVendor) -> Int {
        switch self {
        case .badRequest: 400
        case .notFound: 404
        case .wrongMethod: 405
        case .tooLarge: 413
        case .scripted: vendor == .openAI ? 500 : 529
        }
    }

    private func body(for vendor: ModelVendor) -> JSONValue {
        switch vendor {
        case .openAI:
            let type = if case .scripted = self { "server_error" } else { "invalid_request_error" }
            return ["error": ["message": .string(words), "type": .string(type), "param": nil, "code": nil]]
        case .anthropic:
            let type =
                switch self {
                case .badRequest, .wrongMethod: "invalid_request_error"
                case .notFound: "not_found_error"
                case .tooLarge: "request_too_large"
                case .scripted: "overloaded_error"
                }
            return ["type": "error", "error": ["type": .string(type), "message": .string(words)]]
        }
    }
}

import HoldfastJSON
import HoldfastTransport

struct ModelHandler: TransportHandler {
    static let maxBodyBytes = 16 << 20

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        let path = request.path.hasPrefix("/v1/") ? String(request.path.dropFirst(3)) : request.path
        let requestLine = "\(request.method) \(request.path.prefix(200))"
        switch path {
        case "/chat/completions": return await answer(request, .openAI, requestLine)
        case "/messages": return await answer(request, .anthropic, requestLine)
        case "/models" where request.method == "GET": return .json(Self.models(for: Self.vendor(of: request)).text())
        default: return ModelProblem.notFound(requestLine).response(for: Self.vendor(of: request))
        }
    }

    private func answer(
        _ request: HTTPServerRequest, _ vendor: ModelVendor, _ requestLine: String
    ) async -> HTTPServerResponse {
        do throws(ModelProblem) {
            guard request.method == "POST" else { throw .wrongMethod(requestLine) }
            guard request.body.count <= Self.maxBodyBytes else { throw .tooLarge(Self.maxBodyBytes) }
            guard let body = try? JSONParser.value(String(decoding: request.body, as: UTF8.self)) else {
                throw .badRequest("the body is not JSON")
            }
            let request = try ModelRequest(body, of: vendor, bytes: request.body.count)
            let script = ModelScript(for: request)
            let answer = ModelAnswer(to: request, script.act)
            if request.isStreaming, let answer {
                return vendor == .openAI
                    ? OpenAIForm.stream(answer, afterMs: script.waitMs)
                    : AnthropicForm.stream(answer, afterMs: script.waitMs)
            }
            if script.waitMs > 0 { try? await Task.sleep(for: .milliseconds(script.waitMs)) }
            guard let answer else { throw .scripted(script.failure ?? "") }
            return .json((vendor == .openAI ? OpenAIForm.whole(answer) : AnthropicForm.whole(answer)).text())
        } catch {
            return error.response(for: vendor)
        }
    }

    /// The vendor of the package that sent a request, if the path does not show it.
    private static func vendor(of request: HTTPServerRequest) -> ModelVendor {
        request.header("anthropic-version") == nil ? .openAI : .anthropic
    }

    private static func models(for vendor: ModelVendor) -> JSONValue {
        let name = "scripted-1"
        switch vendor {
        case .openAI:
            return [
                "object": "list",
                "data": [["id": .string(name), "object": "model", "created": 1_767_225_600, "owned_by": "holdfast"]],
            ]
        case .anthropic:
            let model: JSONValue = [
                "type": "model", "id": .string(name), "display_name": "Scripted",
                "created_at": "2026-01-01T00:00:00Z",
            ]
            return ["data": [model], "has_more": false, "first_id": .string(name), "last_id": .string(name)]
        }
    }
}

/// A model that follows scripts, behind the interfaces of two vendors, in place of a real model.
///
/// A server need not change if the base URL of its model can be set: with OpenAI's packages to the endpoint's HTTP URL
/// and `/v1`, with Anthropic's to the URL alone. The endpoint stores nothing and ignores API keys.
package enum ModelEndpoint {
    /// Starts to listen.
    ///
    /// * `port`: 0 for any free one.
    /// - Throws: `cannotListen` if the address is not free.
    package static func start(
        host: String = "127.0.0.1", port: Int = 0
    ) async throws(TransportProblem) -> TransportServer {
        // Larger bodies than the handler accepts must reach it, so that it can refuse them in the vendor's words.
        let limits = ServerLimits(maxBodyBytes: 2 * ModelHandler.maxBodyBytes, requestTimeout: .seconds(700))
        return try await TransportServer.start(host: host, port: port, limits: limits, handler: ModelHandler())
    }
}

enum ModelVendor: Sendable, Hashable {
    /// `POST /v1/chat/completions`.
    case openAI
    /// `POST /v1/messages`.
    case anthropic
}

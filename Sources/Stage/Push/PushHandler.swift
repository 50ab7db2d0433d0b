import HoldfastBasics
import HoldfastJSON
import HoldfastTransport

/// Answers requests the way Apple's push service does.
struct PushHandler: TransportHandler {
    let registry: PushRegistry

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        let reply = PushReply(to: request)
        guard let device = Self.device(in: request.path) else {
            registry.noteStray(excerpt(request.method), excerpt(request.path), status: 404)
            return reply.response(404)
        }
        let shown = "/3/device/‹a token of \(device.utf8.count) bytes›"
        guard request.method == "POST" else {
            registry.noteStray(excerpt(request.method), shown, status: 405)
            return reply.response(405)
        }
        switch registry.destination(of: device, session: Self.session(in: request.body)) {
        case .route(let route, let principal): return await route.take(request, reply, of: principal)
        case .late: return reply.response(200)
        case .unknown:
            registry.noteStray("POST", shown, status: 400)
            return reply.response(400, reason: "BadDeviceToken")
        }
    }

    static func device(in path: String) -> String? {
        let prefix = "/3/device/"
        guard path.hasPrefix(prefix) else { return nil }
        let device = path.dropFirst(prefix.count)
        return device.isEmpty || device.contains("/") ? nil : String(device)
    }

    private static func session(in body: [UInt8]) -> String? {
        guard let text = String(utf8: body) else { return nil }
        return (try? JSONParser.document(text).root)?["sessionId"]?.stringValue
    }
}

/// Makes the answers to one request, with the `apns-id` of the request or a new one.
struct PushReply: Sendable {
    static let maxPayloadBytes = 4096

    let id: String

    /// The default response: that of Apple's service to such a request.
    static func usual(for request: HTTPServerRequest, topic: String?) -> PushRoute.Outcome {
        if request.body.count > maxPayloadBytes { return .status(413, reason: nil) }
        if request.body.isEmpty { return .status(400, reason: "PayloadEmpty") }
        if let topic, request.header("apns-topic") != topic {
            return .status(400, reason: request.header("apns-topic") == nil ? "MissingTopic" : "TopicDisallowed")
        }
        return .status(200, reason: nil)
    }

    init(to request: HTTPServerRequest) { id = request.header("apns-id") ?? UniqueName.uuid() }

    func response(_ status: Int, reason: String? = nil) -> HTTPServerResponse {
        guard status >= 300 else { return HTTPServerResponse(status: status, headers: [("apns-id", id)]) }
        var body: JSONValue = ["reason": .string(reason ?? Self.defaultReason(status))]
        if status == 410 { body["timestamp"] = JSONValue(WallClock.milliseconds()) }
        var response = HTTPServerResponse.json(body.text(), status: status)
        response.headers.append(("apns-id", id))
        return response
    }

    private static func defaultReason(_ status: Int) -> String {
        switch status {
        case 403: "InvalidProviderToken"
        case 404: "BadPath"
        case 405: "MethodNotAllowed"
        case 410: "Unregistered"
        case 413: "PayloadTooLarge"
        case 429: "TooManyRequests"
        case 503: "ServiceUnavailable"
        default: "InternalServerError"
        }
    }
}

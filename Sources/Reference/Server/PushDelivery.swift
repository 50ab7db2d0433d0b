import HoldfastJSON
import HoldfastTransport

/// Sends notices to the push service, over HTTP/1.1.
struct PushDelivery: Sendable {
    private static let maxAnswerBytes = 64 << 10

    private let base: Endpoint
    private let path: String
    private let topic: String
    private let patience: Duration

    /// - Throws: `badURL`, for a base that cannot be connected to.
    init(_ service: PushService, seconds: Int) throws(TransportProblem) {
        base = try Endpoint(service.url)
        path = String(base.path.reversed().drop { $0 == "/" }.reversed())
        topic = service.topic
        patience = .seconds(seconds)
    }

    func send(_ notice: PushNotice, to device: String) async -> PushOutcome {
        var headers = notice.headers
        headers["apns-topic"] = topic
        headers["content-type"] = "application/json"
        let request = HTTPRequestSpec(
            "POST", base.at("\(path)/3/device/\(device)"),
            headers: headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, body: Array(notice.payload.utf8))
        do {
            let answer = try await HTTPExchange.perform(
                request, maxBodyBytes: Self.maxAnswerBytes, timeout: patience)
            let reason = (try? JSONParser.value(answer.text))?.text("reason")
            return .answered(status: answer.status, reason: reason)
        } catch {
            if case .late = error.code { return .late }
            return .lost
        }
    }
}

package struct PushService: Sendable {
    /// The base URL of the push service, such as `https://api.push.apple.com`.
    package var url: String
    package var topic: String
    package var devices: [(principal: String, token: String)]

    package init(url: String, topic: String, devices: [(principal: String, token: String)]) {
        (self.url, self.topic, self.devices) = (url, topic, devices)
    }
}

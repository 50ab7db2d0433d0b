import JSON
import Transport

/// Brings one notice to the push service, over HTTP/1.1.
struct PushDelivery: Sendable {
    /// How long the push service may take; the real one answers within a second.
    private static let patience = Duration.seconds(10)
    /// How long a broken server waits that lets turns wait for it.
    private static let endlessPatience = Duration.seconds(600)
    private static let maxAnswerBytes = 64 << 10

    private let base: Endpoint
    private let path: String
    private let topic: String
    private let patience: Duration

    /// - Throws: `badURL`, for a base that cannot be connected to.
    init(_ service: PushService, defects: Set<Defect>) throws(TransportProblem) {
        base = try Endpoint(service.url)
        path = String(base.path.reversed().drop { $0 == "/" }.reversed())
        topic = service.topic
        patience = defects.contains(.pushHoldsUpTheTurn) ? Self.endlessPatience : Self.patience
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
            let reason = (try? JSONParser.value(answer.text))?["reason"]?.stringValue
            return .answered(status: answer.status, reason: reason)
        } catch {
            if case .late = error.code { return .late }
            return .lost
        }
    }
}

import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastPlatform
import HoldfastTranscript
import HoldfastTransport

/// The pushes of one scenario: answers them as configured, records them, and offers them to its waits.
final class PushRoute: Sendable {
    typealias Outcome = ScenarioStep.PushAnswer.Outcome

    private struct State {
        var answers = PushAnswers()
        var principalsMissingPushes: Set<String> = []
    }

    /// Device tokens by the principals' names in the scenario.
    let devices: [String: String]
    private let mailboxes: [String: Mailbox]
    private let recorder: Recorder
    private let registry: PushRegistry
    private let state = Mutex(State())
    private let closed = Latch<Void>()

    /// Opens a route, and records the principals whose pushes it receives from now on.
    init(devices: [String: String], at registry: PushRegistry, recorder: Recorder) {
        (self.devices, self.registry, self.recorder) = (devices, registry, recorder)
        mailboxes = devices.mapValues { _ in Mailbox() }
        for principal in devices.keys.sorted() {
            recorder.note(.act("listen", ["principal": .string(principal)]), on: .push)
        }
        registry.open(self, devices: devices)
    }

    // MARK: steps

    /// Sets the answers to the next pushes; a second call takes effect when the answers of the first are used up.
    func queue(_ answer: ScenarioStep.PushAnswer, at pointer: JSONPointer) {
        state.withLock { $0.answers.add(answer, at: pointer) }
    }

    func next(
        for principal: String, within limit: Duration, where matches: (JSONValue) -> Bool
    ) async -> JSONValue? {
        let push = await mailboxes[principal]?.take([Self.mailType], within: limit, where: matches)
        if push == nil { state.withLock { _ = $0.principalsMissingPushes.insert(principal) } }
        return push
    }

    /// The first configured answer that was not used although every awaited push arrived, in words.
    var unused: String? {
        state.withLock { state in
            state.answers.unused(except: state.principalsMissingPushes).map {
                "\($0.pointer): no push to \($0.principal) arrived, so this answer was never used"
            }
        }
    }

    func close(sessions: Set<String>) {
        registry.close(self, sessions: sessions)
        for mailbox in mailboxes.values { mailbox.end() }
        closed.set(())
    }

    // MARK: pushes

    private static let mailType = "push"

    func take(_ request: HTTPServerRequest, _ reply: PushReply, of principal: String) async -> HTTPServerResponse {
        let outcome = state.withLock { $0.answers.next(for: principal) }
        if let tokenState = outcome.flatMap(Self.tokenState), let device = devices[principal] {
            registry.note(tokenState, of: device)
        }
        switch outcome ?? PushReply.usual(for: request, topic: registry.topic) {
        case .status(let status, let reason):
            let response = reply.response(status, reason: reason)
            deliver(request, of: principal, then: .response(Self.seen(response)))
            return response
        case .close:
            deliver(request, of: principal, then: .act("close", ["principal": .string(principal)]))
            return .hangUp
        case .hang:
            deliver(request, of: principal, then: .act("hang", ["principal": .string(principal)]))
            _ = await closed.wait()
            return .hangUp
        }
    }

    private func deliver(_ request: HTTPServerRequest, of principal: String, then end: Event.Kind) {
        let body = String(decoding: request.body, as: UTF8.self)
        let seen = Event.Request(
            method: request.method, path: "/3/device/\(principal)", principal: principal,
            headers: request.headers.compactMap { name, value in
                let name = name.lowercased()
                guard name.hasPrefix("apns-") || name == "content-type" else { return nil }
                return Event.Header(name: name, value: value)
            }, body: body)
        guard recorder.record(together: [.request(seen), end], on: .push) else { return }
        guard let push = try? JSONParser.document(body).root else { return }
        mailboxes[principal]?.add(push, as: Self.mailType)
    }

    private static func seen(_ response: HTTPServerResponse) -> Event.Response {
        Event.Response(
            status: response.status, headers: response.headers.map { Event.Header(name: $0.0, value: $0.1) },
            body: String(decoding: response.body, as: UTF8.self))
    }

    /// Nil if the outcome is not a refusal.
    private static func tokenState(after outcome: Outcome) -> PushSink.TokenState? {
        switch outcome {
        case .status(410, _), .status(400, "BadDeviceToken"), .status(400, "DeviceTokenNotForTopic"): .refused
        case .status(300..., _): .doubtful
        case .status: nil
        case .hang, .close: .doubtful
        }
    }
}

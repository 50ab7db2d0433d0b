import Holdfast
import HoldfastJSON
import HoldfastReference
import HoldfastStage
import HoldfastTranscript

// The push service: accepts pushes, unless a step set another response.
extension World {
    /// The first push to a principal that no wait has taken yet and that matches.
    func takePush(to principal: String, _ matches: (JSONValue) -> Bool) -> JSONValue? {
        let letters = pushLetters[principal] ?? []
        guard let index = letters.firstIndex(where: { $0.map(matches) ?? false }) else { return nil }
        pushLetters[principal]?[index] = nil
        return letters[index]
    }

    func pushed(to device: String, _ notice: PushNotice, life: Int) {
        let (turn, body) = (notice.turn, notice.payload)
        guard !isOver, let principal = principals.first(where: { $0.value.device == device })?.key else {
            return report(turn, device, .answered(status: 400, reason: "BadDeviceToken"), life: life)
        }
        var headers = notice.headers
        headers["apns-topic"] = configuration.push?.topic ?? ""
        headers["content-type"] = "application/json"
        let seen = headers.sorted { $0.key < $1.key }.map { Event.Header(name: $0.key.lowercased(), value: $0.value) }
        note(
            .request(
                Event.Request(
                    method: "POST", path: "/3/device/\(principal)", principal: principal,
                    headers: seen, body: body)), on: .push)
        if let push = try? JSONParser.document(body).root { pushLetters[principal, default: []].append(push) }
        switch pushAnswers.next(for: principal) ?? .status(body.utf8.count > 4096 ? 413 : 200, reason: nil) {
        case .status(let status, let reason):
            let refusal = status < 300 ? nil : reason ?? "Unregistered"
            let said = refusal.map { (["reason": .string($0)] as JSONValue).text() } ?? ""
            var headers = seen.filter { $0.name == "apns-id" }
            if status >= 300 { headers.append(Event.Header(name: "content-type", value: "application/json")) }
            note(.response(Event.Response(status: status, headers: headers, body: said)), on: .push)
            report(turn, device, .answered(status: status, reason: refusal), life: life)
        case .close:
            note(act: "close", ["principal": .string(principal)], on: .push)
            report(turn, device, .lost, life: life)
        case .hang:
            note(act: "hang", ["principal": .string(principal)], on: .push)
            after(10_000_000) { world in
                if world.life == life { world.feed(.pushed(turn: turn, device: device, .late)) }
            }
        }
    }

    private func report(_ turn: String, _ device: String, _ outcome: PushOutcome, life: Int) {
        after(delay()) { world in
            guard world.life == life else { return }
            world.feed(.pushed(turn: turn, device: device, outcome))
        }
    }
}

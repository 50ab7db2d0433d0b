import Holdfast
import HoldfastJSON
import HoldfastTranscript

// The push service: takes what comes, unless a step asked for something else.
extension World {
    /// An answer that a step asked for.
    struct PushProgram {
        let principal: String
        let outcome: ScenarioStep.PushAnswer.Outcome
        var rest: Int
    }

    func program(_ answer: ScenarioStep.PushAnswer) {
        pushPrograms.append(PushProgram(principal: answer.principal, outcome: answer.outcome, rest: answer.times))
    }

    /// The first push to a principal that no wait has taken yet and that matches.
    func takePush(to principal: String, _ matches: (JSONValue) -> Bool) -> JSONValue? {
        let letters = pushLetters[principal] ?? []
        guard let index = letters.firstIndex(where: { $0.map(matches) ?? false }) else { return nil }
        pushLetters[principal]?[index] = nil
        return letters[index]
    }

    /// A request to the push service arrived.
    func pushed(to device: String, _ turn: String, _ headers: [(String, String)], _ body: String, life: Int) {
        guard !isOver, let principal = principals.first(where: { $0.value.device == device })?.key else {
            return report(turn, device, status: 400, reason: "BadDeviceToken", life: life)
        }
        let topic = ("apns-topic", configuration.push?.topic ?? "")
        let seen = (headers + [topic, ("content-type", "application/json")]).sorted { $0.0 < $1.0 }
        note(
            .request(
                Event.Request(
                    method: "POST", path: "/3/device/\(principal)", principal: principal,
                    headers: seen.map { Event.Header(name: $0.0.lowercased(), value: $0.1) }, body: body)), on: .push)
        var outcome = ScenarioStep.PushAnswer.Outcome.status(body.utf8.count > 4096 ? 413 : 200, reason: nil)
        if let index = pushPrograms.firstIndex(where: { $0.principal == principal && $0.rest > 0 }) {
            pushPrograms[index].rest -= 1
            outcome = pushPrograms[index].outcome
        }
        if let push = try? JSONParser.document(body).root { pushLetters[principal, default: []].append(push) }
        switch outcome {
        case .status(let status, let reason):
            let said = status < 300 ? "" : (["reason": .string(reason ?? "Unregistered")] as JSONValue).text()
            var headers = seen.filter { $0.0 == "apns-id" }.map { Event.Header(name: $0.0, value: $0.1) }
            if status >= 300 { headers.append(Event.Header(name: "content-type", value: "application/json")) }
            note(.response(Event.Response(status: status, headers: headers, body: said)), on: .push)
            report(turn, device, status: status, reason: status < 300 ? nil : reason ?? "Unregistered", life: life)
        case .close:
            note(act: "close", ["principal": .string(principal)], on: .push)
            report(turn, device, status: nil, reason: nil, life: life)
        case .hang:
            note(act: "hang", ["principal": .string(principal)], on: .push)
            after(10_000_000) { world in
                if world.life == life { world.tell(.pushedInVain(turn: turn, device: device)) }
            }
        }
    }

    private func report(_ turn: String, _ device: String, status: Int?, reason: String?, life: Int) {
        after(delay()) { world in
            guard world.life == life else { return }
            world.tell(.pushed(turn: turn, device: device, status: status, reason: reason))
        }
    }
}

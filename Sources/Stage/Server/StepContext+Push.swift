import Holdfast
import HoldfastJSON
import HoldfastTranscript

extension StepContext {
    func pushAnswer(_ answer: ScenarioStep.PushAnswer) throws {
        try route(of: answer.principal).queue(answer, at: pointer)
    }

    func awaitPush(_ awaited: ScenarioStep.AwaitPush) async throws {
        let matches = try matching(awaited.conditions)
        let what = "push to \(awaited.principal)"
        var push = try await route(of: awaited.principal).next(
            for: awaited.principal, within: performer.limit(awaited.bound.within), where: matches)
        if push == nil, !awaited.bound.isOptional, !Task.isCancelled, let session = awaited.conditions["/sessionId"] {
            recorder.note(.wait(awaited: what, met: false), on: .push)
            // The silence breaks PUSH-1 only if the answer is known to be stored.
            if let session = session.stringValue {
                _ = try await request(
                    "GET", "/api/sessions/\(filledPath(session))", .init(principal: awaited.principal), body: nil,
                    within: performer.limit("rest"))
            }
            push = try await route(of: awaited.principal).next(
                for: awaited.principal, within: performer.limit("push"), where: matches)
        }
        guard let push else {
            try missed(what, on: .push, isOptional: awaited.bound.isOptional)
            return try noteMissing(awaited.save, of: what)
        }
        try save(awaited.save, from: push, of: "push", on: .push)
    }

    private func route(of principal: String) throws -> PushRoute {
        guard let route = performer.pushRoute, route.devices[principal] != nil else {
            let isKnown = performer.principals[principal]?.device != nil
            throw StepEnd.outOfReach(
                isKnown
                    ? "the push service refused the device of \(principal) before; give more principals with devices"
                    : "no device token of \(principal) is known; give --device \(principal)=TOKEN")
        }
        return route
    }
}

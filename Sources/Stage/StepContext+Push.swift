import Holdfast
import JSON
import Transcript

extension StepContext {
    func pushAnswer(_ answer: ScenarioStep.PushAnswer) throws {
        try route(of: answer.principal).program(answer, at: place)
    }

    func awaitPush(_ awaited: ScenarioStep.AwaitPush) async throws {
        let push = try await route(of: awaited.principal).next(
            for: awaited.principal, within: performer.limit(awaited.bound.within),
            where: try matching(awaited.conditions))
        guard let push else {
            return try missed("push to \(awaited.principal)", on: .push, isOptional: awaited.bound.isOptional)
        }
        try save(awaited.save, from: push.document?.root, of: "push", on: .push)
    }

    private func route(of principal: String) throws -> PushRoute {
        guard let route = performer.pushRoute, route.devices[principal] != nil else {
            throw StepEnd.unsuitable("no device token of \(principal) is known; give --device \(principal)=TOKEN")
        }
        return route
    }
}

import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// One step of a client scenario at the moment it is performed.
package struct ClientStepContext<Scene: ClientScene> {
    let performer: Scene
    package let pointer: JSONPointer
    let local: ScenarioVariables
    /// Whether the steps around it say what is new, as they do for branches that run together.
    let keepsMark: Bool

    package init(performer: Scene, pointer: JSONPointer, local: ScenarioVariables, keepsMark: Bool) {
        (self.performer, self.pointer, self.local, self.keepsMark) = (performer, pointer, local, keepsMark)
    }

    /// The step as problems name it.
    var location: String { "\(performer.scenario.name) \(pointer)" }

    // MARK: rules

    package func add(_ rule: Rule) throws {
        var rule = rule
        rule.session = try rule.session.map { try filled($0) }
        let ready = rule
        performer.act { $0.add(ready) }
    }

    package func release(_ release: ClientRelease) throws {
        var release = release
        release.session = try release.session.map { try filled($0) }
        let ready = release
        guard performer.act({ $0.release(ready) }) || release.isOptional else {
            performer.record(.wait(awaited: "\(release.comes.rawValue) to release", met: false), on: .client)
            throw StepEnd.unmet("\(pointer): nothing is held back for '\(release.comes.rawValue)'")
        }
    }

    // MARK: references

    func filled(_ text: String) throws -> String {
        guard ScenarioVariables.refers(text) else { return text }
        do {
            return try performer.variables(with: local).text(text)
        } catch {
            throw end(filling: error)
        }
    }

    func filled(_ value: JSONValue) throws -> JSONValue {
        if case .string(let text) = value, !ScenarioVariables.refers(text) { return value }
        do {
            return try performer.variables(with: local).value(value)
        } catch {
            throw end(filling: error)
        }
    }

    /// What belongs to a question has no value before the question came, and that is the client's doing.
    private func end(filling problem: ScenarioVariables.Problem) -> StepEnd {
        if case .unknown(let name, _) = problem, ClientScenarioReader.isOfAQuestion(name) {
            return .unmet("\(pointer): no question came that sets '\(name)'")
        }
        return .harness(HarnessProblem(filling: problem, at: location))
    }

    /// The number of a turn: given, by the name of its question, or the latest.
    func turn(_ value: JSONValue?) throws -> Int {
        guard let value else { return performer.act { $0.latestTurn } }
        let filled = try filled(value)
        if let number = filled.intValue ?? filled.stringValue.flatMap({ Int($0) }) { return number }
        let name = filled.stringValue ?? ""
        if let number = performer.turn(of: name) { return number }
        throw StepEnd.unmet("\(pointer): no question '\(name.prefix(60))' came that would have a turn")
    }
}

extension ClientStepContext: Sendable where Scene: Sendable {}

extension ClientStepContext where Scene == ClientPerformer {
    var server: ScriptedServer { performer.server }
    var recorder: Recorder { performer.recorder }

    func perform(_ action: ClientStep.Action) async throws {
        switch action {
        case .person(let act): try await self.act(act)
        case .when(let rule): try add(rule)
        case .release(let it): try release(it)
        case .server(let deed): try self.deed(deed)
        case .await(let awaited): try await self.await(awaited)
        case .awaitState(let awaited): try await self.awaitState(awaited)
        case .watch(let watch): try await self.watch(watch)
        case .rest(let rest): try await self.rest(rest)
        case .together(let branches):
            if !keepsMark { performer.setMark() }
            try await performTogether(branches) { try await performer.perform($0, with: local, keepsMark: true) }
        case .repeat(let times, let counter, let steps):
            for number in 0..<times {
                var inner = local
                inner[counter] = JSONValue(number + 1)
                try await performer.perform(steps, with: inner, keepsMark: keepsMark)
            }
        case .everyOrder(let before, let groups, let after):
            for (number, order) in ClientStep.orders(of: groups.count).enumerated() {
                var inner = local
                inner["order"] = JSONValue(number + 1)
                for steps in [before] + order.map({ groups[$0] }) + [after] {
                    try await performer.perform(steps, with: inner, keepsMark: keepsMark)
                }
            }
        }
    }
}

extension ClientStepContext where Scene == ClientPerformer {
    /// Performs a part of bringing rest about.
    private func rest(_ rest: ClientRest) async throws {
        let session = performer.isRunning ? try await performer.look(at: pointer)["sessionId"]?.stringValue : nil
        for deed in performer.serve(rest, onScreen: session) { try self.deed(deed) }
        switch rest {
        case .hear: if let heard = performer.heard(onScreen: session) { try await awaitState(heard) }
        case .compare(let given):
            guard performer.hasTimeToLook, let session = given ?? session, let whole = performer.compared(session)
            else { return }
            try await awaitState(whole)
        default:
            let steps = performer.steps(of: rest, onScreen: session)
            try await performer.perform(steps.filter { !performer.subject.refuses($0) }, with: local)
        }
    }
}

extension ClientSubject {
    /// Whether its driver does not obey the command of a step.
    fileprivate func refuses(_ step: ClientStep) -> Bool {
        guard case .person(let act) = step.action else { return false }
        return unsupported.contains(act.verb)
    }
}

extension ClientStep {
    /// Every order of so many things, the given one first.
    package static func orders(of count: Int) -> [[Int]] {
        guard count > 0 else { return [[]] }
        return (0..<count).flatMap { first in
            orders(of: count - 1).map { rest in [first] + rest.map { $0 < first ? $0 : $0 + 1 } }
        }
    }
}

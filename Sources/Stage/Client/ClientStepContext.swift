import Holdfast
import HoldfastJSON
import HoldfastTranscript

package struct ClientStepContext<Scene: ClientScene> {
    let performer: Scene
    package let pointer: JSONPointer
    let local: ScenarioVariables
    /// Whether enclosing steps set the mark, as for simultaneous branches.
    let keepsMark: Bool

    package init(performer: Scene, pointer: JSONPointer, local: ScenarioVariables, keepsMark: Bool) {
        (self.performer, self.pointer, self.local, self.keepsMark) = (performer, pointer, local, keepsMark)
    }

    /// The step's name in problems.
    var location: String { "\(performer.scenario.name) \(pointer)" }

    // MARK: rules

    func add(_ rule: Rule) throws {
        var rule = rule
        rule.session = try rule.session.map { try filled($0) }
        let ready = rule
        performer.act { $0.add(ready) }
    }

    func release(_ release: ClientRelease) throws {
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

    /// A name that belongs to a question has no value before the client sends the question.
    private func end(filling problem: ScenarioVariables.Problem) -> StepEnd {
        if case .unknown(let name, _) = problem, ClientScenarioReader.isQuestionVariable(name) {
            return .unmet("\(pointer): no question came that sets '\(name)'")
        }
        return .harness(HarnessProblem(filling: problem, at: location))
    }

    /// The number of a turn: as given, by the name of its question, or the latest.
    func turn(_ value: JSONValue?) throws -> Int {
        guard let value else { return performer.act { $0.latestTurn } }
        let filled = try filled(value)
        if let number = filled.intValue ?? filled.stringValue.flatMap({ Int($0) }) { return number }
        let name = filled.stringValue ?? ""
        if let number = performer.turn(of: name) { return number }
        throw StepEnd.unmet("\(pointer): no question '\(name.prefix(60))' came, so it has no turn")
    }
}

extension ClientStepContext: Sendable where Scene: Sendable {}

/// The remaining work of a step, after its references are filled in and its immediate effects have happened.
package enum ClientTask {
    case done
    case person(ClientAct)
    case arrival(AwaitedArrival)
    case state(AwaitedState)
    case watch(Duration)
    case rest(IdleStep)
    case together([[ClientStep]])
    /// Steps that are performed one after another, each group with its own values.
    case steps([(steps: [ClientStep], local: ScenarioVariables)])
}

extension ClientStepContext {
    package func begin(_ action: ClientStep.Action) throws -> ClientTask {
        switch action {
        case .person(let act):
            if !keepsMark { performer.setMark() }
            return .person(act)
        case .when(let rule): try add(rule)
        case .release(let it): try release(it)
        case .server(let action): try self.action(action)
        case .await(let awaited): return .arrival(try filled(awaited))
        case .awaitState(let awaited): return .state(try filled(awaited))
        case .watch(.bound(let name)): return .watch(performer.limit(name))
        case .watch(.milliseconds(let milliseconds)): return .watch(.milliseconds(milliseconds))
        case .rest(let rest): return .rest(rest)
        case .together(let branches):
            if !keepsMark { performer.setMark() }
            return .together(branches)
        case .repeat(let times, let counter, let steps):
            return .steps((0..<times).map { (steps, local(with: $0 + 1, as: counter)) })
        case .everyOrder(let before, let groups, let after):
            let orders = ClientStep.orders(of: groups.count).enumerated()
            return .steps(
                orders.map { number, order in
                    (before + order.flatMap { groups[$0] } + after, local(with: number + 1, as: "order"))
                })
        }
        return .done
    }

    private func local(with number: Int, as name: String) -> ScenarioVariables {
        var inner = local
        inner[name] = JSONValue(number)
        return inner
    }

    package func begin(_ rest: IdleStep, onScreen session: String?) throws -> ClientTask {
        for action in performer.serve(rest, onScreen: session) { try self.action(action) }
        let awaited: AwaitedState?
        switch rest {
        case .hear: awaited = performer.expectedState(onScreen: session)
        case .compare(let given): awaited = (given ?? session).flatMap(performer.compared)
        default: return .steps([(performer.steps(of: rest, onScreen: session), local)])
        }
        return try awaited.map { .state(try filled($0)) } ?? .done
    }
}

extension ClientStepContext where Scene == ClientPerformer {
    var server: ScriptedServer { performer.server }
    var recorder: Recorder { performer.recorder }

    func perform(_ task: ClientTask) async throws {
        switch task {
        case .done: break
        case .person(let act): try await self.act(act)
        case .arrival(let awaited): try await self.await(awaited)
        case .state(let awaited): try await awaitState(awaited)
        case .watch(let time): try await watch(time)
        case .rest(let rest):
            if case .compare = rest, !performer.hasTimeForSession { return }
            let screen = performer.isRunning ? try await performer.readScreen(at: pointer) : nil
            try await perform(begin(rest, onScreen: screen["sessionId"]?.stringValue))
        case .together(let branches):
            try await performTogether(branches) { try await performer.perform($0, with: local, keepsMark: true) }
        case .steps(let groups):
            for (steps, local) in groups {
                let steps = steps.filter { !performer.subject.refuses($0) }
                try await performer.perform(steps, with: local, keepsMark: keepsMark)
            }
        }
    }
}

extension ClientSubject {
    fileprivate func refuses(_ step: ClientStep) -> Bool {
        guard case .person(let act) = step.action else { return false }
        return unsupported.contains(act.verb)
    }
}

extension ClientStep {
    /// All permutations of the indices below a count, in lexicographic order.
    static func orders(of count: Int) -> [[Int]] {
        guard count > 0 else { return [[]] }
        return (0..<count).flatMap { first in
            orders(of: count - 1).map { rest in [first] + rest.map { $0 < first ? $0 : $0 + 1 } }
        }
    }
}

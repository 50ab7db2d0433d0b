import Holdfast
import HoldfastExplore
import HoldfastReport
import HoldfastStage

/// A life of a client: one app on one phone, and how its rounds are drawn.
package struct LifeOfClient: Sendable {
    private let life: Life
    private let drawn: ClientLife
    private let opening: ClientScenario
    private let explored: Explored
    private let stage: ClientStage

    /// A life of a client from a seed; `tell` gets what is found, at once.
    package init(
        of subject: ClientSubject, at location: String, seed: UInt64, for time: LifeTime,
        under specification: Specification, telling tell: @escaping @Sendable (String) -> Void
    ) throws {
        let drawn = ClientLife(
            ClientGrammar(profiles: subject.profiles, disturbing: [], without: subject.unsupported), seed: seed)
        life = Life(
            of: .client, seed: seed, for: time, under: specification, drawing: { drawn.next() }, telling: tell)
        self.drawn = drawn
        var opening = try drawn.plan(of: []).clientScenario()
        opening.name = life.name
        self.opening = opening
        explored = Explored(subject, at: location, under: specification)
        stage = ClientStage(subject: subject, specification: specification)
    }

    /// Lives it, until `stop` returns at the latest.
    ///
    /// * `keep`: Keeps a small scenario that breaks a clause, and gives the command that runs it.
    func run(
        until stop: Stop?, showing show: ProgressDisplay?, keeping keep: ((ClauseID, String) throws -> String)?
    ) async -> (result: ScenarioResult, wasInterrupted: Bool, diagnostics: [String]) {
        let end = show?({ [life] in life.progress })
        defer { end?() }
        let (performance, _) = await cancelling(at: stop) { await stage.live(opening, by: life.script) }
        let result = await life.result(performance)
        if let keep, !performance.wasInterrupted, result.verdicts.contains(where: { $0.outcome == .violation }) {
            await life.shrink(
                result, on: explored.stage, making: { rounds, _ in drawn.plan(of: rounds) }, keeping: keep)
        }
        return (
            result, performance.wasInterrupted,
            drawn.summary.map { "\(life.name): \($0)" } + [[performance].lateness].compactMap(\.self)
        )
    }
}

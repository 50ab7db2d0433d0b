import Holdfast
import HoldfastBasics
import HoldfastExplore
import HoldfastPlatform
import HoldfastReport
import HoldfastStage

/// A life of a server: who takes part, and how its rounds are drawn.
package struct ServerLife: Sendable {
    package let life: Life
    private let subject: ServerSubject
    private let specification: Specification
    private let needs: Scenario.Needs
    private let drawing: Drawing
    private let skipsCrashes: Bool

    /// So many people take part where there are as many.
    private static let people = 5

    /// The drawing, which grows with each round.
    private final class Drawing: Sendable {
        let value: Mutex<LifeDrawing>
        init(_ drawing: LifeDrawing) { value = Mutex(drawing) }
    }

    /// A life of a server from a seed; `tell` gets what is found, at once.
    package init(
        of subject: ServerSubject, seed: UInt64, for time: LifeTime, under specification: Specification,
        skipsCrashes: Bool = false, telling tell: @escaping @Sendable (String) -> Void
    ) {
        (self.subject, self.specification, self.skipsCrashes) = (subject, specification, skipsCrashes)
        var grammar = PlanGrammar(
            profiles: subject.profiles, disturbing: [], startsServer: subject.start != nil && !skipsCrashes)
        grammar.isAlone = false
        grammar.longestWatch = 400
        grammar.principals = min(Self.people, subject.principals.count)
        let limit = subject.greeting?["limits"]?["messagesPerMinute"]?.intValue ?? subject.limits["messagesPerMinute"]
        let rate = limit.map { Double($0) / Double(max(1, subject.stated("rateWindowSeconds"))) }
        // An agent that obeys no scripts takes its time.
        let drawing = Drawing(
            LifeDrawing(
                grammar, seed: seed, rate: subject.hasScriptedAgent ? rate : min(rate ?? 1, 1),
                largestFrame: subject.greeting?["limits"]?["maxFrameBytes"]?.intValue ?? 1 << 20))
        self.drawing = drawing
        var needs = Scenario.Needs()
        (needs.keys, needs.start) = (true, grammar.startsServer)
        needs.principals = subject.profiles.contains(.auth) ? grammar.principals : 1
        self.needs = needs
        life = Life(
            of: .server, seed: seed, for: time, under: specification,
            drawing: { drawing.value.withLock { $0.round() } }, telling: tell)
    }

    /// Lives it, until `stop` returns at the latest.
    ///
    /// * `keep`: Keeps a small scenario that breaks a clause, and gives the command that runs it.
    /// - Throws: Why the server could not be started, where nothing else is to be told of it.
    func run(
        until stop: Stop?, isAlone: Bool, showing show: ProgressDisplay?,
        keeping keep: ((ClauseID, String) throws -> String)?
    ) async throws(SuiteProblem) -> (result: ScenarioResult, wasInterrupted: Bool, diagnostics: [String]) {
        let end = show?({ [life] in life.progress })
        let stage = ServerStage(subject: subject, specification: specification)
        let (lived, _) = await cancelling(at: stop) { [life, needs] in await stage.live(life.script, needs: needs) }
        var performance = lived.performance
        // A server that does not start is no fault of the suite.
        if let problem = performance.problems.first(where: \.isUnreachable) {
            guard !isAlone else {
                end?()
                throw SuiteProblem(.unreachable, problem.description)
            }
            (performance.problems, performance.stoppedAt) = ([], problem.description)
        }
        let result = await life.result(performance)
        if let keep, !lived.performance.wasInterrupted, result.verdicts.contains(where: { $0.outcome == .violation }) {
            let explored = Explored(subject, under: specification, skipsCrashes: skipsCrashes)
            let drawing = drawing.value.withLock { $0 }
            await life.shrink(
                result, on: explored.stage,
                making: { drawing.plan(of: $0, named: life.name, after: $1) }, keeping: keep)
        }
        end?()
        return (
            result, lived.performance.wasInterrupted,
            diagnostics(lived) + [[lived.performance].lateness].compactMap(\.self)
        )
    }

    /// How far it came, and what kept it from coming further.
    private func diagnostics(_ lived: LifePerformance) -> [String] {
        guard lived.performance.skipped == nil else { return [] }
        let drawing = drawing.value.withLock { $0 }
        var words = ["\(life.name): \(counted(lived.rounds, "round"))"]
        if let first = lived.cuts.first { words.append("\(lived.cuts.count) cut short, the first at \(first)") }
        let short = LifeDrawing.Dimension.allCases.filter { dimension in
            drawing.reached[dimension, default: 0] < dimension.goal && drawing.canRaise(dimension)
        }
        words.append("\(drawing.pairs.met) of \(drawing.pairs.all) pairs of features met")
        var lines = [words.joined(separator: "; ")]
        if !short.isEmpty {
            let reached = short.map { "\($0.rawValue) \(drawing.reached[$0, default: 0]) of \($0.goal)" }
            lines.append("\(life.name) was too short for: " + reached.joined(separator: ", "))
        }
        if lived.waited > .seconds(1) {
            lines.append(
                "\(life.name) waited \(Life.words(lived.waited)) for the rate limit; raise messagesPerMinute, or add principals"
            )
        }
        if let first = lived.passedOver.first { lines.append("\(life.name) left out rounds: \(first)") }
        return lines
    }
}

import Dispatch
import Holdfast
import HoldfastJudge
import HoldfastPlatform
import HoldfastTranscript

/// Judges the traffic of a proxy whenever something completes, and reports each violation once.
///
/// It works on its own thread and never delays traffic. It reports a violation that two successive evaluations found:
/// an event can look different a moment later.
package final class LiveJudge: Sendable {
    /// A violation or a warning, with its evidence.
    package struct Report: Sendable {
        package let clause: Clause
        package let finding: Finding
        /// The part of the history that was judged.
        package let history: History
    }

    private struct Key: Hashable {
        let clause: ClauseID
        let event: Int?
        let what: String
    }

    private struct State {
        var isOver = false
        var reported: Set<Key> = []
        var suspected: Set<Key> = []
        /// How often the last evaluation exercised the suspected clauses.
        var doubted: [ClauseID: Int] = [:]
        var tally = ClauseTally()
        var last: WatchedEvents.Window?
        /// Another protocol in the traffic; then nothing is judged.
        var foreign: ForeignProtocol?
        /// Whether the last window was full, and waits for a second evaluation before it shrinks.
        var waits = false
        /// The profiles that greetings stated, if the user declared none.
        var stated: Set<Profile> = []
    }

    private let specification: Specification
    private let header: History.Header
    private let isUndeclared: Bool
    private let watched: WatchedEvents
    private let tell: @Sendable (Report) -> Void
    private let note: @Sendable (String) -> Void
    private let dialects: [Dialect]
    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)

    /// The most reported violations to remember; beyond that, only the counts grow.
    private static let most = 10_000

    init(
        _ header: History.Header, under specification: Specification, isUndeclared: Bool = false,
        watching watched: WatchedEvents, note: @escaping @Sendable (String) -> Void = { _ in },
        tell: @escaping @Sendable (Report) -> Void
    ) {
        self.note = note
        dialects = (try? specification.dialects()) ?? []
        (self.header, self.specification, self.isUndeclared) = (header, specification, isUndeclared)
        (self.watched, self.tell) = (watched, tell)
    }

    /// The result of each clause so far.
    var tally: ClauseTally { state.withLock { $0.tally } }

    var stated: Set<Profile> { state.withLock { $0.stated } }

    /// The other protocol in the traffic, if there is one.
    var foreign: ForeignProtocol? { state.withLock { $0.foreign } }

    func start() {
        let thread = DispatchQueue(label: "holdfast.proxy.judging")
        thread.async {
            while !self.state.withLock({ $0.isOver }) {
                self.watched.wait(atMost: 0.5)
                let begin = DispatchTime.now()
                self.look(isLast: false)
                // Judging uses at most a fifth of one processor.
                let cost = Double(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds) / 1e9
                if cost > 0.01, !self.state.withLock({ $0.isOver }) { self.pause(4 * cost) }
            }
            self.look(isLast: true)
            self.ended.signal()
        }
    }

    private func pause(_ seconds: Double) {
        let end = DispatchTime.now() + min(seconds, 30)
        while DispatchTime.now() < end, !state.withLock({ $0.isOver }) { watched.wait(atMost: 0.05) }
    }

    func finish() async {
        state.withLock { $0.isOver = true }
        watched.ring()
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                self.ended.wait()
                continuation.resume()
            }
        }
    }

    func look(isLast: Bool) {
        if state.withLock({ $0.waits }) { watched.letGoIfFull() }
        let window = watched.look()
        if let last = state.withLock({ $0.last }), last.generation != window.generation { leave(last, for: window) }
        let (isNew, hasSuspects) = state.withLock { ($0.last?.revision != window.revision, !$0.suspected.isEmpty) }
        guard isNew || hasSuspects || isLast else { return }
        let history = history(window)
        if header.dialect.isCanonical, let foreign = WireSample(history).foreign(among: dialects) {
            return pass(window, in: foreign)
        }
        let verdicts = judge(history, under: specification)
        let isFull = watched.isFull
        let (reports, isSure) = state.withLock { state in
            state.last = window
            let reports = take(verdicts, history, window.base, isLast: isLast, &state)
            state.waits = isFull && !state.suspected.isEmpty
            return (reports, state.suspected.isEmpty)
        }
        for report in reports { tell(report) }
        if isSure { watched.letGoIfFull() }
    }

    /// Lets another protocol pass unjudged, and reports it once.
    private func pass(_ window: WatchedEvents.Window, in foreign: ForeignProtocol) {
        let isNew = state.withLock { state in
            defer { (state.foreign, state.last) = (foreign, window) }
            return state.foreign == nil
        }
        if isNew { note("not judged: \(foreign.what)\n  fix: \(foreign.fix())") }
        watched.letGoIfFull()
    }

    private func history(_ window: WatchedEvents.Window) -> History {
        var header = header
        header.capture?.carried = window.carried
        if isUndeclared {
            let seen = window.events.statedProfiles
            header.subject.profiles.formUnion(
                state.withLock { state in
                    state.stated.formUnion(seen)
                    return state.stated
                })
        }
        return History(header: header, events: window.events)
    }

    /// Evaluates suspected violations again in a window that has since shrunk, and closes its count.
    private func leave(_ last: WatchedEvents.Window, for window: WatchedEvents.Window) {
        guard state.withLock({ !$0.suspected.isEmpty }) else { return state.withLock { $0.tally.closeWindow() } }
        let history = history(last.extended(by: window))
        let verdicts = judge(history, under: specification)
        let reports = state.withLock { state in
            var reports: [Report] = []
            for verdict in verdicts {
                guard let exercised = state.doubted[verdict.clause], let clause = specification[verdict.clause] else {
                    continue
                }
                guard verdict.outcome == .violation || verdict.outcome == .warning else {
                    // Later events cleared it.
                    state.tally.note(
                        verdict.clause, verdict.outcome, exercised: min(exercised, verdict.exercised))
                    continue
                }
                let found = verdict.findings.filter {
                    let key = key(verdict.clause, $0, last.base)
                    return state.suspected.contains(key) && remember(key, &state)
                }
                guard !found.isEmpty else { continue }
                reports += found.map { Report(clause: clause, finding: $0, history: history) }
                state.tally.note(verdict.clause, verdict.outcome, exercised: exercised)
            }
            state.suspected = []
            state.doubted = [:]
            state.tally.closeWindow()
            return reports
        }
        for report in reports { tell(report) }
    }

    private func key(_ clause: ClauseID, _ finding: Finding, _ base: Int) -> Key {
        Key(clause: clause, event: finding.cited.map { $0 + base }, what: finding.what)
    }

    /// - Returns: Whether it was not reported before.
    private func remember(_ key: Key, _ state: inout State) -> Bool {
        guard !state.reported.contains(key) else { return false }
        if state.reported.count < Self.most { state.reported.insert(key) }
        return true
    }

    private func take(
        _ verdicts: [Verdict], _ history: History, _ base: Int, isLast: Bool, _ state: inout State
    ) -> [Report] {
        var reports: [Report] = []
        var suspected: Set<Key> = []
        var doubted: [ClauseID: Int] = [:]
        for verdict in verdicts where verdict.outcome != .notApplicable {
            guard let clause = specification[verdict.clause] else { continue }
            guard verdict.outcome == .violation || verdict.outcome == .warning else {
                state.tally.note(verdict.clause, verdict.outcome, exercised: verdict.exercised)
                continue
            }
            var isTold = false
            for finding in verdict.findings {
                let key = key(verdict.clause, finding, base)
                if state.reported.contains(key) {
                    isTold = true
                } else if isLast || state.suspected.contains(key) {
                    isTold = true
                    _ = remember(key, &state)
                    reports.append(Report(clause: clause, finding: finding, history: history))
                } else {
                    suspected.insert(key)
                    doubted[verdict.clause] = verdict.exercised
                }
            }
            state.tally.note(
                verdict.clause, isTold ? verdict.outcome : .untested, exercised: isTold ? verdict.exercised : 0)
        }
        state.suspected = suspected
        state.doubted = doubted
        return reports
    }
}

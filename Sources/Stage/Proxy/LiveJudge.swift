import Dispatch
import Holdfast
import Judge
import Synchronization
import Transcript

/// Judges what passes through a proxy while it passes, whenever something came to rest, and tells each violation once.
///
/// It works on a thread of its own and never holds up what passes. A violation is told when two looks in a row found it: what
/// comes a moment later can put an event into another light.
public final class LiveJudge: Sendable {
    /// A violation or a warning, with the history that shows it.
    public struct Report: Sendable {
        /// What was broken.
        public let clause: Clause
        /// What was found.
        public let finding: Finding
        /// The part of the history that was looked at.
        public let history: History
    }

    private struct Key: Hashable {
        let clause: ClauseID
        let event: Int?
        let what: String
    }

    private struct State {
        var isOver = false
        var told: Set<Key> = []
        var suspected: Set<Key> = []
        var tally = ClauseTally()
        var revision = -1
    }

    private let specification: Specification
    private let header: History.Header
    private let watched: WatchedEvents
    private let tell: @Sendable (Report) -> Void
    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)

    /// The most violations that are remembered as told; beyond it only the counts grow.
    private static let most = 10_000

    init(
        _ header: History.Header, under specification: Specification, watching watched: WatchedEvents,
        tell: @escaping @Sendable (Report) -> Void
    ) {
        self.header = header
        self.specification = specification
        self.watched = watched
        self.tell = tell
    }

    /// What each clause came to so far.
    var tally: ClauseTally { state.withLock { $0.tally } }

    func start() {
        let thread = DispatchQueue(label: "holdfast.proxy.judging")
        thread.async {
            while !self.state.withLock({ $0.isOver }) {
                self.watched.wait(atMost: 0.5)
                let begin = DispatchTime.now()
                self.look(isLast: false)
                // Judging takes at most a fifth of one processor.
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

    /// Judges the rest and returns when that is done.
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

    private func look(isLast: Bool) {
        let window = watched.look()
        let (isNew, hasSuspects) = state.withLock { ($0.revision != window.revision, !$0.suspected.isEmpty) }
        guard isNew || hasSuspects || isLast else { return }
        var header = header
        header.capture?.carried = window.carried
        let history = History(header: header, events: window.events)
        let verdicts = judge(history, under: specification)
        let reports = state.withLock { state in
            state.revision = window.revision
            return take(verdicts, history, window.base, isLast: isLast, &state)
        }
        for report in reports { tell(report) }
        if watched.letGoIfFull() { state.withLock { $0.tally.closeWindow() } }
    }

    private func take(
        _ verdicts: [Verdict], _ history: History, _ base: Int, isLast: Bool, _ state: inout State
    ) -> [Report] {
        var reports: [Report] = []
        var suspected: Set<Key> = []
        for verdict in verdicts where verdict.outcome != .notApplicable {
            guard let clause = specification[verdict.clause] else { continue }
            guard verdict.outcome == .violation || verdict.outcome == .warning else {
                state.tally.note(verdict.clause, verdict.outcome, exercised: verdict.exercised)
                continue
            }
            var isTold = false
            for finding in verdict.findings {
                let key = Key(clause: verdict.clause, event: finding.cited.map { $0 + base }, what: finding.what)
                if state.told.contains(key) {
                    isTold = true
                } else if isLast || state.suspected.contains(key) {
                    isTold = true
                    if state.told.count < Self.most { state.told.insert(key) }
                    reports.append(Report(clause: clause, finding: finding, history: history))
                } else {
                    suspected.insert(key)
                }
            }
            state.tally.note(
                verdict.clause, isTold ? verdict.outcome : .untested, exercised: isTold ? verdict.exercised : 0)
        }
        state.suspected = suspected
        return reports
    }
}

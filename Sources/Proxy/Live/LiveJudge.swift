import Dispatch
import Holdfast
import HoldfastBasics
import HoldfastCaptures
import HoldfastJSON
import HoldfastJudge
import HoldfastPlatform
import HoldfastTranscript

/// Judges the traffic of a proxy in the same parts as a capture, and reports each violation once.
///
/// It works on its own thread and never delays traffic.
package final class LiveJudge: Sendable {
    package struct Report: Sendable {
        package let clause: Clause
        package let finding: Finding
        package let history: History
        /// Whether later events cleared it.
        package var isWithdrawn = false
    }

    private struct Inbox {
        var events: [Event] = []
        var bytes = 0
        /// Whether events were dropped before these.
        var hasGap = false
        var unjudged = 0
    }

    private struct State {
        var parts: CapturedParts
        var position = 0
        var known = KnownFindings()
        /// The history of the open part when it was last judged.
        var lastJudged: History?
        var tally = ClauseTally()
        var foreign: ForeignProtocol?
        /// The profiles that greetings stated, if the user declared none.
        var stated: Set<Profile>?
    }

    private let specification: Specification
    private let isUndeclared: Bool
    private let notify: @Sendable (Report) -> Void
    private let note: @Sendable (String) -> Void
    private let dialects: [Dialect]
    private let maxWaiting: Int
    private let inbox = Mutex(Inbox())
    private let state: Mutex<State>
    private let over = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// The maximum number of bytes of events that wait to be judged.
    private static let maxBytes = 16 << 20

    init(
        _ header: History.Header, under specification: Specification, isUndeclared: Bool = false,
        bounds: CapturedParts.Bounds = .init(soft: 1 << 18, hard: 1 << 22, softEvents: 2_000, hardEvents: 8_000),
        maxWaiting: Int = 8_000, note: @escaping @Sendable (String) -> Void = { _ in },
        notify: @escaping @Sendable (Report) -> Void
    ) {
        (self.specification, self.isUndeclared, self.maxWaiting) = (specification, isUndeclared, maxWaiting)
        (self.note, self.notify) = (note, notify)
        dialects = header.dialect.isCanonical ? (try? specification.dialects()) ?? [] : []
        var parts = CapturedParts(bounds: bounds)
        var tape = JSONTape()
        _ = parts.take(.header(header), capture: nil, in: &tape)
        state = Mutex(State(parts: parts))
    }

    var tally: ClauseTally { state.withLock { $0.tally } }

    var stated: Set<Profile> { state.withLock { $0.stated ?? [] } }

    var foreign: ForeignProtocol? { state.withLock { $0.foreign } }

    var unjudged: Int { inbox.withLock { $0.unjudged } }

    /// Takes an event; a judge that lags far behind drops the waiting events, but keeps the owners of connections.
    func add(_ event: Event) {
        inbox.withLock { inbox in
            inbox.events.append(event)
            inbox.bytes += event.size
            guard inbox.events.count > maxWaiting || inbox.bytes > Self.maxBytes else { return }
            let kept = inbox.events.compactMap(\.ownerEvent).suffix(maxWaiting / 2)
            inbox.unjudged += inbox.events.count - kept.count
            (inbox.events, inbox.bytes, inbox.hasGap) = (Array(kept), 0, true)
        }
    }

    func start() {
        DispatchQueue(label: "holdfast.proxy.judging").async { [self] in
            var next = ContinuousClock.now
            while over.wait(timeout: .now() + 0.2) == .timedOut {
                let start = ContinuousClock.now
                let isHurried = inbox.withLock { $0.events.count > maxWaiting / 2 || $0.bytes > Self.maxBytes / 2 }
                guard isHurried || start >= next else { continue }
                judgeNew(isLast: false, isHurried: isHurried)
                // Judging takes at most a fifth of the time, unless events would be dropped.
                next = .now + min(.seconds(30), (.now - start) * 4)
            }
            judgeNew(isLast: true)
            ended.signal()
        }
    }

    func finish() async {
        over.signal()
        await onDeepStack { [self] in ended.wait() }
    }

    /// Judges the parts that are complete now, and also the open one unless hurried.
    func judgeNew(isLast: Bool, isHurried: Bool = false) {
        let (events, hasGap) = inbox.withLock { inbox in
            defer { (inbox.events, inbox.bytes, inbox.hasGap) = ([], 0, false) }
            return (inbox.events, inbox.hasGap)
        }
        let reports = state.withLock { state in
            var reports: [Report] = []
            var tape = JSONTape()
            func take(_ item: CaptureItem) {
                guard let part = state.parts.take(item, capture: nil, in: &tape) else { return }
                reports += close(part, &state)
            }
            if hasGap { take(.gap) }
            for event in events {
                state.position += 1
                take(.event(event, CaptureLocation(line: state.position, offset: 0)))
            }
            if isHurried { return reports }
            var open = state.parts
            if let part = open.finish(capture: nil), isLast || !events.isEmpty {
                reports += isLast ? close(part, &state) : judgeOpen(part, &state)
            } else if let lastJudged = state.lastJudged {
                reports += self.reports(state.known.confirm(), in: lastJudged)
            }
            return reports
        }
        for report in reports { notify(report) }
    }

    /// Reports the new findings of a complete part, and withdraws reported ones that it does not confirm.
    private func close(_ part: CapturedParts.Part, _ state: inout State) -> [Report] {
        defer { (state.known, state.lastJudged) = (KnownFindings(), nil) }
        guard let (history, verdicts) = judged(part, &state) else { return [] }
        state.tally.add(verdicts)
        let (new, withdrawn) = state.known.close(part.locations, verdicts)
        return reports(new, in: history) + reports(withdrawn, in: history, isWithdrawn: true)
    }

    private func judgeOpen(_ part: CapturedParts.Part, _ state: inout State) -> [Report] {
        guard let (history, verdicts) = judged(part, &state) else { return [] }
        state.lastJudged = history
        return reports(state.known.update(part.locations, verdicts), in: history)
    }

    /// The verdicts on a part; nil if it uses another protocol, which is not judged and is reported once.
    private func judged(
        _ part: CapturedParts.Part, _ state: inout State
    ) -> (history: History, verdicts: [Verdict])? {
        if !dialects.isEmpty, let foreign = WireSample(part.history).foreign(among: dialects) {
            if state.foreign == nil { note("not judged: \(foreign.what)\n  fix: \(foreign.fix())") }
            state.foreign = foreign
            return nil
        }
        let history = isUndeclared ? part.history.declaring(&state.stated) : part.history
        return (history, judge(history, under: specification))
    }

    private func reports(_ found: [KnownFindings.Found], in history: History, isWithdrawn: Bool = false) -> [Report] {
        found.compactMap { id, finding in
            specification[id].map { Report(clause: $0, finding: finding, history: history, isWithdrawn: isWithdrawn) }
        }
    }
}

extension Event {
    /// The owner of the connection, if this event names it, as a separate act that outlives a dropped opening.
    fileprivate var ownerEvent: Event? {
        switch kind {
        case .opening(let asked): Event(at: at, lane: lane, kind: .act("belongs", ["to": .string(asked.principal)]))
        case .act("belongs", _): self
        default: nil
        }
    }
}

import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// Who was promised how many questions, and which of them were surely, or possibly, accepted when.
///
/// A server accepts a question at some moment between its sending and the first sign of it. So there are two counts: what
/// surely stood in a window, to say that a question was beyond the budget; and what may have stood there, to say that it
/// was not.
struct RateLedger {
    struct Entry {
        let turn: ObservedTurn
        let request: ObservedRequest
        /// Whether the same key had been asked before and not refused: a recovery, no new question.
        let isRepeat: Bool
        /// The first event that shows that it was accepted.
        let accepted: Int?

        /// The event that answers it, whichever way.
        var answered: Int? { [request.refusal, accepted].compactMap { $0 }.min() }
        let isLimited: Bool
    }

    let entries: [Entry]
    /// The window of the budget, in microseconds: 60 s, or the shorter one that the server tells or was configured with.
    let window: Int
    private let observations: Observations
    private let lent: [String: Int]
    private let byPrincipal: [String: [Entry]]
    /// What the greetings of each principal's connections told, in the order of time.
    private let budgets: [String: [(event: Int, limit: Int?)]]

    init(_ observations: Observations) {
        self.observations = observations
        entries = observations.questions.flatMap { turn -> [Entry] in
            let original = observations.original(of: turn)
            return turn.requests.map { request in
                let frames = request.event == original?.event ? turn.frames + turn.endings + turn.replayed : []
                let signs = [request.ack?.event, request.outcome, frames.map(\.event).min()].compactMap { $0 }
                return Entry(
                    turn: turn, request: request, isRepeat: request.event > original?.event ?? .max,
                    accepted: request.refusal == nil ? signs.filter { $0 > request.event }.min() : nil,
                    isLimited: Self.isLimited(request, observations))
            }
        }.sorted { $0.request.event < $1.request.event }
        byPrincipal = Dictionary(grouping: entries, by: \.request.principal)
        let greetings = observations.connections.compactMap { connection in
            connection.connected.map { (connection.principal, $0, connection.limit("messagesPerMinute")) }
        }
        budgets = Dictionary(grouping: greetings, by: \.0).mapValues { told in
            told.map { (event: $0.1, limit: $0.2) }.sorted { $0.event < $1.event }
        }
        let told = Self.limitErrors(observations).compactMap { $0["windowMs"]?.intValue }.filter { $0 > 0 }
        let configured = observations.history.header.subject.limits["rateWindowSeconds"].map { min($0, 60) * 1000 }
        window = min(told.min() ?? configured ?? 60_000, 60_000) * 1000
        var lent: [String: Int] = [:]
        for event in observations.history.events {
            guard event.lane == .server, case .act("lend", let details) = event.kind,
                let principal = details.string("principal")
            else { continue }
            lent[principal] = max(0, details["spent"]?.intValue ?? 0)
        }
        self.lent = lent
    }

    /// Every `error` that refuses a question for its rate, on any connection.
    static func limitErrors(_ observations: Observations) -> [Frame] {
        observations.received.filter { $0.type == "error" && $0.code == "rate_limited" }
    }

    private static func isLimited(_ request: ObservedRequest, _ observations: Observations) -> Bool {
        guard request.refusal != nil else { return false }
        guard case .exchange(let index) = request.origin else { return request.refusalCode == "rate_limited" }
        return observations.exchanges[index].status == 429
    }

    /// The budget that holds for a principal at an event; nil when nobody told it.
    func limit(of principal: String, at event: Int) -> Int? {
        let own = budgets[principal] ?? []
        let told = own[..<own.boundary { $0.event >= event }].last?.limit
        guard let limit = told ?? observations.history.header.subject.limits["messagesPerMinute"], limit > 0 else {
            return nil
        }
        return limit
    }

    /// Everything a principal asked before an event and after a moment, in the order of asking.
    func asked(by principal: String, before event: Int, after horizon: Int) -> ArraySlice<Entry> {
        let own = byPrincipal[principal] ?? []
        let end = own.boundary { $0.request.event >= event }
        return own[..<end][own[..<end].boundary { observations.time(of: $0.request.event) > horizon }...]
    }

    /// New questions that surely had been accepted, and had not left the window, when a question was decided at an event.
    ///
    /// A restart may empty a window; nothing says that it must not.
    func surelyCounted(before entry: Entry, decided: Int) -> [Entry] {
        let horizon = observations.time(of: decided) - window
        let asked = asked(by: entry.request.principal, before: entry.request.event, after: horizon)
        return asked.filter { other in
            guard !other.isRepeat, let accepted = other.accepted else { return false }
            return accepted < entry.request.event
                && !observations.wasStopped(between: other.request.event, and: decided)
        }
    }

    /// The most questions that can have stood in the window when a question was refused; nil when nobody knows what had
    /// been asked before the history began.
    func possiblyCounted(before entry: Entry, refused: Int, withRepeats: Bool) -> Int? {
        let principal = entry.request.principal
        let horizon = observations.time(of: entry.request.event) - window
        var count = 0
        if horizon < 0 {
            guard let spent = lent[principal] else { return nil }
            count += spent
        }
        for other in byPrincipal[principal] ?? [] where other.request.event < refused {
            guard other.request.event != entry.request.event, withRepeats || !other.isRepeat, !other.isLimited,
                other.request.refusal ?? .max > entry.request.event,
                other.accepted.map({ observations.time(of: $0) >= horizon }) ?? true
            else { continue }
            count += 1
        }
        return count
    }
}

extension RateLedger {
    /// A question with which more were accepted than any way of counting a budget allows.
    struct Excess {
        let entry: Entry
        /// The event that shows that it was not refused for its rate.
        let decided: Int
        /// The event that asked the first of the questions that it is too many for.
        let first: Int
        /// The most that may be accepted in so many windows in a row.
        let most: Int
        let windows: Int
    }

    /// The first such question on each transport; where no transport alone had too many, the first on all of them together.
    func excesses(in history: Observations) -> [Excess] {
        byPrincipal.sorted { $0.key < $1.key }.flatMap { _, own -> [Excess] in
            let roads = Dictionary(grouping: own) { $0.request.connection ?? -1 }.sorted { $0.key < $1.key }
            let alone = roads.compactMap { excess(among: $0.value, history) }
            return alone.isEmpty ? [excess(among: own, history)].compactMap { $0 } : alone
        }
    }

    /// The longest row of windows that is looked at: the longer it is, the less it adds to what the shorter ones say.
    private static let mostWindows = 4

    private func excess(among own: [Entry], _ history: Observations) -> Excess? {
        let taken = own.compactMap { entry in
            decision(on: entry, history).map { decided in
                (
                    entry: entry, decided: decided, begin: history.time(of: entry.request.event),
                    end: history.time(of: decided)
                )
            }
        }
        // Times alone, because each question is compared with all that follow it.
        let moments = taken.map { (begin: $0.begin, end: $0.end) }
        for windows in 1...Self.mostWindows {
            for place in taken.indices {
                let first = taken[place].entry.request
                guard let limit = limit(of: first.principal, at: first.event) else { continue }
                let (most, _) = limit.multipliedReportingOverflow(by: windows + 1)
                guard most > 0, moments.count - place > most else { break }
                let end = moments[place].begin + windows * window
                let within = moments.indices[place...].prefix { moments[$0].begin < end }.filter {
                    moments[$0].end < end
                }
                guard within.count > most, let last = firstBeyond(most, of: within.map { taken[$0] }) else { continue }
                guard !history.wasStopped(between: first.event, and: last.decided) else { continue }
                return Excess(
                    entry: last.entry, decided: last.decided, first: first.event, most: most, windows: windows)
            }
        }
        return nil
    }

    /// The first question that was decided when so many of them had been accepted.
    private func firstBeyond(
        _ most: Int, of questions: [(entry: Entry, decided: Int, begin: Int, end: Int)]
    ) -> (entry: Entry, decided: Int)? {
        var accepted = 0
        for question in questions.sorted(by: { $0.decided < $1.decided }) {
            if accepted >= most { return (question.entry, question.decided) }
            if question.entry.accepted != nil { accepted += 1 }
        }
        return nil
    }

    /// The event that shows that a new question was accepted, or refused without a reason of its own or its rate.
    private func decision(on entry: Entry, _ history: Observations) -> Int? {
        if entry.isRepeat || entry.isLimited { return nil }
        if let accepted = entry.accepted { return accepted }
        guard let refusal = entry.request.refusal, entry.request.refusalCode != "persist_failed" else { return nil }
        if let exchange = history.exchange(of: entry.request) {
            return exchange.status.map(Self.otherRefusals.contains) == false ? refusal : nil
        }
        return entry.request.refusalCode.map(ErrorMeaning.refusals.contains) == true ? nil : refusal
    }

    /// Statuses that refuse a request for what it is, whatever its rate.
    private static let otherRefusals: Set<Int> = [400, 401, 404, 409, 413, 415, 422]

    /// The last of the questions that had surely spent the budget when another one was asked, or by the event by which that
    /// had to be answered; nil when none did.
    func spender(before entry: Entry, by late: Int? = nil) -> Entry? {
        guard !entry.isRepeat, let limit = limit(of: entry.request.principal, at: entry.request.event) else {
            return nil
        }
        // A principal that asked fewer questions than its budget has not spent it.
        let asked = asked(by: entry.request.principal, before: entry.request.event, after: .min)
        guard asked.count >= limit else { return nil }
        let counted = surelyCounted(before: entry, decided: min(entry.answered ?? entry.request.event, late ?? .max))
        return counted.count >= limit ? counted.max { $0.accepted ?? 0 < $1.accepted ?? 0 } : nil
    }
}

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

    /// Whether two questions took the same transport: the same connection, or both REST.
    static func tookSameRoad(_ one: Entry, _ other: Entry) -> Bool {
        one.request.connection == other.request.connection
    }
}

extension RateLedger {
    /// A question that came when the budget was surely spent.
    struct Excess {
        let entry: Entry
        let limit: Int
        /// The last of those that spent it.
        let spender: Int
        /// Whether the questions on its own transport alone had spent it.
        let isOnOneTransport: Bool
    }

    /// Every such question, in the order of asking.
    func excesses(in history: Observations) -> [Excess] {
        entries.compactMap { entry in
            let decided = entry.answered ?? history.events.count - 1
            guard !entry.isRepeat, let limit = limit(of: entry.request.principal, at: entry.request.event) else {
                return nil
            }
            let counted = surelyCounted(before: entry, decided: decided)
            guard counted.count >= limit, let spender = counted.compactMap(\.accepted).max() else { return nil }
            let own = counted.count { RateLedger.tookSameRoad($0, entry) }
            return Excess(entry: entry, limit: limit, spender: spender, isOnOneTransport: own >= limit)
        }
    }

    /// Questions that were all asked and accepted within one window, and are more than the budget holds: in which order they
    /// were decided does not matter.
    func overflows(in history: Observations) -> [(limit: Int, first: Int, last: Int, accepted: Int)] {
        byPrincipal.sorted { $0.key < $1.key }.compactMap { principal, own in
            let taken = own.filter { !$0.isRepeat && $0.accepted != nil }
            for (place, first) in taken.enumerated() {
                guard let limit = limit(of: principal, at: first.request.event) else { continue }
                let end = history.time(of: first.request.event) + window
                let within = taken[place...].prefix { history.time(of: $0.request.event) < end }.filter {
                    $0.accepted.map { history.time(of: $0) < end } == true
                }
                guard let last = within.dropFirst(limit).first, let accepted = within.compactMap(\.accepted).max(),
                    !history.wasStopped(between: first.request.event, and: accepted)
                else { continue }
                return (limit, first.request.event, last.request.event, accepted)
            }
            return nil
        }
    }
}

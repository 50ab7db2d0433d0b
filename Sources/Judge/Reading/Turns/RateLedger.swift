import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// The budget announced to each principal, and the questions that were certainly, or possibly, accepted at each time.
///
/// A server accepts a question at some time between its sending and the first sign of acceptance. So there are two
/// counts: a lower bound proves that a question exceeded the budget, and an upper bound that it did not.
struct RateLedger {
    struct Entry {
        let turn: ObservedTurn
        let request: ObservedRequest
        /// Whether an earlier request with its key was not refused: a recovery, not a new question.
        let isRepeat: Bool
        let accepted: Int?

        var answered: Int? { earliest(request.refusal, accepted) }
        let isLimited: Bool
    }

    let entries: [Entry]
    /// The window of the budget, in microseconds: 60 s, or a shorter announced or configured one.
    let window: Int
    private unowned let observations: Observations
    private let spentBefore: [String: Int]
    private let byPrincipal: [String: [Entry]]
    private let budgets: [String: [(event: Int, limit: Int?)]]

    init(_ observations: Observations) {
        self.observations = observations
        entries = observations.questions.flatMap { turn -> [Entry] in
            let original = turn.original
            // Before its greeting a connection has no principal with a budget, unless its question was accepted.
            let counted = turn.requests.filter { request in
                guard let connection = request.connection.map({ observations.connections[$0] }) else { return true }
                return !connection.isWhole || connection.isGreeted(before: request.event)
                    || observations.acceptance(of: request, in: turn) != nil
            }
            return counted.map { request in
                Entry(
                    turn: turn, request: request, isRepeat: request.event > original?.event ?? .max,
                    accepted: observations.acceptance(of: request, in: turn),
                    isLimited: Self.isLimited(request, observations))
            }
        }.sorted { $0.request.event < $1.request.event }
        byPrincipal = Dictionary(grouping: entries, by: \.request.principal)
        let greetings = observations.connections.compactMap { connection in
            connection.connected.map { (connection.principal, $0, connection.limit("messagesPerMinute")) }
        }
        budgets = Dictionary(grouping: greetings, by: \.0).mapValues { stated in
            stated.map { (event: $0.1, limit: $0.2) }.sorted { $0.event < $1.event }
        }
        let stated = Self.limitErrors(observations).compactMap { $0["windowMs"]?.intValue }.filter { $0 > 0 }
        let configured = observations.subject.limits["rateWindowSeconds"].map { min($0, 60) * 1000 }
        window = min(stated.min() ?? configured ?? 60_000, 60_000) * 1000
        spentBefore = observations.history.events.reduce(into: [:]) { spent, event in
            guard event.lane == .server, case .act("lend", let details) = event.kind,
                let principal = details.string("principal")
            else { return }
            spent[principal] = max(0, details["spent"]?.intValue ?? 0)
        }
    }

    static func limitErrors(_ observations: Observations) -> [Frame] {
        observations.received.filter { $0.kind == .error && $0.code == "rate_limited" }
    }

    private static func isLimited(_ request: ObservedRequest, _ observations: Observations) -> Bool {
        guard request.refusal != nil else { return false }
        return observations.exchange(of: request).map { $0.status == 429 } ?? (request.refusalCode == "rate_limited")
    }

    /// The budget of a principal at an event, if it was announced or configured.
    func limit(of principal: String, at event: Int) -> Int? {
        let own = budgets[principal] ?? []
        let stated = own[..<own.boundary { $0.event >= event }].last?.limit
        return (stated ?? observations.subject.limits["messagesPerMinute"]).flatMap { $0 > 0 ? $0 : nil }
    }

    /// All questions of a principal before an event and after a time, in order.
    func asked(by principal: String, before event: Int, after horizon: Int) -> ArraySlice<Entry> {
        let own = byPrincipal[principal] ?? []
        let end = own.boundary { $0.request.event >= event }
        return own[..<end][own[..<end].boundary { observations.time(of: $0.request.event) > horizon }...]
    }

    /// New questions that certainly counted in the window when another question was decided at an event.
    ///
    /// A restart may empty a window; no clause forbids that.
    func surelyCounted(before entry: Entry, decided: Int) -> [Entry] {
        let horizon = observations.time(of: decided) - window
        let asked = asked(by: entry.request.principal, before: entry.request.event, after: horizon)
        return asked.filter { other in
            guard !other.isRepeat, let accepted = other.accepted else { return false }
            return accepted < entry.request.event
                && !observations.wasStopped(between: other.request.event, and: decided)
        }
    }

    /// The most questions that may have counted in the window at a refusal; nil if questions before the history are
    /// unknown.
    func possiblyCounted(before entry: Entry, refused: Int, withRepeats: Bool) -> Int? {
        let principal = entry.request.principal
        let horizon = observations.time(of: entry.request.event) - window
        var count = 0
        if horizon < 0 {
            guard let spent = spentBefore[principal] else { return nil }
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
    /// A question accepted beyond the budget by every way of counting.
    struct Excess {
        let entry: Entry
        /// The event that shows that it was not refused for its rate.
        let decided: Int
        /// The event of the first question in the excess.
        let first: Int
        /// The limit for that number of consecutive windows.
        let most: Int
        let windows: Int
    }

    /// The first such question of each principal on each transport; if no transport has one, the first across all.
    func excesses(in history: Observations) -> [Excess] {
        byPrincipal.sorted { $0.key < $1.key }.flatMap { _, own -> [Excess] in
            let byTransport = Dictionary(grouping: own) { $0.request.connection ?? -1 }.sorted { $0.key < $1.key }
            let alone = byTransport.compactMap { excess(among: $0.value, history) }
            return alone.isEmpty ? [excess(among: own, history)].compactMap(\.self) : alone
        }
    }

    /// The maximum number of consecutive windows to examine: longer spans add little to shorter ones.
    private static let maxWindows = 4

    private func excess(among own: [Entry], _ history: Observations) -> Excess? {
        let candidates = own.compactMap { entry in
            decision(on: entry, history).map { (entry: entry, decided: $0, isAccepted: entry.accepted != nil) }
        }
        // Only times, because each question is compared with all later ones.
        let moments = candidates.map {
            (begin: history.time(of: $0.entry.request.event), end: history.time(of: $0.decided))
        }
        for windows in 1...Self.maxWindows {
            for place in candidates.indices {
                let first = candidates[place].entry.request
                guard let limit = limit(of: first.principal, at: first.event) else { continue }
                let (most, _) = limit.multipliedReportingOverflow(by: windows + 1)
                guard most > 0, moments.count - place > most else { continue }
                let end = moments[place].begin + windows * window
                let within = moments.indices[place...].prefix { moments[$0].begin < end }.filter {
                    moments[$0].end < end
                }
                guard within.count > most else { continue }
                let decided = within.map { candidates[$0] }.sorted { $0.decided < $1.decided }
                // The first question decided after as many had been accepted as the budget allows.
                let beyond = decided.indices.first { decided[..<$0].count(where: \.isAccepted) >= most }
                guard let last = beyond.map({ decided[$0] }),
                    !history.wasStopped(between: first.event, and: last.decided)
                else { continue }
                return Excess(
                    entry: last.entry, decided: last.decided, first: first.event, most: most, windows: windows)
            }
        }
        return nil
    }

    /// The event that shows that a new question was accepted, or refused neither for its own fault nor for its rate.
    private func decision(on entry: Entry, _ history: Observations) -> Int? {
        if entry.isRepeat || entry.isLimited { return nil }
        if let accepted = entry.accepted { return accepted }
        guard let refusal = entry.request.refusal, entry.request.refusalCode != "persist_failed" else { return nil }
        if let exchange = history.exchange(of: entry.request) {
            return exchange.status.map(Self.otherRefusals.contains) == false ? refusal : nil
        }
        return entry.request.refusalCode.map(Frame.refusalCodes.contains) == true ? nil : refusal
    }

    /// Statuses that refuse a request for reasons other than its rate.
    private static let otherRefusals: Set<Int> = [400, 401, 404, 409, 413, 415, 422]

    /// The last of the questions that had certainly used up the budget when another was asked, or by its deadline; nil
    /// if the budget was not used up.
    func spender(before entry: Entry, by due: Int? = nil) -> Entry? {
        guard !entry.isRepeat, let limit = limit(of: entry.request.principal, at: entry.request.event) else {
            return nil
        }
        // Fewer questions than the budget cannot use it up.
        let asked = asked(by: entry.request.principal, before: entry.request.event, after: .min)
        guard asked.count >= limit else { return nil }
        let counted = surelyCounted(before: entry, decided: min(entry.answered ?? entry.request.event, due ?? .max))
        return counted.count >= limit ? counted.max { $0.accepted ?? 0 < $1.accepted ?? 0 } : nil
    }
}

import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// The number of questions that each principal may still ask, if the subject limits them.
///
/// It counts the questions of this run and learns the limit from the server; until then, nothing is limited.
struct ChatBudget {
    /// The questions that a subject allows in a window; nil until a limit is known.
    private(set) var limit: Int?
    private(set) var window: Duration
    /// The moment since which every question of the principals is known.
    private let knownSince: ContinuousClock.Instant
    private let wasStated: Bool
    private var uses: [String: [(at: ContinuousClock.Instant, count: Int)]] = [:]

    init(_ subject: ServerSubject, now: ContinuousClock.Instant) {
        limit = subject.limits["messagesPerMinute"].flatMap { $0 > 0 ? $0 : nil }
        wasStated = limit != nil
        window = .seconds(min(max(subject.stated("rateWindowSeconds"), 1), 60))
        knownSince = subject.isUntouched || subject.startCommand != nil ? now - .seconds(60) : now
    }

    func isKnown(at now: ContinuousClock.Instant) -> Bool { now - knownSince >= window }

    var knownFrom: ContinuousClock.Instant { knownSince + window }

    var hasShortWindow: Bool { window <= .seconds(5) }

    /// The number of questions that a principal asked in the last window, including uncertain ones.
    func spent(_ principal: String, at now: ContinuousClock.Instant) -> Int {
        (uses[principal] ?? []).reduce(0) { $0 + (now - $1.at < window ? $1.count : 0) }
    }

    /// The first moment at which a principal may ask this many questions; nil if the whole budget is smaller.
    func earliest(_ principal: String, for count: Int, at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        guard let limit else { return now }
        guard count <= limit else { return nil }
        var left = limit - spent(principal, at: now)
        if left >= count { return now }
        for use in (uses[principal] ?? []).sorted(by: { $0.at < $1.at }) where now - use.at < window {
            left += use.count
            if left >= count { return use.at + window }
        }
        return now
    }

    /// The largest budget that a scenario uses up.
    private static let largest = 600

    /// The reason why no principal can ever serve a scenario; nil if one can, or no limit is known.
    func objection(to scenario: Scenario) -> String? {
        // A scenario's own server has received no other questions.
        guard let limit, !scenario.needs.start else { return nil }
        if scenario.needs.budget {
            if limit <= Self.largest { return nil }
            return Performance.beyondLimits
                + "it uses up a rate limit, and \(limit) questions are more than the suite sends; configure "
                + "messagesPerMinute of at most \(Self.largest)"
        }
        guard let most = scenario.chats(budget: limit).values.max(), most > limit else { return nil }
        return Performance.beyondLimits
            + "it asks \(most) questions, and the rate limit is \(limit) in \(wholeSeconds(window)); configure a "
            + "larger messagesPerMinute"
    }

    mutating func note(_ count: Int, of principal: String, at time: ContinuousClock.Instant) {
        guard count > 0 else { return }
        uses[principal, default: []].append((time, count))
    }

    /// Notes the questions of a scenario's principals, and the limit that the subject announced.
    ///
    /// A server counts a question when it accepts it, which may be late, so each counts at the time of its last answer.
    mutating func note(
        _ performance: Performance, by principals: [ServerSubject.Principal], at now: ContinuousClock.Instant
    ) {
        let history = DialectView(performance.history).history
        let answers = Self.answers(in: history)
        let end = performance.duration
        var owners: [Lane: String] = [:]
        for (index, event) in history.events.enumerated() {
            let asker: String?
            var answer: Int?
            switch event.kind {
            case .opening(let opening):
                owners[event.lane] = opening.principal
                continue
            case .text(.toServer, _):
                let frame = history.frames[index]
                asker = frame?.type == "chat" ? owners[event.lane] ?? "p1" : nil
                answer = frame?.clientMessageId.flatMap { answers.byKey[$0] }
            case .request(let request):
                asker = request.path == "/api/chat" ? request.principal ?? "p1" : nil
                answer = answers.byLane[event.lane]
            case .text(.fromServer, _):
                learn(from: history.frames[index])
                continue
            default: continue
            }
            guard let asker, let number = Int(asker.dropFirst()), principals.indices.contains(number - 1) else {
                continue
            }
            let taken = answer.map { min(.microseconds(max($0, event.at)), end) } ?? end
            note(1, of: principals[number - 1].name, at: now - end + taken)
        }
    }

    private static func answers(in history: History) -> (byKey: [String: Int], byLane: [Lane: Int]) {
        var byKey: [String: Int] = [:]
        var byLane: [Lane: Int] = [:]
        for (index, event) in history.events.enumerated() {
            switch event.kind {
            case .text(.fromServer, _):
                if let key = history.frames[index]?.clientMessageId { byKey[key] = event.at }
            case .response: byLane[event.lane] = event.at
            default: continue
            }
        }
        return (byKey, byLane)
    }

    mutating func learn(from frame: Frame?) {
        switch frame?.type {
        case "connected":
            guard !wasStated, let given = frame?["limits"]?["messagesPerMinute"]?.intValue, given > 0 else { return }
            limit = min(limit ?? given, given)
        case "error" where frame?.code == "rate_limited":
            guard let given = frame?["windowMs"]?.intValue, (1...60_000).contains(given) else { return }
            window = min(window, .milliseconds(given))
        default: return
        }
    }
}

extension Scenario {
    /// The largest number of questions that each of its principals asks, as far as the file says.
    ///
    /// - Parameter budget: The value of a count that is known only during the run.
    /// - Returns: Questions by principal, without principals that ask none.
    func chats(budget: Int) -> [String: Int] {
        var count = ChatCount(budget: budget)
        count.add(steps)
        return count.byPrincipal
    }
}

struct ChatCount {
    let budget: Int
    private(set) var byPrincipal: [String: Int] = [:]
    private var owners: [String: String] = [:]
    private var rounds = 1

    init(budget: Int) { self.budget = budget }

    mutating func add(_ steps: [ScenarioStep]) {
        for step in steps { add(step.action) }
    }

    private mutating func add(_ action: ScenarioStep.Action) {
        switch action {
        case .connect(let connect): owners[connect.on] = connect.credential.principal
        case .chat(_, let lane): note(owners[lane])
        case .send(let frame, _, let lane):
            if frame["type"]?.stringValue == "chat" { note(owners[lane]) }
        case .sendText(let fragments, _, let lane):
            if fragments.joined().contains(#""chat""#) { note(owners[lane]) }
        case .postChat(_, let credential, _): note(credential.principal)
        case .http(let exchange):
            if exchange.method == "POST", exchange.path.hasPrefix("/api/chat") { note(exchange.credential.principal) }
        case .together(let branches):
            for branch in branches { add(branch) }
        case .repeat(let times, _, _, _, let steps):
            let outer = rounds
            rounds = min(rounds.multipliedReportingOverflow(by: times.intValue ?? budget).partialValue, 1 << 20)
            add(steps)
            rounds = outer
        default: break
        }
    }

    private mutating func note(_ principal: String?) { byPrincipal[principal ?? "p1", default: 0] += max(0, rounds) }
}

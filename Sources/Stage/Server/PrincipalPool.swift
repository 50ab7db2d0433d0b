import Holdfast

/// The principals of a subject, each lent to one scenario at a time.
///
/// Scenarios that share no principal never see each other's frames, so they may run side by side. If the subject limits
/// questions, the principals with the largest remaining budgets are lent first, and a scenario that would exceed the
/// limit waits. Some principals are reserved for the scenarios that use up a whole budget.
struct PrincipalPool {
    enum Loan {
        case lent([ServerSubject.Principal])
        /// Other scenarios use them; one of these must end first.
        case busy
        /// Their budgets suffice from this moment on; `isFinal` if all are free, so that it cannot become earlier.
        case later(ContinuousClock.Instant, isFinal: Bool, reason: String)
        /// No principals will ever suffice.
        case never(reason: String)
    }

    private var free: [ServerSubject.Principal]
    private let total: Int
    private var budget: ChatBudget
    /// Principals kept for waiting scenarios that use up a whole budget.
    private var reserved: Set<String> = []
    private var spenders: Int
    /// The number of scenarios that may use up reserved budgets at a time, from the start of the run; 0 if only a long
    /// wait reveals how much of these budgets was used before.
    let spendersFromTheStart: Int

    init(_ subject: ServerSubject, for scenarios: [Scenario] = [], now: ContinuousClock.Instant = .now) {
        free = subject.principals
        total = subject.principals.count
        budget = ChatBudget(subject, now: now)
        let open = scenarios.filter { subject.obstacle(to: $0) == nil }
        spenders = open.count(where: \.needs.budget)
        let others = open.filter { !$0.needs.budget }.map(\.needs.principals).max() ?? 0
        // The last principals, because they are lent last.
        reserved = Set(subject.principals.suffix(min(spenders, max(0, total - max(others, 1)))).map(\.name))
        let isKnownSoon = budget.isKnown(at: now) || budget.hasShortWindow
        spendersFromTheStart = budget.limit != nil && isKnownSoon ? reserved.count : 0
    }

    /// Lends the principals that a scenario needs, those with the largest remaining budgets first.
    ///
    /// * `sink`: The push service, if the scenario needs principals with a device.
    mutating func lend(
        to scenario: Scenario, reachedBy sink: PushSink? = nil, now: ContinuousClock.Instant = .now
    ) -> Loan {
        let count = scenario.needs.principals
        let allFree = free.count == total
        var indices = candidates(for: scenario, reachedBy: sink)
        // If no scenario can give principals back, a reservation would stop the run.
        if indices.count < count, allFree { indices = candidates(for: scenario, reachedBy: sink, amongReserved: true) }
        guard indices.count >= count else {
            let kind = sink == nil ? "principals" : "principals whose device the push service has not refused"
            let reason = "it needs \(count) \(kind), and \(indices.count) are left; add principals"
            return allFree ? .never(reason: reason) : .busy
        }
        // A scenario's own server has received no other questions.
        guard let limit = budget.limit, !scenario.needs.start else {
            // A scenario that uses up a budget thereby reveals its limit.
            let isSpender = scenario.needs.budget && !scenario.needs.start
            return .lent(take(Array(indices.prefix(count)), isSpender ? now : nil))
        }
        if let reason = budget.objection(to: scenario) { return .never(reason: reason) }
        var asked = scenario.chats(budget: limit)
        if scenario.needs.budget { asked["p1"] = limit }
        let wanted = (1...count).map { (role: $0, chats: asked["p\($0)"] ?? 0) }.sorted { $0.chats > $1.chats }
        // Questions before the run are unknown; a short window can be waited for, but not a long one.
        let start = scenario.needs.budget && budget.hasShortWindow ? max(budget.knownFrom, now) : now
        let ready = indices.map { index in
            (index: index, spent: budget.spent(free[index].name, at: now))
        }.enumerated().sorted { ($0.element.spent, $0.offset) < ($1.element.spent, $1.offset) }.map(\.element.index)
        var chosen: [Int: Int] = [:]
        var readyAt = start
        for (want, index) in zip(wanted, ready) {
            guard let moment = budget.earliest(free[index].name, for: want.chats, at: now) else { return .busy }
            readyAt = max(readyAt, moment)
            chosen[want.role] = index
        }
        guard readyAt <= now else {
            let reason = reason(for: scenario, limit, wanted[0].chats)
            return .later(readyAt, isFinal: allFree, reason: reason)
        }
        if scenario.needs.budget {
            spenders -= 1
            // After its window, a principal that is no longer reserved is available to all.
            if spenders < reserved.count { reserved.subtract(chosen.values.map { free[$0].name }) }
            if spenders == 0 { reserved = [] }
        }
        return .lent(take((1...count).compactMap { chosen[$0] }, now))
    }

    private func reason(for scenario: Scenario, _ limit: Int, _ chats: Int) -> String {
        let window = wholeSeconds(budget.window)
        let fix =
            "add principals, raise messagesPerMinute, or give --patience \(wholeSeconds(budget.window, unit: ""))"
        return scenario.needs.budget
            ? "it uses up the rate limit of a principal that asked nothing for \(window), and none is left; \(fix)"
            : "it asks \(chats) questions, and no principal has that many left of \(limit) in \(window); \(fix)"
    }

    private func candidates(
        for scenario: Scenario, reachedBy sink: PushSink?, amongReserved: Bool = false
    ) -> [Int] {
        // None is reserved for other scenarios before a limit is known.
        let skipsReserved = budget.limit != nil && !scenario.needs.budget && !scenario.needs.start && !amongReserved
        let all = free.indices.filter { !skipsReserved || !reserved.contains(free[$0].name) }
        let own = scenario.needs.budget ? all.filter { reserved.contains(free[$0].name) } : []
        guard let sink else { return own.isEmpty ? all : own + all.filter { !own.contains($0) } }
        let usable = all.compactMap { index -> (index: Int, tokenState: PushSink.TokenState)? in
            guard let device = free[index].device else { return nil }
            let tokenState = sink.tokenState(of: device)
            return tokenState == .refused ? nil : (index, tokenState)
        }
        return (usable.filter { $0.tokenState == .fresh } + usable.filter { $0.tokenState != .fresh }).map(\.index)
    }

    private mutating func take(_ indices: [Int], _ now: ContinuousClock.Instant?) -> [ServerSubject.Principal] {
        let lent = indices.map { index in
            var principal = free[index]
            principal.spent = now.flatMap { budget.isKnown(at: $0) ? budget.spent(principal.name, at: $0) : nil }
            return principal
        }
        for index in indices.sorted(by: >) { free.remove(at: index) }
        return lent
    }

    /// Takes principals back; they are lent again after the others, so that all are used.
    mutating func take(
        back principals: [ServerSubject.Principal], after performance: Performance? = nil,
        now: ContinuousClock.Instant = .now
    ) {
        if let performance { budget.note(performance, by: principals, at: now) }
        free += principals.map { principal in
            var principal = principal
            principal.spent = nil
            return principal
        }
    }
}

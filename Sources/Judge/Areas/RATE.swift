import Holdfast
import HoldfastJSON
import HoldfastTranscript

enum RATE {
    static let checks: [Check] = [
        Check(.RATE, 1, budgetIsStated),
        Check(.RATE, 2, budgetIsGranted),
        Check(
            .RATE, 3, Rule(refusalsStateTheBudget), Rule(responsesStateTheWait, needs: [.headers]),
            Rule(excessIsRefused, needs: [.frames])),
        Check(.RATE, 4, connectionsOutliveRefusals),
        Check(.RATE, 5, statedWaitsAreEnough),
        Check(.RATE, 6, repeatsAreFree),
    ]

    /// RATE-1: "A server MUST state its budget as `limits.messagesPerMinute` in `connected`".
    static func budgetIsStated(_ history: Observations, _ evidence: inout Evidence) {
        for frame in history.connections.compactMap(\.greeting) {
            let stated = frame["limits"]?["messagesPerMinute"]
            evidence.test(
                stated?.intValue ?? 0 > 0, otherwise: "connected states no budget",
                expected: "limits.messagesPerMinute, a number from 1", actual: stated?.text() ?? "none", at: [frame])
        }
    }

    /// RATE-2: "A server MUST NOT refuse a question for its rate while its principal has had fewer than
    /// `limits.messagesPerMinute` accepted within one window before it".
    ///
    /// Tested once for each such refusal, if the questions that the principal asked before the history are known. Every
    /// question that may have been accepted counts, including repeats, which a server may count (RATE-6).
    static func budgetIsGranted(_ history: Observations, _ evidence: inout Evidence) {
        let ledger = history.rateLedger
        for entry in ledger.entries where entry.isLimited {
            guard let refusal = entry.request.refusal,
                let limit = ledger.limit(of: entry.request.principal, at: entry.request.event)
            else { continue }
            let most = ledger.possiblyCounted(before: entry, refused: refusal, withRepeats: true) ?? limit
            evidence.test(
                most >= limit, keptIf: ledger.surelyCounted(before: entry, decided: refusal).count >= limit,
                otherwise: "\(entry.request.transportName) was rate-limited before the budget was used up",
                expected: "accepted, with at most \(most) of \(limit) questions accepted before", actual: "refused",
                at: [entry.request.event, refusal])
        }
    }

    /// RATE-3: "A server MUST refuse a question beyond the budget of its principal within `ack` with `rate_limited`,
    /// and over REST with a `Retry-After` in whole seconds".
    static func refusalsStateTheBudget(_ history: Observations, _ evidence: inout Evidence) {
        for frame in RateLedger.limitErrors(history) {
            let problem = frame.value.flatMap { value in
                history.coreSchemas.accepts(value, as: "rateLimit")
                    ? nil : history.coreSchemas.validate(value, as: "rateLimit").map(\.what).min() ?? "a wrong shape"
            }
            evidence.test(no: problem) { problem in
                Finding(
                    "a rate_limited error does not match its schema",
                    expected: "code, retryAfterMs, limit and windowMs", actual: problem, at: [frame.event])
            }
        }
    }

    /// RATE-3, rule 2: a 429 has a `Retry-After` in whole seconds.
    static func responsesStateTheWait(_ history: Observations, _ evidence: inout Evidence) {
        for exchange in history.exchanges where exchange.isChat && exchange.status == 429 {
            let given = exchange.received?[header: "retry-after"]
            let isWhole = given.map { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } } ?? false
            evidence.test(
                isWhole, otherwise: "a 429 has no valid Retry-After", expected: "Retry-After, in whole seconds",
                actual: shown(given), at: exchange.events)
        }
    }

    /// RATE-3, rule 3: each question beyond the budget is refused, on either transport.
    ///
    /// Tested once for each question asked when the budget was certainly spent and refused for its rate. Violated by
    /// the first excess question with another answer, and by one after a spent budget with no answer or a late refusal.
    static func excessIsRefused(_ history: Observations, _ evidence: inout Evidence) {
        guard history.knowsTimes else { return }
        let ledger = history.rateLedger
        for excess in ledger.excesses(in: history) {
            let request = excess.entry.request
            let status = history.exchange(of: request)?.status
            if request.connection == nil, status == nil, excess.entry.accepted == nil { continue }
            let code = request.refusalCode.map { "error \($0)" } ?? "an error without code"
            let windows = excess.windows == 1 ? "one window" : "\(excess.windows) windows in a row"
            let allowed = "at most \(excess.most) accepted in \(windows), \(excess.windows + 1) budgets"
            evidence.violate(
                "a question over the budget was not rate-limited",
                expected: "rate_limited or 429, after \(allowed)",
                actual: excess.entry.accepted != nil ? "accepted" : status.map { "status \($0)" } ?? code,
                at: [excess.first, request.event, excess.decided])
        }
        for entry in ledger.entries { excessIsRefusedInTime(entry, ledger, history, &evidence) }
    }

    private static func excessIsRefusedInTime(
        _ entry: RateLedger.Entry, _ ledger: RateLedger, _ history: Observations, _ evidence: inout Evidence
    ) {
        let request = entry.request
        let late = request.connection.flatMap {
            history.deadline(after: request.event, within: history.timeouts.ack, on: $0)
        }
        guard let spender = ledger.spender(before: entry, by: late?.event)?.accepted else { return }
        // Excess questions accepted in time were judged before; after the timeout, a repeat may have been accepted.
        let isLate = late.map { entry.answered.isOpen(at: $0.event) } ?? false
        if let answer = entry.answered, entry.isLimited || !isLate {
            guard entry.isLimited else { return }
            evidence.test(
                !isLate, otherwise: "a question over the budget was rate-limited late",
                expected: "within \(history.timeouts.ack)",
                actual: "after \(history.span(from: request.event, to: answer) / 1_000) ms",
                at: [spender, request.event, answer])
        } else if let silence = silence(after: request, history) {
            evidence.violate(
                "a question over the budget was not rate-limited", expected: "rate_limited or 429",
                actual: silence.actual, at: [spender, request.event, silence.proof])
        }
    }

    private static func silence(after request: ObservedRequest, _ history: Observations) -> Unanswered? {
        if let exchange = history.exchange(of: request) {
            return history.unanswered(exchange, within: history.timeouts.turn + request.scriptedWait)
        }
        return request.connection.flatMap {
            history.unanswered(request.event, within: history.timeouts.ack, on: $0)
        }
    }

    // MARK: After a refusal for the rate

    /// RATE-4: "A server MUST keep the connection open after `rate_limited` and go on answering `ping` and `sync` while
    /// the budget is spent".
    ///
    /// Tested once for each `ping` and `sync` after a `rate_limited` on its connection within the stated wait, and for
    /// each connection that the server ended within that time.
    static func connectionsOutliveRefusals(_ history: Observations, _ evidence: inout Evidence) {
        let limitErrors = Dictionary(grouping: RateLedger.limitErrors(history), by: \.connection)
        let malformed = Set(history.hostileFrames.map(\.frame.event))
        let syncs = history.profiles.contains(.sync) ? history.syncs : []
        for (index, connection) in history.connections.enumerated() {
            guard let refusals = limitErrors[index] else { continue }
            func refusal(before event: Int) -> Frame? {
                refusals.before(event).last { history.isWithinWait(event, after: $0) }
            }
            func count(_ what: String, _ sent: Int, _ reply: Int?, _ bound: Duration) {
                guard let refusal = refusal(before: sent) else { return }
                evidence.test(reply != nil, brokenBy: history.deadline(after: sent, within: bound, on: index)) { late in
                    Finding(
                        "a \(what) was not answered while the budget was used up",
                        expected: "the usual answer", actual: "nothing", at: [refusal.event, sent, late])
                }
            }
            for ping in history.pings(on: index) {
                count("ping", ping.request.event, ping.pong?.event, history.timeouts.pong)
            }
            for sync in syncs where sync.connection == index && !malformed.contains(sync.request.event) {
                count("sync", sync.request.event, sync.result?.event, history.timeouts.sync)
            }
            guard let ending = connection.endByServer(), connection.wasReadToItsEnd, !ending.isExcused,
                let refusal = refusal(before: ending.event),
                !history.wasStopped(between: connection.opening, and: ending.event),
                !history.sentHostile(on: index, before: ending.event)
            else { continue }
            evidence.violate("a connection ended after a rate_limited error", at: [refusal.event, ending.event])
        }
    }

    /// RATE-5: "A server MUST accept the refused `chat` when it is sent again after `retryAfterMs`, if nothing else was
    /// sent meanwhile and no turn of its session runs".
    ///
    /// Tested once for each refused `chat` that was repeated as the principal's next question after the wait, if no
    /// other question was pending at the refusal.
    static func statedWaitsAreEnough(_ history: Observations, _ evidence: inout Evidence) {
        let ledger = history.rateLedger
        for frame in RateLedger.limitErrors(history) {
            guard let wait = frame["retryAfterMs"]?.intValue, wait >= 0, wait < 86_400_000,
                let refused = ledger.entries.first(where: { $0.request.refusal == frame.event })
            else { continue }
            let others = ledger.entries.filter { $0.request.principal == refused.request.principal }
            guard isAlone(refused.request, at: frame.event, among: others),
                let again = others.first(where: { $0.request.isAfter(frame.event) }),
                again.request.connection != nil, exactlyEqual(again.request.prompt, refused.request.prompt),
                again.request.clientMessageId == refused.request.clientMessageId,
                history.span(from: frame.event, to: again.request.event) >= wait * 1000
            else { continue }
            let code = again.request.refusalCode
            let isUnreasonable = code.map {
                Frame.refusalCodes.contains($0) && history.isNoReason($0, to: again.request)
            }
            // Questions sent before the answer may have been counted before this one.
            let isFirst = others.map(\.request).between(again.request.event, again.request.refusal ?? .max).isEmpty
            let proof = isFirst && (again.isLimited || isUnreasonable == true) ? again.request.refusal : nil
            evidence.test(again.accepted != nil, brokenBy: proof) { refusal in
                Finding(
                    "a chat was refused again after the stated wait", expected: "accepted after \(wait) ms",
                    actual: again.isLimited ? "rate-limited" : called(error: code), at: [frame, again.request, refusal])
            }
        }
    }

    /// Whether no other question of the principal was pending when one was refused.
    private static func isAlone(_ own: ObservedRequest, at refusal: Int, among others: [RateLedger.Entry]) -> Bool {
        others.allSatisfy { other in
            let asked = other.request
            // On one connection, questions are decided in the order of sending.
            let isEarlier = asked.connection != nil && asked.connection == own.connection && !asked.isAfter(own.event)
            return !asked.isBefore(refusal) || asked === own || isEarlier || other.answered.isBefore(refusal)
        }
    }

    /// RATE-6: "A server MUST NOT count repeats of an accepted `clientMessageId` against the budget, nor refuse one for
    /// its rate".
    ///
    /// Tested once for each principal that used up its budget with new questions after repeats in the same window; for
    /// each refusal that only repeats can explain; and for each repeat of an accepted question that was answered while
    /// the budget was certainly spent.
    static func repeatsAreFree(_ history: Observations, _ evidence: inout Evidence) {
        let ledger = history.rateLedger
        for entry in ledger.entries where !entry.isRepeat {
            guard let limit = ledger.limit(of: entry.request.principal, at: entry.request.event) else { continue }
            if entry.isLimited, let refusal = entry.request.refusal {
                guard let new = ledger.possiblyCounted(before: entry, refused: refusal, withRepeats: false),
                    new < limit, let all = ledger.possiblyCounted(before: entry, refused: refusal, withRepeats: true),
                    all >= limit
                else { continue }
                evidence.violate(
                    "repeats were counted against the budget",
                    expected: "accepted, with at most \(new) of \(limit) new questions before",
                    actual: "refused after \(all - new) repeats", at: [entry.request.event, refusal])
            } else if let accepted = entry.accepted {
                let horizon = history.time(of: accepted) - ledger.window
                let asked = ledger.asked(by: entry.request.principal, before: entry.request.event, after: horizon)
                let repeats = asked.count { $0.isRepeat && $0.accepted.isBefore(entry.request.event) }
                let new = ledger.surelyCounted(before: entry, decided: accepted).count
                if repeats > 0, new < limit, new + repeats >= limit { evidence.keep() }
            }
        }
        repeatsAreNotRefused(ledger, history, &evidence)
    }

    private static func repeatsAreNotRefused(
        _ ledger: RateLedger, _ history: Observations, _ evidence: inout Evidence
    ) {
        let repeats = Set(history.trueRepeats.map(\.event))
        for entry in ledger.entries where entry.isRepeat && repeats.contains(entry.request.event) {
            guard let accepted = entry.turn.firstSign, accepted.isBefore(entry.request.event) else { continue }
            if entry.isLimited, let refusal = entry.request.refusal {
                evidence.violate(
                    "a repeat was rate-limited", expected: "the usual answer to a repeat",
                    actual: "a refusal, although its question was accepted", at: [accepted, entry.request, refusal])
            } else if let answered = entry.answered,
                let limit = ledger.limit(of: entry.request.principal, at: entry.request.event),
                ledger.surelyCounted(before: entry, decided: answered).count >= limit
            {
                evidence.keep()
            }
        }
    }
}

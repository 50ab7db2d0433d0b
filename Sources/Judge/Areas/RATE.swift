import Holdfast
import JSON
import Transcript

/// Checks of rate limits: one budget for each principal, told and kept in both directions.
enum RATE {
    static let checks: [Check] = [
        Check(.RATE, 1, oneBudgetForAllRoads), Check(.RATE, 2, budgetIsStated), Check(.RATE, 3, budgetIsGranted),
        Check(.RATE, 4, excessIsRefusedAsSuch), Check(.RATE, 5, excessOverRESTIsRefusedAsSuch),
        Check(.RATE, 6, refusalsNameTheirQuestion), Check(.RATE, 7, refusedQuestionsLeaveNoTrace),
        Check(.RATE, 8, connectionsOutliveRefusals), Check(.RATE, 9, statedWaitsAreEnough),
        Check(.RATE, 10, repeatsAreFree),
    ]

    /// A question that came when the budget was surely spent.
    private struct Excess {
        let entry: RateLedger.Entry
        let limit: Int
        /// The last of those that spent it.
        let spender: Int
        /// Whether the questions on its own road alone had spent it.
        let isOnOneRoad: Bool
    }

    private static func excesses(_ ledger: RateLedger, _ history: Observations) -> [Excess] {
        ledger.entries.compactMap { entry in
            let decided = entry.answered ?? history.events.count - 1
            guard !entry.isRepeat, let limit = ledger.limit(of: entry.request.principal, at: entry.request.event) else {
                return nil
            }
            let counted = ledger.surelyCounted(before: entry, decided: decided)
            guard counted.count >= limit, let spender = counted.compactMap(\.accepted).max() else { return nil }
            let own = counted.count { RateLedger.tookSameRoad($0, entry) }
            return Excess(entry: entry, limit: limit, spender: spender, isOnOneRoad: own >= limit)
        }
    }

    /// RATE-1: "A server MUST count all chats of a principal, on every connection and over REST, against one budget".
    ///
    /// Once for each question that came when the chats of several roads together had surely spent the budget.
    static func oneBudgetForAllRoads(_ history: Observations, _ evidence: inout Evidence) {
        for excess in excesses(RateLedger(history), history) where !excess.isOnOneRoad {
            if let accepted = excess.entry.accepted {
                evidence.violate(
                    "\(excess.entry.request.road) was accepted though other roads had spent the budget",
                    expected: "a refusal after \(excess.limit) accepted questions on all roads together",
                    actual: "accepted", at: [excess.spender, excess.entry.request.event, accepted])
            } else if excess.entry.isLimited {
                evidence.keep()
            }
        }
    }

    /// RATE-2: "A server MUST state its budget as `limits.messagesPerMinute` in `connected`".
    ///
    /// Once for each `connected`.
    static func budgetIsStated(_ history: Observations, _ evidence: inout Evidence) {
        for frame in history.connections.compactMap(\.greeting) {
            let stated = frame["limits"]?["messagesPerMinute"]
            if let limit = stated?.intValue, limit > 0 {
                evidence.keep()
            } else {
                evidence.violate(
                    "connected states no budget", expected: "limits.messagesPerMinute, a number from 1",
                    actual: stated?.text() ?? "none", at: [frame.event])
            }
        }
    }

    /// RATE-3: "A server MUST NOT refuse a `chat` with `rate_limited` or a `POST /api/chat` with 429 while its principal
    /// has had fewer than `limits.messagesPerMinute` chats accepted in the last 60 s".
    ///
    /// Once for each such refusal, when it is known what the principal had asked before the history began. Whatever may have
    /// been accepted counts, also repeats, which a server may count (RATE-10).
    static func budgetIsGranted(_ history: Observations, _ evidence: inout Evidence) {
        let ledger = RateLedger(history)
        for entry in ledger.entries where entry.isLimited {
            guard let refusal = entry.request.refusal,
                let limit = ledger.limit(of: entry.request.principal, at: entry.request.event)
            else { continue }
            let most = ledger.possiblyCounted(before: entry, refused: refusal, withRepeats: true)
            if let most, most < limit {
                evidence.violate(
                    "\(entry.request.road) was refused for its rate before the budget was spent",
                    expected: "accepted, with at most \(most) of \(limit) questions accepted before", actual: "refused",
                    at: [entry.request.event, refusal])
            } else if ledger.surelyCounted(before: entry, decided: refusal).count >= limit {
                evidence.keep()
            }
        }
    }

    /// RATE-4: "A server MUST refuse a `chat` beyond the budget with an `error` of code `rate_limited` that is valid
    /// against the `rateLimit` schema".
    ///
    /// Once for each such `error`, and for each `chat` that was sent when the chats of its own connection had surely spent
    /// the budget and that was not refused so.
    static func excessIsRefusedAsSuch(_ history: Observations, _ evidence: inout Evidence) {
        for frame in RateLedger.limitErrors(history) {
            guard let value = frame.value, !history.coreSchemas.accepts(value, as: "rateLimit") else {
                evidence.keep()
                continue
            }
            let reasons = history.coreSchemas.validate(value, as: "rateLimit").map(\.what)
            evidence.violate(
                "a refusal for the rate is not told as the schema wants",
                expected: "code, retryAfterMs, limit and windowMs", actual: reasons.sorted().first ?? "another shape",
                at: [frame.event])
        }
        // Who else spent the budget, and by which clock, is not known of a capture.
        if history.isCapture { return }
        for excess in excesses(RateLedger(history), history) {
            let request = excess.entry.request
            guard let connection = request.connection, !excess.entry.isLimited else { continue }
            func violate(_ actual: String, _ event: Int) {
                evidence.violate(
                    "a chat beyond the budget was not refused as such", expected: "error rate_limited", actual: actual,
                    at: [excess.spender, request.event, event])
            }
            let observed = history.connections[connection]
            if let accepted = excess.entry.accepted {
                // What only the roads together have spent is the matter of RATE-1.
                if excess.isOnOneRoad { violate("accepted", accepted) }
            } else if let refusal = request.refusal {
                // It may have been refused for something else that is wrong with it.
                guard request.refusalCode.map({ !ErrorMeaning.refusals.contains($0) }) ?? true else { continue }
                violate(request.refusalCode.map { "error \($0)" } ?? "an error without code", refusal)
            } else if let ending = observed.ending, observed.wasEndedByServer, ending.event > request.event {
                guard !ending.isExcused, !history.wasStopped(between: request.event, and: ending.event) else {
                    continue
                }
                violate("the end of the connection", ending.event)
            } else if let late = history.deadline(
                after: request.event, within: history.timeouts.turn + request.scriptedWait, on: connection)
            {
                violate("nothing", late)
            }
        }
    }

    /// Statuses that refuse a request for what it is, whatever its rate.
    private static let otherRefusals: Set<Int> = [400, 401, 404, 409, 413, 415, 422]

    /// RATE-5: "A server MUST refuse a `POST /api/chat` beyond the budget with 429 and a `Retry-After` header in whole
    /// seconds".
    ///
    /// Once for each 429, and for each request that was sent when the budget was surely spent and that got another status;
    /// one that was accepted though only the roads together had spent it is the matter of RATE-1.
    static func excessOverRESTIsRefusedAsSuch(_ history: Observations, _ evidence: inout Evidence) {
        for exchange in history.exchanges where exchange.isChat && exchange.status == 429 {
            guard let response = exchange.response else { continue }
            let given = exchange.received?[header: "retry-after"]
            if let given, !given.isEmpty, given.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
                evidence.keep()
            } else {
                evidence.violate(
                    "a 429 does not say when to try again", expected: "Retry-After, in whole seconds",
                    actual: shown(given), at: [exchange.request, response])
            }
        }
        for excess in excesses(RateLedger(history), history) {
            guard case .exchange(let index) = excess.entry.request.origin, !excess.entry.isLimited,
                let response = history.exchanges[index].response, let status = history.exchanges[index].status,
                !otherRefusals.contains(status), !(200...299).contains(status) || excess.isOnOneRoad
            else { continue }
            evidence.violate(
                "a POST beyond the budget was not refused as such", expected: "429 with Retry-After",
                actual: "status \(status)", at: [excess.spender, excess.entry.request.event, response])
        }
    }
}

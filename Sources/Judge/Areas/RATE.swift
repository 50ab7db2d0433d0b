import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// Checks of rate limits: one budget for each principal, told and kept in both directions.
enum RATE {
    static let checks: [Check] = [
        Check(.RATE, 1, oneBudgetForAllRoads), Check(.RATE, 2, budgetIsStated), Check(.RATE, 3, budgetIsGranted),
        Check(.RATE, 4, excessIsRefusedAsSuch), Check(.RATE, 5, excessOverRESTIsRefusedAsSuch),
        Check(.RATE, 6, refusalsNameTheirQuestion), Check(.RATE, 7, refusedQuestionsLeaveNoTrace),
        Check(.RATE, 8, connectionsOutliveRefusals), Check(.RATE, 9, statedWaitsAreEnough),
        Check(.RATE, 10, repeatsAreFree),
    ]

    /// RATE-1: "A server MUST count all chats of a principal, on every connection and over REST, against one budget".
    ///
    /// Once for each question that was refused when the chats of several transports together had surely spent the budget; broken
    /// when more were accepted on all of them than a budget allows, and on none alone.
    static func oneBudgetForAllRoads(_ history: Observations, _ evidence: inout Evidence) {
        let ledger = RateLedger(history)
        for entry in ledger.entries
        where entry.isLimited && ledger.spender(before: entry) != nil && !ledger.isSpentAlone(before: entry) {
            evidence.keep()
        }
        for excess in ledger.excesses(in: history) where !excess.isOnOneTransport {
            guard excess.entry.accepted != nil else { continue }
            evidence.violate(
                "\(excess.entry.request.road) was accepted although all transports together had used up the budget",
                expected: allowed(by: excess), actual: "one more",
                at: [excess.first, excess.entry.request.event, excess.decided])
        }
    }

    /// What a budget allows at most, in words.
    private static func allowed(by excess: RateLedger.Excess) -> String {
        let windows = excess.windows == 1 ? "one window" : "\(excess.windows) windows in a row"
        return "at most \(excess.most) accepted in \(windows), \(excess.windows + 1) budgets"
    }

    /// RATE-2: "A server MUST state its budget as `limits.messagesPerMinute` in `connected`".
    ///
    /// Once for each `connected`.
    static func budgetIsStated(_ history: Observations, _ evidence: inout Evidence) {
        for frame in history.connections.compactMap(\.greeting) {
            let stated = frame["limits"]?["messagesPerMinute"]
            evidence.test(
                stated?.intValue ?? 0 > 0, otherwise: "connected states no budget",
                expected: "limits.messagesPerMinute, a number from 1", actual: stated?.text() ?? "none",
                at: [frame.event])
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
            let most = ledger.possiblyCounted(before: entry, refused: refusal, withRepeats: true) ?? limit
            evidence.test(
                most >= limit, keptIf: ledger.surelyCounted(before: entry, decided: refusal).count >= limit,
                otherwise: "\(entry.request.road) was rate-limited before the budget was used up",
                expected: "accepted, with at most \(most) of \(limit) questions accepted before", actual: "refused",
                at: [entry.request.event, refusal])
        }
    }

    /// RATE-4: "A server MUST refuse a `chat` beyond the budget within `ack`, with an `error` of code `rate_limited` that is
    /// valid against the `rateLimit` schema".
    ///
    /// Once for each such `error`; broken by a `chat` of which its own connection had too many and that was not refused so, and
    /// by one that was sent when the budget was surely spent and that nothing answers.
    static func excessIsRefusedAsSuch(_ history: Observations, _ evidence: inout Evidence) {
        for frame in RateLedger.limitErrors(history) {
            guard let value = frame.value, !history.coreSchemas.accepts(value, as: "rateLimit") else {
                evidence.keep()
                continue
            }
            evidence.violate(
                "a rate_limited error does not match its schema",
                expected: "code, retryAfterMs, limit and windowMs",
                actual: history.coreSchemas.validate(value, as: "rateLimit").map(\.what).min() ?? "another shape",
                at: [frame.event])
        }
        // Who else spent the budget, and by which clock, is not known of a capture.
        if history.isCapture { return }
        let ledger = RateLedger(history)
        for excess in ledger.excesses(in: history) {
            let request = excess.entry.request
            let isAccepted = excess.entry.accepted != nil
            // RATE-1 judges an excess that only all transports together show.
            guard request.connection != nil, excess.isOnOneTransport || !isAccepted else { continue }
            evidence.violate(
                "a chat over the budget was not rate-limited",
                expected: "error rate_limited, after \(allowed(by: excess))",
                actual: isAccepted ? "accepted" : request.refusalCode.map { "error \($0)" } ?? "an error without code",
                at: [excess.first, request.event, excess.decided])
        }
        for entry in ledger.entries {
            let request = entry.request
            guard let connection = request.connection, let spender = ledger.spender(before: entry)?.accepted else {
                continue
            }
            let late = history.deadline(after: request.event, within: history.timeouts.ack, on: connection)
            if let answer = entry.answered {
                guard entry.isLimited, let late, late < answer else { continue }
                evidence.violate(
                    "a chat over the budget was rate-limited late", expected: "within \(history.timeouts.ack)",
                    actual: "after \(history.span(from: request.event, to: answer) / 1_000) ms",
                    at: [spender, request.event, answer])
            } else if let silence = silence(after: request, on: connection, late, history) {
                evidence.violate(
                    "a chat over the budget was not rate-limited", expected: "error rate_limited",
                    actual: silence.actual, at: [spender, request.event, silence.event])
            }
        }
    }

    /// What shows that a question was left without any answer.
    private static func silence(
        after request: ObservedRequest, on connection: Int, _ late: Int?, _ history: Observations
    ) -> (actual: String, event: Int)? {
        if let ending = history.connections[connection].endByServer(after: request.event) {
            guard !ending.isExcused, !ending.isOfTheServer,
                !history.wasStopped(between: request.event, and: ending.event)
            else { return nil }
            return ("the end of the connection", ending.event)
        }
        return late.map { ("nothing", $0) }
    }

    /// RATE-5: "A server MUST refuse a `POST /api/chat` beyond the budget with 429 and a `Retry-After` header in whole
    /// seconds".
    ///
    /// Once for each 429; broken by a request of which REST alone had too many and that got another status, and by one that was
    /// sent when the budget was surely spent and that no response came to.
    static func excessOverRESTIsRefusedAsSuch(_ history: Observations, _ evidence: inout Evidence) {
        for exchange in history.exchanges where exchange.isChat && exchange.status == 429 {
            let given = exchange.received?[header: "retry-after"]
            let isWhole = given.map { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } } ?? false
            evidence.test(
                isWhole, otherwise: "a 429 has no valid Retry-After", expected: "Retry-After, in whole seconds",
                actual: shown(given), at: exchange.events)
        }
        let ledger = RateLedger(history)
        for excess in ledger.excesses(in: history) {
            guard let status = history.exchange(of: excess.entry.request)?.status,
                excess.isOnOneTransport || excess.entry.accepted == nil
            else { continue }
            evidence.violate(
                "a POST over the budget was not rate-limited", expected: "429, after \(allowed(by: excess))",
                actual: "status \(status)", at: [excess.first, excess.entry.request.event, excess.decided])
        }
        for entry in ledger.entries {
            let bound = history.timeouts.turn + entry.request.scriptedWait
            guard entry.answered == nil, let exchange = history.exchange(of: entry.request),
                let spender = ledger.spender(before: entry)?.accepted,
                let late = history.deadline(after: exchange, within: bound)
            else { continue }
            evidence.violate(
                "a POST over the budget was not rate-limited", expected: "429 with Retry-After",
                actual: "no response", at: [spender, exchange.request, late])
        }
    }

    // MARK: What follows a refusal for the rate

    /// RATE-6: "A server MUST name in `rate_limited` the `clientMessageId` of the `chat` it refuses".
    ///
    /// Once for each `rate_limited` on a connection where every chat that waits for an answer has a key.
    static func refusalsNameTheirQuestion(_ history: Observations, _ evidence: inout Evidence) {
        let ledger = RateLedger(history)
        var answered: Set<Int> = []
        for frame in RateLedger.limitErrors(history) {
            // What was asked before a capture began may be what is refused.
            if history.isCapture, history.connections[frame.connection].connected == nil { continue }
            let waiting = ledger.entries.filter { entry in
                guard entry.request.connection == frame.connection, entry.request.event < frame.event,
                    !answered.contains(entry.request.event)
                else { return false }
                if let accepted = entry.accepted, accepted < frame.event { return false }
                return entry.request.refusal.map { $0 >= frame.event } ?? true
            }
            let keys = waiting.compactMap(\.request.clientMessageId)
            guard !waiting.isEmpty, keys.count == waiting.count else { continue }
            let named = waiting.filter { $0.request.clientMessageId == frame.clientMessageId }
            // The same question may have been asked twice, and refused twice.
            let own = named.first { $0.request.refusal == frame.event } ?? named.first
            if let own { answered.insert(own.request.event) }
            evidence.test(
                own != nil, otherwise: "a rate_limited error does not name the chat that it refuses",
                expected: "the clientMessageId of an unanswered chat", actual: shown(frame.clientMessageId),
                at: [waiting[0].request.event, frame.event])
        }
    }

    /// RATE-7: "A server MUST NOT run or store a `chat` or `POST /api/chat` that it refused for its rate".
    ///
    /// Once for each read of the named session, and for each list, that was begun after the refusal and before the same
    /// question was asked again; a frame or response of its turn meanwhile breaks it at once.
    static func refusedQuestionsLeaveNoTrace(_ history: Observations, _ evidence: inout Evidence) {
        let ledger = RateLedger(history)
        let limited = ledger.entries.filter(\.isLimited)
        for entry in limited {
            let (turn, request) = (entry.turn, entry.request)
            guard let refusal = request.refusal, !entry.isRepeat else { continue }
            let end = turn.requests.first { $0.event > request.event }?.event ?? .max
            let signs = (turn.acks + turn.frames + turn.endings + turn.copies + turn.replayed).map(\.event)
            if let sign = signs.filter({ $0 > request.event && $0 < end }).min() {
                evidence.violate(
                    "a rate-limited question ran", expected: "nothing after the refusal",
                    actual: "a frame of its turn", at: [request.event, refusal, sign])
                continue
            }
            for read in history.sessionReads
            where read.principal == request.principal && read.request > refusal && read.event < end {
                let stored = trace(of: entry, in: read, ledger)
                evidence.test(no: stored, keptIf: read.sessionId == request.sessionAsked) { message in
                    Finding(
                        "a rate-limited question is stored", expected: "no trace of it",
                        actual: shown(message.text), at: [request.event, refusal, read.event])
                }
            }
        }
        let refused = Set(limited.map(\.request.event))
        for window in ListWindow.all(in: history) {
            guard let last = window.refused.last, window.refused.allSatisfy({ refused.contains($0.request) }) else {
                continue
            }
            let added = window.unexplained
            evidence.test(
                added.isEmpty, otherwise: "a rate-limited question created a session",
                expected: "only sessions of accepted questions", actual: listed(added),
                at: [last.request, last.answer, window.after.event])
        }
    }

    /// The stored message that a refused question left; one with the same text may belong to another question.
    private static func trace(
        of entry: RateLedger.Entry, in read: ObservedSessionRead, _ ledger: RateLedger
    ) -> ObservedSessionRead.StoredMessage? {
        if let key = entry.request.clientMessageId,
            let message = read.messages.first(where: { $0.clientMessageId == key })
        {
            return message
        }
        let prompt = entry.request.prompt
        let isAskedAgain = ledger.entries.contains {
            $0.request.event != entry.request.event && exactlyEqual($0.request.prompt, prompt)
        }
        guard !isAskedAgain else { return nil }
        return read.messages.first { $0.role == "user" && $0.clientMessageId == nil && exactlyEqual($0.text, prompt) }
    }

    /// RATE-8: "A server MUST keep the connection open after `rate_limited` and go on answering `ping` and `sync` while
    /// the budget is spent".
    ///
    /// Once for each `ping` and `sync` after a `rate_limited` on its connection and within the wait that it states, and for
    /// each connection that the server ended within that time.
    static func connectionsOutliveRefusals(_ history: Observations, _ evidence: inout Evidence) {
        let limitErrors = Dictionary(grouping: RateLedger.limitErrors(history), by: \.connection)
        for (index, connection) in history.connections.enumerated() {
            guard let refusals = limitErrors[index], let first = refusals.first else { continue }
            func refusal(before event: Int) -> Frame? {
                refusals.last { frame in
                    let wait = min(max(frame["retryAfterMs"]?.intValue ?? 0, 0), 3_600_000) * 1000
                    return frame.event < event && history.span(from: frame.event, to: event) < wait
                }
            }
            func count(_ what: String, _ asked: Int, _ answer: Int?, _ bound: Duration) {
                guard let refusal = refusal(before: asked) else { return }
                evidence.test(answer != nil, orBy: history.deadline(after: asked, within: bound, on: index)) { late in
                    Finding(
                        "a \(what) was not answered while the budget was used up",
                        expected: "the usual answer", actual: "nothing", at: [refusal.event, asked, late])
                }
            }
            for ping in history.pings(on: index) where ping.request.event > first.event {
                count("ping", ping.request.event, ping.pong?.event, history.timeouts.pong)
            }
            if history.profiles.contains(.sync) {
                let malformed = Set(history.hostileFrames.map(\.frame.event))
                for sync in history.syncs where sync.connection == index && sync.request.event > first.event {
                    if malformed.contains(sync.request.event) { continue }
                    count("sync", sync.request.event, sync.result?.event, history.timeouts.sync)
                }
            }
            guard connection.wasEndedByServer, connection.pauses.isEmpty, let ending = connection.ending,
                !ending.isExcused, let refusal = refusal(before: ending.event),
                !history.wasStopped(between: connection.opening, and: ending.event),
                !history.hostileFrames.contains(where: {
                    $0.frame.connection == index && $0.frame.event < ending.event
                })
            else { continue }
            evidence.violate(
                "a connection ended after a rate_limited error", expected: "it stays open",
                actual: "the server ended it", at: [refusal.event, ending.event])
        }
    }

    /// RATE-9: "A server MUST accept the refused `chat` when it is sent again after `retryAfterMs`, if nothing else was
    /// sent meanwhile and no turn of its session runs".
    ///
    /// Once for each refused `chat` that was the next question of its principal again, once the wait was over, when nothing
    /// else was in the air at the refusal.
    static func statedWaitsAreEnough(_ history: Observations, _ evidence: inout Evidence) {
        let ledger = RateLedger(history)
        for frame in RateLedger.limitErrors(history) {
            guard let wait = frame["retryAfterMs"]?.intValue, wait >= 0, wait < 86_400_000,
                let refused = ledger.entries.first(where: { $0.request.refusal == frame.event })
            else { continue }
            let others = ledger.entries.filter { $0.request.principal == refused.request.principal }
            let isAlone = others.allSatisfy { other in
                let (own, asked) = (refused.request, other.request)
                // On one connection, what was sent before was decided before.
                let isBefore = asked.connection != nil && asked.connection == own.connection && asked.event < own.event
                return asked.event >= frame.event || asked.event == own.event || isBefore
                    || other.answered.map { $0 < frame.event } ?? false
            }
            guard isAlone, let again = others.first(where: { $0.request.event > frame.event }),
                again.request.connection != nil, exactlyEqual(again.request.prompt, refused.request.prompt),
                again.request.clientMessageId == refused.request.clientMessageId,
                history.span(from: frame.event, to: again.request.event) >= wait * 1000
            else { continue }
            let code = again.request.refusalCode
            let isUnreasonable = code.map {
                ErrorMeaning.refusals.contains($0) && history.isNoReason($0, to: again.request)
            }
            // What was sent until the answer came may have been counted before it.
            let isFirst = others.allSatisfy { other in
                other.request.event <= again.request.event || other.request.event > again.request.refusal ?? .max
            }
            let proof = isFirst && (again.isLimited || isUnreasonable == true) ? again.request.refusal : nil
            evidence.test(again.accepted != nil, orBy: proof) { refusal in
                Finding(
                    "a chat was refused again after the stated wait", expected: "accepted after \(wait) ms",
                    actual: again.isLimited ? "rate-limited" : called(error: code),
                    at: [frame.event, again.request.event, refusal])
            }
        }
    }

    /// RATE-10: "A server MUST NOT count repeats of an accepted `clientMessageId` against the budget, nor refuse one for its
    /// rate".
    ///
    /// Once for each principal whose budget was filled with new questions after repeats in the same window, for each refusal
    /// that only repeats can explain, and for each repeat of a question that was seen to be accepted before a budget that was
    /// surely spent.
    static func repeatsAreFree(_ history: Observations, _ evidence: inout Evidence) {
        let ledger = RateLedger(history)
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
                let repeats = asked.filter { $0.isRepeat && $0.accepted ?? .max < entry.request.event }
                let new = ledger.surelyCounted(before: entry, decided: accepted).count
                if !repeats.isEmpty, new < limit, new + repeats.count >= limit { evidence.keep() }
            }
        }
        let repeats = Set(history.trueRepeats.map(\.event))
        let taken = Dictionary(
            ledger.entries.compactMap { entry in
                entry.isRepeat ? nil : entry.accepted.map { (entry.turn.event, $0) }
            }, uniquingKeysWith: { first, _ in first })
        for entry in ledger.entries where entry.isRepeat && repeats.contains(entry.request.event) {
            guard let accepted = taken[entry.turn.event], accepted < entry.request.event else { continue }
            if entry.isLimited, let refusal = entry.request.refusal {
                evidence.violate(
                    "a repeat was rate-limited", expected: "the usual answer to a repeat",
                    actual: "a refusal, although its question was accepted",
                    at: [accepted, entry.request.event, refusal])
            } else if let answered = entry.answered,
                let limit = ledger.limit(of: entry.request.principal, at: entry.request.event),
                ledger.surelyCounted(before: entry, decided: answered).count >= limit
            {
                evidence.keep()
            }
        }
    }
}

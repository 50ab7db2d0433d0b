import Holdfast
import JSON
import Transcript

/// Checks of what follows a refusal for the rate.
extension RATE {
    /// RATE-6: "A server MUST name in `rate_limited` the `clientMessageId` of the `chat` it refuses, when that had one".
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
            if let key = frame.clientMessageId, let own = waiting.first(where: { $0.request.clientMessageId == key }) {
                answered.insert(own.request.event)
                evidence.keep()
            } else {
                evidence.violate(
                    "a refusal for the rate does not name the chat it refuses",
                    expected: "the clientMessageId of a chat that waits", actual: shown(frame.clientMessageId),
                    at: [waiting[0].request.event, frame.event])
            }
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
                    "a question that was refused for its rate was run", expected: "nothing after the refusal",
                    actual: "a frame of its turn", at: [request.event, refusal, sign])
                continue
            }
            for read in history.sessionReads
            where read.principal == request.principal && read.request > refusal && read.event < end {
                if let message = trace(of: entry, in: read, ledger) {
                    evidence.violate(
                        "a question that was refused for its rate is stored", expected: "no trace of it",
                        actual: shown(message.text), at: [request.event, refusal, read.event])
                } else if read.sessionId == request.sessionAsked {
                    evidence.keep()
                }
            }
        }
        let refused = Set(limited.map(\.request.event))
        for window in ListWindow.all(in: history) {
            guard let last = window.refused.last, window.refused.allSatisfy({ refused.contains($0.request) }) else {
                continue
            }
            let explained = Set(window.created.compactMap(\.sessionId))
            let added = window.added.filter { !explained.contains($0) }
            evidence.test(
                added.isEmpty, otherwise: "a session appeared though its question was refused for its rate",
                expected: "no session but those of accepted questions", actual: listed(added),
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
            func refusal(before event: Int) -> ObservedFrame? {
                refusals.last { frame in
                    let wait = min(max(frame["retryAfterMs"]?.intValue ?? 0, 0), 3_600_000) * 1000
                    return frame.event < event && history.time(of: event) - history.time(of: frame.event) < wait
                }
            }
            func count(_ what: String, _ asked: Int, _ answer: Int?, _ bound: Duration) {
                guard let refusal = refusal(before: asked) else { return }
                if answer != nil { return evidence.keep() }
                guard let late = history.deadline(after: asked, within: bound, on: index) else { return }
                evidence.violate(
                    "a \(what) stayed unanswered while the budget was spent", expected: "the answer it has otherwise",
                    actual: "nothing", at: [refusal.event, asked, late])
            }
            for ping in history.pings(on: index) where ping.request.event > first.event {
                count("ping", ping.request.event, ping.pong?.event, history.timeouts.pong)
            }
            if history.profiles.contains(.sync) {
                for sync in history.syncs where sync.connection == index && sync.request.event > first.event {
                    count("sync", sync.request.event, sync.result?.event, history.timeouts.sync)
                }
            }
            guard connection.wasEndedByServer, let ending = connection.ending, !ending.isExcused,
                let refusal = refusal(before: ending.event),
                !history.wasStopped(between: refusal.event, and: ending.event),
                !history.hostileFrames.contains(where: {
                    $0.frame.connection == index && $0.frame.event < ending.event
                })
            else { continue }
            evidence.violate(
                "a connection ended after a refusal for the rate", expected: "it stays open",
                actual: "the server ended it", at: [refusal.event, ending.event])
        }
    }

    /// RATE-9: "A server MUST accept the refused `chat` when it is sent again after `retryAfterMs`, if nothing else was
    /// sent meanwhile".
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
                guard other.request.event < frame.event, other.request.event != refused.request.event else {
                    return true
                }
                // On one connection, what was sent before was decided before.
                if other.request.connection == refused.request.connection, other.request.connection != nil,
                    other.request.event < refused.request.event
                {
                    return true
                }
                return other.answered.map { $0 < frame.event } ?? false
            }
            guard isAlone, let again = others.first(where: { $0.request.event > frame.event }),
                again.request.connection != nil, exactlyEqual(again.request.prompt, refused.request.prompt),
                again.request.clientMessageId == refused.request.clientMessageId,
                history.time(of: again.request.event) - history.time(of: frame.event) >= wait * 1000
            else { continue }
            if again.accepted != nil {
                evidence.keep()
            } else if again.isLimited, let refusal = again.request.refusal {
                evidence.violate(
                    "a chat was refused again though the stated wait was over", expected: "accepted after \(wait) ms",
                    actual: "refused for its rate", at: [frame.event, again.request.event, refusal])
            }
        }
    }

    /// RATE-10: "A server SHOULD NOT count repeats of an accepted `clientMessageId` against the budget".
    ///
    /// Once for each principal whose budget was filled with new questions after repeats in the same window, and for each
    /// refusal that only repeats can explain.
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
    }
}

import Holdfast
import HoldfastJSON
import HoldfastTranscript

extension CLIENT {
    /// CLIENT-7: "A client MUST resend each question whose connection or request ended before the server said anything
    /// about it, unless CLIENT-9 or CLIENT-11 forbids it".
    ///
    /// Tested once for each question whose connection ended before any sign of it, and once for each that was typed
    /// into a dead connection still shown as connected. A question that appears in a replay or a history meanwhile has
    /// arrived and need not be resent. Broken if a greeted connection lasts for `resend` without it.
    static func lostQuestionsAreSentAgain(_ history: Observations, _ evidence: inout Evidence) {
        for question in history.clientQuestions where !question.isAmbiguous {
            guard let lost = history.loss(of: question) else { continue }
            let limits = history.frameLimits.filter { history.endOfLife(at: $0.at) > lost.sent }.map(\.bytes)
            var bytes = question.requests.compactMap(history.size).max() ?? question.text.utf8.count
            // A failed message may have been too large together with the conversation sent with it.
            if history.hasFailed(question, from: lost.sent, to: .max) {
                let screens = history.client.states.filter { !$0.isBefore(lost.sent) }
                bytes += screens.map { $0.messages.reduce(64) { $0 + $1.text.utf8.count + 64 } }.max() ?? 0
            }
            if limits.contains(where: { $0 < bytes }) { continue }
            let hasArrived = question.signs.contains { $0.isAfter(lost.sent) }
            let proof = hasArrived ? nil : history.proofNotSentAgain(of: question, lostAt: lost)
            evidence.test(lost.isSentAgain(question), brokenBy: proof) { proof in
                Finding(
                    "an unacknowledged message is never resent",
                    expected: "the same chat on the next connection or over REST",
                    actual: "nothing within \(history.clientPatience) on an open connection",
                    at: [lost.sent, lost.event, proof])
            }
        }
    }

    /// CLIENT-6: "A client MUST send a message again with its first content, under its last `clientMessageId` while
    /// that is open, and never under one that is spent".
    ///
    /// Tested once for each request after the first of one message, until the client learned of its ending or refusal.
    static func resendsAreUnchanged(_ history: Observations, _ evidence: inout Evidence) {
        for question in history.clientQuestions where !question.isAmbiguous {
            guard let first = question.requests.first, let key = first.clientMessageId else { continue }
            for again in question.requests.dropFirst() {
                guard !question.signs.contains(where: { $0.isBefore(again.event) && $0.kind != .proof }) else { break }
                let isSameText = MessageContent.isSame(again.content, as: first.content)
                evidence.test(
                    again.clientMessageId == key && isSameText,
                    otherwise: again.clientMessageId == key
                        ? "a message was resent with another text" : "a message was resent under another key",
                    expected: "\(shown(key)), \(shown(first.prompt))",
                    actual: "\(shown(again.clientMessageId)), \(shown(again.prompt))", at: [first.event, again.event])
            }
        }
    }

    /// CLIENT-5: "A client MUST give each new message of the person a `clientMessageId` of its own".
    ///
    /// Tested once for each message after the first, and once for each without a key. Of two equal texts, the second
    /// certainly reused the key of the first if the first had been answered, and no other key ever carried the second.
    static func messagesHaveOwnKeys(_ history: Observations, _ evidence: inout Evidence) {
        var used: [String: Int] = [:]
        let questions = history.clientQuestions
        for (index, question) in questions.enumerated() {
            guard let first = question.requests.first else {
                if let event = keyReuse(by: question, among: questions[..<index], history) {
                    evidence.violate(sameKey(event.first, event.second))
                }
                continue
            }
            guard let key = first.clientMessageId else {
                evidence.violate(
                    "a message has no key", expected: "a clientMessageId", actual: "none", at: [first.event])
                continue
            }
            evidence.test(no: used[key], keptIf: !used.isEmpty) { sameKey($0, first.event) }
            used[key] = used[key] ?? first.event
        }
    }

    private static func sameKey(_ first: Int, _ second: Int) -> Finding {
        Finding(
            "two messages have the same key", expected: "a different clientMessageId for each",
            actual: "the same", at: [first, second])
    }

    private static func keyReuse(
        by question: ClientQuestion, among earlier: ArraySlice<ClientQuestion>, _ history: Observations
    ) -> (first: Int, second: Int)? {
        guard let typed = question.typed, let twin = earlier.last(where: { $0.hasText(question.text) }),
            let first = twin.requests.first, let proof = twin.proof, proof < typed,
            let second = twin.requests.first(where: { $0.isAfter(typed) })
        else { return nil }
        // A turn that is known to have ended is not requested again; one that runs may be.
        let isOver = twin.signs.contains { sign in
            sign.kind == .ending && sign.isBefore(typed)
                && !history.mayBeMissed(sign, of: twin, before: second.event)
        }
        guard isOver || history.clientDeadline(after: typed, within: history.clientPatience) != nil else { return nil }
        return (first.event, second.event)
    }

    /// CLIENT-11: "A client MUST NOT send a `chat` or a `POST /api/chat` larger than the `limits.maxFrameBytes` of the
    /// last `connected` since its launch, but show the message as failed".
    ///
    /// Tested once for each question over the limit that was sent, and once for each text over the limit that was typed
    /// while a connection was open, and is shown as failed.
    static func limitsAreKept(_ history: Observations, _ evidence: inout Evidence) {
        let limits = history.frameLimits
        func limit(before event: Int, for sent: Int) -> (at: Int, bytes: Int)? {
            let last = limits.lastIndex { $0.at < event && history.endOfLife(at: $0.at) > sent }
            return last.map { (limits[$0].at, limits[$0...].prefix { $0.at < sent }.map(\.bytes).max() ?? 0) }
        }
        for question in history.clientQuestions {
            for request in question.requests {
                // A request that was on its way when `connected` arrived may observe either limit.
                let event = request.connection == nil ? history.inFlight(before: request.event) : request.event
                guard let limit = limit(before: event, for: request.event),
                    let bytes = history.size(of: request), bytes > limit.bytes,
                    history.wasSurelyGreeted(before: request.event, by: limit.at)
                else { continue }
                evidence.violate(
                    "a question is larger than the server accepts",
                    expected: "at most \(limit.bytes) bytes, or nothing",
                    actual: "\(bytes) bytes", at: [limit.at, request.event])
            }
            guard let typed = question.typed, question.requests.isEmpty, let limit = limit(before: typed, for: typed),
                question.text.utf8.count > limit.bytes, history.connectionInUse(at: typed) != nil,
                history.hasFailed(question, from: typed, to: history.endOfLife(at: typed))
            else { continue }
            evidence.keep()
        }
    }

    // MARK: Refusals

    /// Codes that refuse a message temporarily; they end no turn.
    static let transientCodes: Set<String> = ["busy", "rate_limited"]
    private static let finalRefusalCodes: Set<String> = [
        "parse_error", "bad_request", "unknown_type", "session_not_found", "too_large", "idempotency_mismatch",
    ]

    /// Whether a message is over: its turn has ended, or it was refused for good (chapter 2).
    static func isFinal(_ sign: ClientQuestion.Sign) -> Bool {
        sign.kind == .ending || finalRefusalCodes.contains(sign.error?.code ?? "")
    }

    /// CLIENT-9: "A client MUST NOT send a message again after a final refusal, or more than 24 hours after its first
    /// send, unless the person asks for it".
    ///
    /// Tested once for each such refusal, if the message was resent, or `resend` was watched to its end. A refusal that
    /// arrived just before the client left or its connection ended may never have been processed.
    static func refusalsSettle(_ history: Observations, _ evidence: inout Evidence) {
        for question in history.clientQuestions where !question.isAmbiguous {
            let refusals = question.signs.filter { $0.input == .refusedForGood || $0.input == .refusedMismatch }
            for refusal in refusals {
                let again = question.requests.first { $0.isAfter(refusal.event) }
                guard !history.mayBeMissed(refusal, of: question, before: again?.event ?? .max) else { continue }
                if let again, !question.repeats.between(refusal.event, again.event).isEmpty { continue }
                if let again, refusals.contains(where: { $0.isAfter(refusal.event) && $0.isBefore(again.event) }) {
                    continue
                }
                let isWatched =
                    history.clientDeadline(after: refusal.event, within: history.clientBound(\.resend), unless: [])
                    != nil
                evidence.test(no: again, keptIf: isWatched) { again in
                    Finding(
                        "a message was resent after a final refusal", expected: "not resent",
                        actual: "resent after \(refusal.error?.code ?? "")", at: [refusal.event, again.event])
                }
            }
        }
    }

    /// CLIENT-8: "A client MUST NOT send a message refused with `rate_limited` again before `retryAfterMs` has
    /// passed".
    ///
    /// Tested once for each refusal that names a time, if the message was resent, or the time was watched to its end. A
    /// client that may never have processed the refusal must resend the message once its connection ends (CLIENT-7).
    static func rateLimitsAreWaitedFor(_ history: Observations, _ evidence: inout Evidence) {
        for question in history.clientQuestions where !question.isAmbiguous {
            for sign in question.signs where sign.kind == .refusal && sign.error?.code == "rate_limited" {
                guard let wait = sign.error?.retryAfter, wait > 0 else { continue }
                let limit = history.time(of: sign.event) + wait
                let again = question.requests.first { $0.isAfter(sign.event) }
                guard !history.mayBeMissed(sign, of: question, before: again?.event ?? .max) else { continue }
                if let again {
                    evidence.test(
                        history.time(of: again.event) >= limit,
                        otherwise: "a rate-limited message was resent too soon",
                        expected: "not within \(wait / 1_000) ms",
                        actual: "after \((history.span(from: sign.event, to: again.event)) / 1_000) ms",
                        at: [sign.event, again.event])
                } else if let proof = history.proof(after: sign.event, limit: limit),
                    history.isAble(from: sign.event, to: proof.event)
                {
                    evidence.keep()
                }
            }
        }
    }
}

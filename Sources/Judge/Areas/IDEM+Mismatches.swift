import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// Keys that stand for something else, were refused, or belong to somebody else.
extension IDEM {
    /// IDEM-9: "A server MUST answer a `chat` that reuses a `clientMessageId` with different content or for another session
    /// with an `error` of code `idempotency_mismatch`".
    ///
    /// Nobody reads the key of what is too large (ENV-15), or comes before `connected` (AUTH-2).
    static func mismatchIsAnError(_ history: Observations, _ evidence: inout Evidence) {
        for again in history.mismatches {
            guard let connection = again.request.connection,
                history.connections[connection].connected.map({ $0 < again.event }) == true,
                again.request.refusalCode != "too_large" || history.isNoReason("too_large", to: again.request)
            else { continue }
            let missing = history.unanswered(again.event, within: history.timeouts.error, on: connection)
            guard let event = again.request.refusal ?? again.request.ack?.event ?? missing?.proof else { continue }
            evidence.test(
                again.request.refusalCode == "idempotency_mismatch",
                otherwise: "a reused key was not refused with idempotency_mismatch",
                expected: "error idempotency_mismatch",
                actual: again.request.refusalCode.map { "error \($0)" }
                    ?? (again.request.ack == nil ? missing?.actual : nil) ?? "an ack", at: [again.event, event])
        }
    }

    /// IDEM-10: "A server MUST answer a `POST /api/chat` that reuses a `clientMessageId` with different content or for
    /// another session with 422 and the code `idempotency_mismatch`".
    ///
    /// Nobody reads the key of what is too large (REST-16).
    static func mismatchOverRESTIs422(_ history: Observations, _ evidence: inout Evidence) {
        for again in history.mismatches where again.request.connection == nil {
            guard let exchange = history.exchange(of: again.request), let status = exchange.status else { continue }
            let limit = history.frameLimits.last { $0.told < again.event }?.bytes ?? 0
            if status == 413, history.size(of: again.request).map({ $0 > limit }) ?? true { continue }
            let code = exchange.answer?.root["code"]?.stringValue
            evidence.test(
                status == 422 && code == "idempotency_mismatch",
                otherwise: "a reused key was not refused with 422 over REST",
                expected: "422, idempotency_mismatch", actual: "\(status), \(code ?? "no code")", at: exchange.events)
        }
    }

    /// IDEM-11: "A server MUST NOT start a turn or store a message for a mismatch".
    ///
    /// Once for each mismatch in each read that began after its answer, where its text is the trace, in each list that can
    /// be compared with one from before it, and once for each that a `message` shows as stored.
    static func mismatchLeavesNoTrace(_ history: Observations, _ evidence: inout Evidence) {
        for again in history.mismatches {
            if let message = again.storedMessage {
                evidence.violate(
                    "a question with a reused key was stored", expected: "no message \(again.request.excerpt)",
                    actual: "message \(shown(message.messageId))", at: [again.event, message.event])
            }
            // The same words may have been accepted under a key of their own.
            let others = history.turns.filter { $0.event != again.turn.event && !$0.isRefused }.flatMap(\.requests)
            let isElsewhere = (again.turn.requests + others).contains {
                $0.event != again.event && exactlyEqual($0.prompt, again.request.prompt)
            }
            guard let answered = again.request.refusal ?? again.answered else { continue }
            let principal = again.turn.principal
            for read in history.sessionReads
            where read.principal == principal && read.request > answered && !isElsewhere {
                evidence.test(
                    !read.messages.contains {
                        $0.role == "user" && exactlyEqual($0.text, again.request.prompt)
                    },
                    otherwise: "a question with a reused key was stored",
                    expected: "no message \(again.request.excerpt)",
                    actual: "one in session \(read.sessionId)", at: [again.event, read.event])
            }
            let lists = history.listReads.filter { $0.principal == principal }
            guard let before = lists.last(where: { $0.event < again.event }),
                let after = lists.first(where: { $0.request > answered }),
                let new = newSessions(from: before, to: after, principal, history)
            else { continue }
            evidence.test(
                new.isEmpty, otherwise: "a question with a reused key created a session",
                expected: "only sessions of accepted questions", actual: "session \(new.joined(separator: ", "))",
                at: [again.event, after.event])
        }
    }

    /// Sessions that a list has, an earlier one lacks, and no accepted question of this history explains; nil while a question
    /// runs in a session not known yet.
    private static func newSessions(
        from before: ObservedListRead, to after: ObservedListRead, _ principal: String, _ history: Observations
    ) -> [String]? {
        let turns = history.turns.filter { $0.principal == principal && $0.event < after.event }
        guard turns.allSatisfy({ $0.sessionId != nil || $0.isRefused }) else { return nil }
        let known = Set(before.ids + turns.compactMap(\.sessionId))
        return after.ids.filter { !known.contains($0) }
    }

    /// IDEM-14: "A server MUST accept a `clientMessageId` whose earlier `chat` or `POST /api/chat` it refused, as if it were
    /// new".
    ///
    /// Once for each key that was refused and then sent again with success, as a mismatch or duplicate of nothing, or to be
    /// refused for what is not wrong with it. A question that could not be stored may be a turn that failed, whose key is used;
    /// then the same question is a repeat, and a mismatch of nothing either way. Nor is it refused once more because it cannot be
    /// stored, when another question of its conversation could be since.
    static func refusedKeyIsFree(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns where turn.clientMessageId != nil {
            guard let refused = turn.requests.first(where: { $0.refusal != nil })?.refusal, turn.request.refusal != nil,
                let reason = turn.request.refusalCode, reason != "idempotency_mismatch",
                case let isRefusal = ErrorMeaning.refusals.contains(reason), isRefusal || reason == "persist_failed",
                let again = turn.requests.first(where: { $0.event > refused }), isAlone(again, in: turn)
            else { continue }
            func test(_ holds: Bool, _ actual: String, _ event: Int) {
                evidence.test(
                    holds, otherwise: "a key that was refused counts as used", expected: "accepted as new",
                    actual: actual,
                    at: [refused, event])
            }
            if let event = again.ack?.event ?? again.success {
                let isDuplicate = history.isCalledDuplicate(again)
                guard isRefusal || !isDuplicate && history.couldBeStored(again, after: refused, at: event) else {
                    continue
                }
                test(!isDuplicate, "duplicate: true", event)
            } else if let event = again.refusal, let code = again.refusalCode,
                code == "idempotency_mismatch" && (isRefusal || exactlyEqual(again.prompt, turn.request.prompt))
                    || isRefusal && ErrorMeaning.refusals.contains(code) && history.isNoReason(code, to: again)
                    || !isRefusal && code == reason && again.connection != nil
                        && history.couldBeStored(again, after: refused, at: event)
                        && !history.wasStopped(between: again.event, and: event)
            {
                test(false, code, event)
            } else if isRefusal, again.refusal == nil, again.sessionAsked == nil, turn.frames.isEmpty,
                turn.endings.isEmpty, let late = silence(after: again, history)
            {
                // A new conversation waits for no other turn.
                test(false, "nothing", late)
            }
        }
    }

    private static func silence(after again: ObservedRequest, _ history: Observations) -> Int? {
        if let exchange = history.exchange(of: again) {
            return history.deadline(after: exchange, within: history.timeouts.turn + again.scriptedWait)
        }
        guard let connection = again.connection else { return nil }
        return history.deadline(after: again.event, within: history.timeouts.ack, on: connection)
    }

    /// Whether no other request with its key could be accepted before one was answered.
    private static func isAlone(_ again: ObservedRequest, in turn: ObservedTurn) -> Bool {
        let answer = [again.ack?.event, again.refusal, again.outcome].compactMap(\.self).min() ?? .max
        return turn.requests.allSatisfy { other in
            if let refusal = other.refusal, refusal < again.event { return true }
            let isBehind = other.origin == again.origin && other.event >= again.event
            return isBehind || other.event > answer
        }
    }

    /// IDEM-15: "A server MUST treat a `clientMessageId` of one principal as unrelated to the same id of another".
    ///
    /// Once for each answer to a key that another principal had used before.
    static func keysBelongToTheirPrincipal(_ history: Observations, _ evidence: inout Evidence) {
        for (index, turn) in history.turns.enumerated() {
            guard let key = turn.clientMessageId,
                let other = history.turns[..<index].first(where: {
                    $0.clientMessageId == key && $0.principal != turn.principal
                }), let known = other.acks.first?.event ?? other.response, known < turn.event
            else { continue }
            func test(_ holds: Bool, _ actual: String, _ event: Int) {
                evidence.test(
                    holds, otherwise: "a key counts for two principals", expected: "a separate turn",
                    actual: actual, at: [known, event])
            }
            if let refusal = turn.request.refusal, turn.request.refusalCode == "idempotency_mismatch" {
                test(false, "idempotency_mismatch", refusal)
            } else if let event = turn.request.ack?.event ?? turn.request.success {
                let isDuplicate = history.isCalledDuplicate(turn.request)
                let isShared = turn.turnId != nil && turn.turnId == other.turnId
                let isTogether = turn.sessionId != nil && turn.sessionId == other.sessionId
                let actual = isDuplicate ? "duplicate: true" : "the other's turn or session"
                test(!isDuplicate && !isShared && !isTogether, actual, event)
            }
        }
    }

    // MARK: Repeats after a crash

    /// IDEM-12: "A server MUST recognise a repeat after it was killed and started again".
    ///
    /// Once for each answer to a repeat of a question that was acknowledged, or answered, before the crash, and once for each
    /// later read that shows its question more than once.
    static func repeatsAreRecognisedAfterACrash(_ history: Observations, _ evidence: inout Evidence) {
        for again in history.trueRepeats {
            guard let first = history.original(of: again.turn),
                history.lives.crashed(from: history.life(of: first), to: history.life(of: again.request)),
                again.request.refusalCode != "rate_limited"
            else { continue }
            let original = history.namedTurns(of: again.turn).first { history.isPromise($0.event, of: again.turn) }
            func test(_ holds: Bool, keptIf counts: Bool = true, _ actual: String, _ event: Int) {
                evidence.test(
                    holds, keptIf: counts, otherwise: "a repeat was not recognized after a crash",
                    expected: "duplicate: true, turn \(original?.turnId ?? "of the first")", actual: actual,
                    at: [original?.event ?? first.event, again.event, event])
            }
            if let ack = again.request.ack {
                // A wire without turns and marks shows it by the stored message.
                let isSame =
                    !ack.says("turnId") && ack["duplicate"] == nil && ack.messageId != nil
                    && ack.messageId == first.ack?.messageId
                test(
                    isSame || ack.isDuplicate && (original == nil || ack.turnId == original?.turnId),
                    "duplicate: \(ack.isDuplicate), turn \(ack.turnId ?? "none")", ack.event)
            } else if let response = again.request.outcome {
                let body = history.body(ofResponse: response)
                let turnId = body?.id("turnId")
                let isDuplicate = history.isDuplicate(response: response)
                let isOther = original.map { known in turnId.map { $0 != known.turnId } ?? false } ?? false
                test(
                    !isOther && (again.request.success == nil || isDuplicate), keptIf: turnId != nil || isDuplicate,
                    "turn \(turnId ?? "none"), duplicate: \(body?["duplicate"]?.text() ?? "absent")", response)
            } else if let refusal = again.request.refusal {
                test(false, "a refusal: \(again.request.refusalCode ?? "without code")", refusal)
                continue
            }
            for read in history.reads(of: again.turn) where read.request > again.event {
                let count = history.places(in: read).questions(of: again.turn).count
                test(count <= 1, keptIf: false, "\(count) user messages", read.event)
            }
        }
    }
}

import Holdfast
import HoldfastJSON
import HoldfastTranscript

extension IDEM {
    /// IDEM-5: "A server MUST refuse a question that uses an accepted `clientMessageId` for other content or another
    /// session with `idempotency_mismatch`".
    ///
    /// A server does not read the key of an oversized frame (ENV-8), or of one before `connected` (AUTH-2).
    static func mismatchIsRefused(_ history: Observations, _ evidence: inout Evidence) {
        for again in history.mismatches {
            let request = again.request
            let exchange = history.exchange(of: request)
            if exchange?.status == 413 || request.refusalCode == "too_large", history.mayBeTooLarge(request) {
                continue
            }
            let missing: Unanswered?
            if let connection = request.connection {
                guard history.connections[connection].isGreeted(before: again.event) else { continue }
                missing = history.unanswered(again.event, within: history.timeouts.error, on: connection)
            } else {
                // A server that checks the key only when the session is free answers as late as a turn.
                let bound = history.timeouts.turn + history.timeouts.rest
                missing = exchange.flatMap { history.unanswered($0, within: bound) }
            }
            guard let event: any HasEvent = request.refusal ?? again.answered ?? missing?.proof else { continue }
            let status = exchange?.status.map { "\($0), " } ?? ""
            let actual = request.refusalCode ?? (again.answered == nil ? missing?.actual : nil) ?? "taken as a repeat"
            evidence.test(
                request.refusalCode == "idempotency_mismatch" && exchange?.status ?? 422 == 422,
                otherwise: "a reused key was not refused with idempotency_mismatch",
                expected: exchange == nil ? "idempotency_mismatch" : "422, idempotency_mismatch",
                actual: status + actual, at: [again.event, event])
        }
    }

    /// IDEM-7: "A server MUST treat as new a `clientMessageId` of which it refused every earlier `chat` and `POST
    /// /api/chat`".
    ///
    /// Tested once for each key that was refused and then sent again, if it was accepted, called a mismatch or
    /// duplicate without an original, or refused without a reason. A question that could not be stored may be a failed
    /// turn, which uses its key; then the same question is a repeat, and a mismatch is wrong in both cases. Once
    /// another question of its session was stored, the server must not refuse it as unstorable again.
    static func refusedKeyIsFree(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns where turn.clientMessageId != nil {
            guard let refused = turn.requests.first(where: { $0.refusal != nil })?.refusal, turn.request.refusal != nil,
                let reason = turn.request.refusalCode, reason != "idempotency_mismatch",
                case let isRefusal = Frame.refusalCodes.contains(reason), isRefusal || reason == "persist_failed",
                let again = turn.requests.after(refused).first, isAlone(again, in: turn)
            else { continue }
            func test(_ holds: Bool, _ actual: String, _ event: any HasEvent) {
                evidence.test(
                    holds, otherwise: "a key that was refused counts as used", expected: "accepted as new",
                    actual: actual, at: [refused, event])
            }
            if let event = again.ack?.event ?? again.success {
                let isDuplicate = history.isCalledDuplicate(again)
                let counts = isRefusal || !isDuplicate && history.couldBeStored(again, after: refused, at: event)
                if counts { test(!isDuplicate, "duplicate: true", event) }
            } else if let event = again.refusal, let code = again.refusalCode {
                let isSame = isRefusal || exactlyEqual(again.prompt, turn.request.prompt)
                let isGroundless =
                    isRefusal
                    ? Frame.refusalCodes.contains(code) && history.isNoReason(code, to: again)
                    : code == reason && isStorableAgain(again, after: refused, at: event, history)
                if isGroundless || code == "idempotency_mismatch" && isSame { test(false, code, event) }
            } else if isRefusal, again.refusal == nil, again.sessionAsked == nil, turn.frames.isEmpty,
                turn.endings.isEmpty, let late = silence(after: again, history)
            {
                // A new session waits for no other turn.
                test(false, "nothing", late)
            }
        }
    }

    private static func isStorableAgain(
        _ again: ObservedRequest, after refused: Int, at event: Int, _ history: Observations
    ) -> Bool {
        again.connection != nil && history.couldBeStored(again, after: refused, at: event)
            && !history.wasStopped(between: again.event, and: event)
    }

    private static func silence(after again: ObservedRequest, _ history: Observations) -> Expiry? {
        if let exchange = history.exchange(of: again) {
            return history.deadline(after: exchange, within: history.timeouts.turn + again.scriptedWait)
        }
        guard let connection = again.connection else { return nil }
        return history.deadline(after: again.event, within: history.timeouts.ack, on: connection)
    }

    /// Whether no other request with its key could be accepted before this one was answered.
    private static func isAlone(_ again: ObservedRequest, in turn: ObservedTurn) -> Bool {
        let answer = earliest(again.ack?.event, again.refusal, again.outcome) ?? .max
        return turn.requests.allSatisfy { other in
            let isLater = other.origin == again.origin && !other.isBefore(again.event)
            return isLater || other.isAfter(answer) || other.refusal.isBefore(again.event)
        }
    }

    /// AUTH-7, rule 2: the same `clientMessageId` of two principals is unrelated.
    static func keysBelongToTheirPrincipal(_ history: Observations, _ evidence: inout Evidence) {
        for (index, turn) in history.turns.enumerated() {
            guard let key = turn.clientMessageId,
                let other = history.turns[..<index].first(where: {
                    $0.clientMessageId == key && $0.principal != turn.principal
                }), let known = other.acks.first?.event ?? other.response, turn.isAfter(known)
            else { continue }
            func test(_ holds: Bool, _ actual: String, _ event: Int) {
                evidence.test(
                    holds, otherwise: "a key of one principal affects another", expected: "a separate turn",
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
}

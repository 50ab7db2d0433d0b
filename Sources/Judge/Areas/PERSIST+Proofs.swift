import Holdfast
import Transcript

/// Durable before sent, by a disk that takes no writes and by kills on the very bytes of the promise.
extension PERSIST {
    /// PERSIST-1: "A server MUST make the answer of a turn durable before any byte of its `done` leaves".
    ///
    /// Broken by any read begun after a `done` that lacks the answer. Kept only by a history that holds everything: a turn
    /// without a fault, one whose write was refused and which got no `done`, and the kills. A `done` under the fault whose
    /// answer is there after a restart shows that the fault did not reach the store, so it proves nothing.
    static func doneMeansDurable(_ history: Observations, _ evidence: inout Evidence) {
        let proof = DurabilityProof(history)
        for (promise, fate) in zip(proof.promises, proof.fates) {
            guard let lost = fate.lostAt else { continue }
            evidence.violate(lostAnswer(promise, lost, history))
        }
        evidence.remarks = proof.remarks
        let count = proof.fates.count(where: \.isKnown) + proof.held
        guard evidence.violations.isEmpty, count + proof.blind.count > 0 else { return }
        evidence.exercised = count
        guard let doubt = proof.doubt else { return }
        evidence.doubts.append(doubt)
        evidence.exercised = max(count, 1)
    }

    private static func lostAnswer(_ promise: StoredPromise, _ lost: Int, _ history: Observations) -> Finding {
        let hasCrashed = history.hasCrashed(between: promise.told, and: lost)
        let hadNoDisk = history.lives.faults.contains { $0.covers(promise.told) }
        let told = promise.answer == nil ? "done" : "a 200"
        let what: String =
            switch (hadNoDisk, hasCrashed) {
            case (true, _): "\(told) came while writes were refused, and the answer is not there afterwards"
            case (false, true): "an answer that \(told) told of is gone after a crash"
            case (false, false): "a read that began after \(told) lacks the answer"
            }
        return Finding(
            what, expected: "the answer to \(promise.turn.request.excerpt)", actual: "a read without it",
            at: [promise.told, lost])
    }

    /// PERSIST-3: "A server MUST make the answer durable before it answers `POST /api/chat` with 200".
    ///
    /// Once for each kill on the bytes of a response that was read after the next start; fewer than 20 prove nothing. What is
    /// missing without a crash or a fault is the matter of PERSIST-12.
    static func responseMeansDurable(_ history: Observations, _ evidence: inout Evidence) {
        let promises = history.respondedAnswers
        let fates = history.fates(ofAnswers: promises)
        for (promise, fate) in zip(promises, fates) {
            guard let lost = fate.lostAt,
                history.hasCrashed(between: promise.told, and: lost)
                    || history.lives.faults.contains(where: { $0.covers(promise.told) })
            else { continue }
            evidence.violate(lostAnswer(promise, lost, history))
        }
        let kills = ArmedKills(on: "200", ofExchange: true, promises, fates, in: history)
        evidence.take(kills, on: "the response", "answer")
    }

    /// PERSIST-4: "A server MUST NOT send `done` for a turn whose answer it could not store".
    ///
    /// Once for each turn whose write was refused. A `done` all the same breaks it when the answer is not there afterwards;
    /// when it is, the fault did not reach the store.
    static func noDoneWithoutStoring(_ history: Observations, _ evidence: inout Evidence) {
        let promises = history.promisedAnswers
        let fates = history.fates(ofAnswers: promises)
        for write in RefusedWrite.all(in: history) {
            guard case .done(let done) = write.outcome else {
                if write.isHeldBack(in: history), write.metTheAnswer(in: history) { evidence.keep() }
                continue
            }
            let place = promises.firstIndex { $0.turn.event == write.turn.event }
            let fate = place.map { fates[$0] } ?? Fate()
            let events = [write.fault.begin, done]
            if let lost = fate.lostAt {
                evidence.violate(
                    "done came while writes were refused, and the answer is not there afterwards",
                    expected: "an error persist_failed, or the end of the connection", actual: "done",
                    at: events + [lost])
            } else {
                evidence.doubt(
                    "done came while writes were refused, and no read shows that its answer is missing",
                    expected: "a store that the fault reaches", actual: "a store that the probe cannot see",
                    at: events + [fate.keptAt ?? fate.shownAt].compactMap { $0 })
            }
        }
    }

    /// PERSIST-5: "A server MUST end a turn whose answer it could not store with an `error` of code `persist_failed`, or
    /// close the connection".
    ///
    /// Once for each turn that had no `done` while writes were refused. An error of another code is judged only for a turn
    /// that was surely accepted before; where no script says what the agent does, it may have failed for its own reasons.
    static func failedStoringIsTold(_ history: Observations, _ evidence: inout Evidence) {
        let expected = "error persist_failed, or the end of the connection"
        let isScripted = history.subject.hasScriptedAgent
        for write in RefusedWrite.all(in: history) {
            let mayFail = !isScripted || write.turn.isScriptedToFail
            switch write.outcome {
            case .ended, .failed(_, "persist_failed"): evidence.keep()
            case .failed(let event, let code):
                guard write.wasAccepted, write.request.connection != nil,
                    !(code.map(ErrorMeaning.refusals.contains) ?? false), !(code == "agent_failed" && mayFail)
                else { continue }
                evidence.violate(
                    "a turn whose answer could not be stored ended in another way", expected: expected,
                    actual: called(error: code), at: [write.fault.begin, write.turn.event, event].sorted())
            case .silent(let late):
                evidence.violate(
                    "a turn whose answer could not be stored did not end", expected: expected,
                    actual: "nothing within the bound 'turn'",
                    at: [write.fault.begin, write.turn.event].sorted() + [late])
            case .done, .succeeded, .open: continue
            }
        }
    }

    /// PERSIST-6: "A server MUST complete turns again once its storage works again".
    ///
    /// Once for each fault that held back a turn of a server that had completed one before: by the turns asked after it, up
    /// to the next fault.
    static func turnsCompleteAgain(_ history: Observations, _ evidence: inout Evidence) {
        let writes = RefusedWrite.all(in: history)
        for fault in history.lives.faults {
            let isHeldBack = writes.contains { $0.fault.begin == fault.begin && $0.isHeldBack(in: history) }
            let worked = history.turns.contains { turn in
                (turn.endings.first { $0.type == "done" }?.event ?? turn.response).map { $0 < fault.begin } ?? false
            }
            guard isHeldBack, worked else { continue }
            let next = history.lives.faults.first { $0.begin > fault.begin }?.begin ?? .max
            let later = history.turns.filter { $0.event > fault.end && $0.event < next }
            let outcomes = later.compactMap { afterwards($0, before: next, history) }
            evidence.test(outcomes.contains(where: { $0.isDone }), orBy: outcomes.last) { last in
                Finding(
                    "no turn was completed after the disk took writes again", expected: "done", actual: last.what,
                    at: [fault.end, last.event])
            }
        }
    }

    /// What came of a turn after a fault; nil when that says nothing of the storage.
    private static func afterwards(
        _ turn: ObservedTurn, before next: Int, _ history: Observations
    ) -> (isDone: Bool, what: String, event: Int)? {
        let isScripted = history.subject.hasScriptedAgent
        if let ending = turn.endings.first, ending.event < next {
            if ending.type == "done" { return (true, "done", ending.event) }
            guard ending.code != "agent_failed" || (isScripted && !turn.isScriptedToFail),
                !history.wasStopped(between: turn.event, and: ending.event)
            else { return nil }
            return (false, called(ending), ending.event)
        }
        if let response = turn.response, response < next { return (true, "200", response) }
        let request = turn.request
        if let event = request.failure ?? request.refusal, event < next {
            let code = request.refusalCode ?? history.body(ofResponse: event)?["code"]?.stringValue
            if code.map(ErrorMeaning.refusals.contains) == true || code == "agent_failed" { return nil }
            return (false, called(error: code), event)
        }
        guard let index = request.connection else { return nil }
        if let ending = history.connections[index].endByServer(after: -1), !ending.isExcused, ending.event < next,
            !history.wasStopped(between: turn.event, and: ending.event)
        {
            return (false, "the end of the connection", ending.event)
        }
        return history.turnDeadline(of: turn, on: index).map { (false, "nothing within the bound 'turn'", $0) }
    }
}

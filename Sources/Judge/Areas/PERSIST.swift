import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

enum PERSIST {
    static let checks: [Check] = [
        Check(
            .PERSIST, 1, Rule(doneMeansDurable, needs: [.stage]), Rule(responseMeansDurable, needs: [.stage]),
            Rule(PUSH.announcedAnswersAreStored), Rule(PUSH.unstoredAnswersAreNotAnnounced)),
        Check(.PERSIST, 2, readsHoldReportedMessages),
        Check(.PERSIST, 3, failedStorageIsReported),
        Check(.PERSIST, 4, turnsCompleteAgain),
        Check(.PERSIST, 5, shownMessagesAreKept),
        Check(.PERSIST, 6, otherSessionsSurvive),
        Check(.PERSIST, 7, readsAreAnsweredWhole),
    ]

    /// PERSIST-2: "A server MUST include in a session read each question whose `ack` or other frame, and each answer
    /// whose `done` or 200, left before the read began".
    ///
    /// Tested once for each question and each answer in each read of its session that started after it was announced; a
    /// 404 lacks all of them. TURN-2 and PERSIST-1 judge losses by a crash, and PERSIST-5 the loss of a session that a
    /// read had shown.
    static func readsHoldReportedMessages(_ history: Observations, _ evidence: inout Evidence) {
        history.forEachTurnRead { turn, read, places in
            func test(_ reported: Int?, _ found: [Int], _ what: String, at events: [Int?]) {
                guard history.mustShow(read, oneOf: [reported]) else { return }
                evidence.test(
                    !found.isEmpty, otherwise: "a read lacks \(what) that was announced before it began",
                    expected: "\(what) of \(turn.request.excerpt)",
                    actual: "\(read.messages.count) messages without it",
                    at: (events + [read.event]).compactMap(\.self))
            }
            let asked = turn.allFrames.filter { $0.code != "persist_failed" }.earliest?.event
            test(earliest(asked, turn.response), places.questions(of: turn), "the question", at: [turn.event])
            let success = turn.response.flatMap { history.body(ofResponse: $0) }
            // A response without ids does not tell which message it announced.
            let isNamed = success?.id("messageId") != nil || turn.turnId != nil
            let reported = earliest(turn.dones.earliest?.event, isNamed ? turn.response : nil)
            let answers = places.answers(of: turn, under: success?.id("messageId"))
            test(reported, answers, "the answer", at: [turn.event, reported])
        }
        namedSessionsAreFound(history, &evidence)
    }

    private static func namedSessionsAreFound(_ history: Observations, _ evidence: inout Evidence) {
        for exchange in history.exchanges where exchange.status == 404 {
            guard let session = exchange.sessionRead, let response = exchange.response,
                let principal = exchange.sent.principal,
                history.lastShown(session, to: principal, before: exchange.request) == nil,
                let reported = history.received.before(exchange.request).last(where: { frame in
                    (frame.kind == .done || !history.isCapture && frame.isOf(.ack, .toolUse))
                        && frame.sessionId == session && history.principal(of: frame) == principal
                        && !history.hasCrashed(between: frame.event, and: exchange.request)
                })
            else { continue }
            evidence.violate(
                "\(called(reported)) names a session that is not stored", expected: "a session that can be read",
                actual: "404 for \(shown(session))", at: [reported.event, response])
        }
    }

    /// PERSIST-7: "A server MUST answer lists and reads of existing sessions within `rest` with 200 and a whole, valid
    /// body, also while turns run and messages are stored".
    ///
    /// Tested once for each list, and each read of a session that the server had named to the reader. REST-1 validates
    /// the bodies; a member that no read ever shows does not make one incomplete (REST-1, ID-8).
    static func readsAreAnsweredWhole(_ history: Observations, _ evidence: inout Evidence) {
        lazy var members = history.membersOfStoredMessages
        let bound = history.timeouts.rest
        for exchange in history.exchanges where exchange.sent.method == "GET" && exchange.hasKnownPrincipal {
            func isKnown(_ test: (String, String, Int) -> Bool) -> Bool {
                if exchange.route == .sessions { return true }
                guard let id = exchange.sessionRead, let principal = exchange.sent.principal else { return false }
                return test(id, principal, exchange.request)
            }
            guard isKnown(history.sessions.exists) else { continue }
            // Even if a crash may have removed the session, the server must answer.
            if exchange.response == nil, let missing = history.unanswered(exchange, within: bound) {
                evidence.violate("a read got no response", expected: "200", by: missing)
                continue
            }
            guard let response = exchange.response, let status = exchange.status, isKnown(history.sessions.isOwed),
                !history.wasStopped(between: exchange.request, and: response)
            else { continue }
            // Possible reasons: expired credentials, a budget that others spent, the reader's cache, or a gateway.
            let isOfOthers = (300...399).contains(status) || status > 500 || [401, 403, 429].contains(status)
            if history.isCapture, isOfOthers { continue }
            let taken = history.effectiveSpan(from: exchange.request, to: response)
            let isLate = history.knowsDelays && taken > bound.microseconds
            evidence.test(no: isLate ? "\(taken / 1_000) ms" : flaw(of: exchange, status, members)) { flaw in
                Finding(
                    isLate ? "a read was answered late" : "a read of an existing session failed or is incomplete",
                    expected: isLate ? "within \(bound)" : "200 with the whole body", actual: flaw,
                    at: [exchange.request, response])
            }
        }
    }

    /// The problem of a read; nil if it is whole and its messages have the given members.
    private static func flaw(of exchange: ObservedExchange, _ status: Int, _ members: Set<String>) -> String? {
        guard status == 200 else { return "status \(status)" }
        guard let body = exchange.answer?.root else { return "a body that is not JSON" }
        guard let id = exchange.sessionRead else { return body["sessions"] == nil ? "a body without sessions" : nil }
        guard let messages = body["session"]?["messages"]?.arrayValue else { return "a body without session.messages" }
        let isWhole = messages.allSatisfy { message in members.allSatisfy { Observations.shows(message, $0) } }
        return isWhole && body["session"]?.id("id") == id ? nil : "a session or message without required members"
    }

    // MARK: Crashes

    /// PERSIST-5: "A server MUST keep every message that was acknowledged or read in every later read of its session,
    /// with id, text and order, also after a crash".
    ///
    /// Tested once for each read that started after another with messages had ended. The first read after a crash
    /// judges its losses, unless they occurred before or because of refused writes; TURN-2 and PERSIST-1 judge a
    /// message that only an `ack` or a `done` announced. A missing session keeps no message, except in a capture, where
    /// someone may have deleted it.
    static func shownMessagesAreKept(_ history: Observations, _ evidence: inout Evidence) {
        for exchange in history.exchanges {
            guard let id = exchange.sessionRead, let principal = exchange.sent.principal,
                let response = exchange.response, let status = exchange.status,
                let earlier = history.lastShown(id, to: principal, before: exchange.request)
            else { continue }
            let isAfterCrash = history.hasCrashed(between: earlier.event, and: exchange.request)
            let read = history.read(in: exchange)
            let lost = read?.firstLost(of: earlier)
            guard read == nil || lost != nil else {
                evidence.keep()
                continue
            }
            let isGone = isAfterCrash ? ![401, 403, 429].contains(status) : status == 404 && !history.isCapture
            guard read != nil || isGone,
                !isAfterCrash || !history.mayBeLost(id, of: principal, since: earlier.event, before: exchange.request)
            else { continue }
            evidence.violate(
                "a message shown before\(isAfterCrash ? " a crash" : "") is gone, changed or moved",
                expected: lost?.words ?? counted(earlier.messages.count, "message"),
                actual: read.map { "\($0.messages.count) messages without it" } ?? "status \(status)",
                at: [earlier.event, response])
        }
    }

    /// PERSIST-6: "A server MUST answer the session list and the reads of all other sessions after a crash in one of
    /// them".
    ///
    /// Tested once for each list, and each read of a session without a running turn, in the life after a crash during a
    /// turn or right after one. A session counts once a read, a list, an ack or an answer had shown it, unless an
    /// earlier crash or refused writes may have removed it.
    static func otherSessionsSurvive(_ history: Observations, _ evidence: inout Evidence) {
        for exchange in history.exchanges where exchange.sent.method == "GET" {
            guard let response = exchange.response, let status = exchange.status, ![401, 403, 429].contains(status),
                let crash = Crash(before: exchange, in: history)
            else { continue }
            let known = crash.othersKnown()
            func test(_ holds: Bool, keptIf counts: Bool = true, _ expected: String, _ actual: String) {
                evidence.test(
                    holds, keptIf: counts, otherwise: "other sessions are missing after a crash in one session",
                    expected: expected, actual: status == 200 ? actual : "status \(status)", at: [crash, response])
            }
            switch exchange.route {
            case .sessions:
                guard let list = history.listReads.first(where: { $0.event == response }) else {
                    test(false, "200 with the list", "a body without it")
                    continue
                }
                let missing = known.filter { !list.ids.contains($0) && !crash.mayHaveUnlisted($0) }
                test(
                    missing.isEmpty, keptIf: !known.isEmpty, "\(shown(missing.min())) in the list",
                    "a list of \(list.ids.count) sessions without it")
            case .session(let id) where known.contains(id) && !crash.mayHaveTaken(id):
                test(history.read(in: exchange) != nil, "200 with session \(shown(id))", "a body without it")
            default: continue
            }
        }
    }

    /// A crash during a turn or right after one, and the other sessions of a principal at that moment.
    private struct Crash: HasEvent {
        let event: Int
        private let principal: String
        private let struck: Set<String>
        private let history: Observations

        init?(before exchange: ObservedExchange, in history: Observations) {
            let life = history.lives.life(at: exchange.request)
            guard life > 0, let end = history.lives.end(of: life - 1), end.cause != .stopped,
                let principal = exchange.sent.principal
            else { return nil }
            struck = history.sessionsInUse(in: life - 1, at: end.event)
            guard !struck.isEmpty else { return nil }
            (event, self.principal, self.history) = (end.event, principal, history)
        }

        private func lastList(of session: String) -> ObservedListRead? {
            history.listReads.before(event).last { $0.ids.contains(session) }
        }

        func othersKnown() -> [String] {
            history.sessions.all(for: principal, before: event).map(\.session).filter { session in
                !struck.contains(session)
                    && (history.lastShown(session, to: principal, before: event) != nil
                        || lastList(of: session) != nil
                        || history.turns.contains { turn in
                            turn.principal == principal && turn.session == session
                                && !(turn.acks + turn.dones).before(event).isEmpty
                        })
            }
        }

        /// Whether an earlier crash or refused writes may have taken messages of a session.
        func mayHaveTaken(_ session: String) -> Bool {
            let read = history.lastShown(session, to: principal, before: event)
            return history.mayBeLost(session, of: principal, since: read?.event ?? -1, before: event)
        }

        func mayHaveUnlisted(_ session: String) -> Bool {
            mayHaveTaken(session)
                || history.lives.refusedWrites(between: lastList(of: session)?.event ?? -1, and: event)
        }
    }

    // MARK: Durable before sent: refused writes, and kills on the bytes of a promise

    /// PERSIST-1: "A server MUST make an answer durable before any byte of its `done`, 200 or push leaves, and send
    /// none of these for an answer that it could not store".
    ///
    /// Violated by any read that started after a `done` and lacks the answer. Satisfied only by a history with all of
    /// these: a turn without a fault, one without a `done` whose write was refused, and the kills. A `done` during the
    /// fault whose answer survives a restart shows that the fault did not affect the store, so it proves nothing.
    static func doneMeansDurable(_ history: Observations, _ evidence: inout Evidence) {
        let proof = DurabilityProof(history)
        for promise in proof.promises {
            guard let lost = promise.lostAt else { continue }
            // A later refused write removed an answer that a read had shown (PERSIST-5).
            let isRemoved = history.lives.faults.contains { promise.shownAt.isBefore($0.start) && $0.start < lost }
            if isRemoved, !history.hasCrashed(between: promise.madeAt, and: lost) { continue }
            evidence.violate(lostAnswer(promise, lost, history))
        }
        evidence.remarks = proof.remarks
        let count = proof.promises.count(where: \.isKnown) + proof.held
        guard evidence.violations.isEmpty, count + proof.blind.count > 0 else { return }
        evidence.exercised = count
        guard let doubt = proof.doubt else { return }
        evidence.doubts.append(doubt)
        evidence.exercised = max(count, 1)
    }

    private static func lostAnswer(_ promise: StoredPromise, _ lost: Int, _ history: Observations) -> Finding {
        let hasCrashed = history.hasCrashed(between: promise.madeAt, and: lost)
        let hadNoDisk = history.lives.faults.contains { $0.covers(promise.madeAt) }
        let reported = promise.kind == .response ? "a 200" : "done"
        let what: String =
            switch (hadNoDisk, hasCrashed) {
            case (true, _): "\(reported) was sent while writes failed, and the answer is missing afterward"
            case (false, true): "an answer announced by \(reported) is lost after a crash"
            case (false, false): "a read that began after \(reported) lacks the answer"
            }
        return Finding(
            what, expected: "the answer to \(promise.turn.request.excerpt)", actual: "a read without it",
            at: [promise.madeAt, lost])
    }

    /// PERSIST-1, rule 2: the answer is durable before a 200.
    ///
    /// Tested once for each kill on the bytes of a response that was read after the next start; fewer than 20 prove
    /// nothing. PERSIST-2 judges losses without a crash or a fault.
    static func responseMeansDurable(_ history: Observations, _ evidence: inout Evidence) {
        let promises = history.promises(by: .response)
        for promise in promises {
            guard let lost = promise.lostAt,
                history.hasCrashed(between: promise.madeAt, and: lost)
                    || history.lives.faults.contains(where: { $0.covers(promise.madeAt) })
            else { continue }
            evidence.violate(lostAnswer(promise, lost, history))
        }
        let kills = ArmedKills(on: "200", ofExchange: true, promises, in: history)
        evidence.take(kills, on: "the response", "answer")
    }

    /// PERSIST-3: "A server MUST refuse a question that it could not store, and end a turn whose answer it could not
    /// store, with `persist_failed`, unless it closes the connection".
    ///
    /// Tested once for each turn without a `done` while writes were refused. An error with another code is judged only
    /// for a turn certainly accepted before it, or for a question asked during the fault on a connection that the
    /// server left open; an error without a code only for the turn. An agent without a script may fail by itself.
    static func failedStorageIsReported(_ history: Observations, _ evidence: inout Evidence) {
        let expected = "error persist_failed, or the end of the connection"
        for write in RefusedWrite.all(in: history) {
            switch write.outcome {
            case .ended, .failed(_, "persist_failed"): evidence.keep()
            case .failed(let event, let code):
                guard write.request.connection != nil, !write.wasCutShort(after: event, in: history) else { continue }
                if let left = write.endByServer(after: event, in: history) {
                    if write.fault.covers(left) { evidence.keep() }
                    continue
                }
                let isAccepted = write.showsAcceptance(before: event, in: history)
                guard mustNotGetCode(code, write, isAccepted, history) else { continue }
                evidence.violate(
                    isAccepted
                        ? "a turn whose answer could not be stored ended wrongly"
                        : "a question that could not be stored was refused wrongly", expected: expected,
                    actual: called(error: code), at: [write.fault.start, write.turn.event, event].sorted())
            case .silent(let late):
                evidence.violate(
                    "a turn whose answer could not be stored did not end", expected: expected,
                    actual: "nothing within the bound 'turn'",
                    at: [write.fault.start, write.turn.event].sorted() + [late])
            case .done, .succeeded, .open: continue
            }
        }
    }

    /// Whether only the refused write can be the reason for a code other than `persist_failed`.
    private static func mustNotGetCode(
        _ code: String?, _ write: RefusedWrite, _ isAccepted: Bool, _ history: Observations
    ) -> Bool {
        guard isAccepted else {
            return write.lacksTheQuestion && code.map { history.isNoReason($0, to: write.request) } == true
        }
        let mayFail = !history.subject.hasScriptedAgent || write.turn.isScriptedToFail
        return code.map { !Frame.refusalCodes.contains($0) && !($0 == "agent_failed" && mayFail) } ?? !mayFail
    }

    /// PERSIST-4: "A server MUST complete turns again once its storage works again".
    ///
    /// Tested once for each fault that held back a turn of a server that had completed one before: judged by the turns
    /// asked between it and the next fault.
    static func turnsCompleteAgain(_ history: Observations, _ evidence: inout Evidence) {
        let writes = RefusedWrite.all(in: history)
        for fault in history.lives.faults {
            let isHeldBack = writes.contains { $0.fault.start == fault.start && $0.isHeldBack(in: history) }
            let worked = history.turns.contains { turn in
                (turn.endings.first { $0.kind == .done }?.event ?? turn.response).isBefore(fault.start)
            }
            guard isHeldBack, worked else { continue }
            let next = history.lives.faults.first { $0.start > fault.start }?.earliest ?? .max
            let later = history.turns.between(fault.end, next)
            let outcomes = later.compactMap { afterwards($0, before: next, history) }
            // A turn may fail at the moment of the repair, while others still run.
            let isDone = outcomes.contains(where: \.isDone)
            if !isDone, later.contains(where: { isUnderWay($0, before: next, history) }) { continue }
            evidence.test(isDone, brokenBy: outcomes.last) { last in
                Finding(
                    "no turn succeeded after writes worked again", expected: "done", actual: last.what,
                    at: [fault.end, last.event])
            }
        }
    }

    private static func isUnderWay(_ turn: ObservedTurn, before next: Int, _ history: Observations) -> Bool {
        let last = min(next, history.events.count) - 1
        guard case .open = history.outcome(of: turn, turn.request, turn.endings, within: turn.event..<next),
            turn.request.connection.map({ history.connections[$0].isOpen(at: last) }) ?? true
        else { return false }
        return !history.wasStopped(between: turn.event, and: last)
    }

    /// The outcome of a turn after a fault; nil if it says nothing about storage.
    private static func afterwards(
        _ turn: ObservedTurn, before next: Int, _ history: Observations
    ) -> (isDone: Bool, what: String, event: any HasEvent)? {
        let mayFail = !history.subject.hasScriptedAgent || turn.isScriptedToFail
        func isOwn(_ event: Int) -> Bool { !history.wasStopped(between: turn.event, and: event) }
        switch history.outcome(of: turn, turn.request, turn.endings, within: turn.event..<next) {
        case .done(let event), .succeeded(let event): return (true, "done", event)
        case .failed(_, let code?) where Frame.refusalCodes.contains(code) || code == "agent_failed" && mayFail:
            return nil
        case .failed(let event, let code): return isOwn(event) ? (false, called(error: code), event) : nil
        // An oversized frame says nothing about storage (ENV-8).
        case .ended where history.isTooLarge(turn.request), .silent where history.isTooLarge(turn.request): return nil
        case .ended(let event):
            let ending = turn.request.connection.flatMap { history.connections[$0].ending }
            guard ending?.isExcused != true, isOwn(event) else { return nil }
            return (false, "the end of the connection", event)
        case .silent(let late): return (false, "nothing within the bound 'turn'", late)
        case .open: return nil
        }
    }
}

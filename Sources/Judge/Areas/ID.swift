import Holdfast
import HoldfastJSON
import HoldfastTranscript

enum ID {
    static let checks: [Check] = [
        Check(.ID, 1, connectionsHaveTheirOwnIds),
        Check(
            .ID, 2, Rule(eachQuestionWithoutSessionCreatesOne, needs: [.solitude]),
            Rule(questionsRunInTheSessionTheyName)),
        Check(.ID, 3, Rule(framesNameTheirTurn), Rule(ORDER.idsStayWithTheirTurn, needs: [.stage])),
        Check(.ID, 4, unknownSessionsAreRefused, REST.unknownSessionsAreNotFound),
        Check(.ID, 5, illFormedIdsAreRefused),
        Check(.ID, 6, illFormedIdsLeaveNoTrace),
        Check(.ID, 7, sessionIdsAreWellFormed),
        Check(.ID, 8, Rule(idsNameOneThing, needs: [.frames]), Rule(REST.messagesHaveTheirIds)),
        Check(.ID, 9, acksNameTheStoredMessage, IDEM.readsShowTheKey),
    ]

    /// ID-1: "A server MUST give every connection a `connectionId` that differs from that of every other connection".
    static func connectionsHaveTheirOwnIds(_ history: Observations, _ evidence: inout Evidence) {
        var seen: [String: Int] = [:]
        for connection in history.connections {
            guard let event = connection.connected, let id = connection.greeting?.id("connectionId") else {
                continue
            }
            evidence.test(no: seen[id], keptIf: !seen.isEmpty) { before in
                Finding(
                    "two connections have the same id", expected: "a unique id", actual: shown(id), at: [before, event])
            }
            seen[id] = seen[id] ?? event
        }
    }

    /// ID-2: "A server MUST run an accepted question in the session that it names, or in exactly one new session if it
    /// names none".
    ///
    /// Judged by the lists before and after: there must not be more new sessions than questions without one. REST-4
    /// judges a session that the list lacks. A session that was named before is never new.
    static func eachQuestionWithoutSessionCreatesOne(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns where turn.sessionAsked == nil && turn.isAccepted {
            guard let session = turn.sessionId,
                history.sessions.exists(session, for: turn.principal, before: turn.event)
            else { continue }
            evidence.violate(
                "a question without a session ran in an existing session", expected: "a new session",
                actual: shown(session), at: [turn.event, turn.firstSign ?? turn.event])
        }
        for window in ListWindow.all(in: history) where window.refused.isEmpty && !window.created.isEmpty {
            let count = window.added.count
            evidence.test(
                count <= window.created.count, keptIf: count == window.created.count,
                otherwise: "more new sessions than questions without a session",
                expected: "\(window.created.count) new", actual: "\(count) new: \(listed(window.added))",
                at: window.created.map(\.event) + [window.after.event])
        }
    }

    /// ID-2, rule 2: an accepted question runs in the session it names, and no existing session is called unknown.
    ///
    /// A session exists if the server named it before; ID-4 judges sessions that certainly do not exist. Refusals with
    /// codes other than `session_not_found` do not count.
    static func questionsRunInTheSessionTheyName(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns {
            // Refused requests do not count: another question may have used the key after them.
            let request = turn.accepted
            guard let asked = request.sessionAsked else { continue }
            let isOwed = history.sessions.isOwed(asked, for: turn.principal, before: request.event)
            // A capture usually starts after the session was named.
            let isLikely =
                history.isCapture && isSessionID(asked)
                && !history.sessions.isAbsent(asked, for: turn.principal, before: request.event)
            guard isOwed || isLikely else { continue }
            if let session = turn.sessionId, turn.isAccepted {
                evidence.test(
                    session == asked, keptIf: isOwed, otherwise: "a question ran in another session",
                    expected: shown(asked),
                    actual: shown(session), at: [turn.event, turn.firstSign ?? turn.event])
            } else if isOwed, turn.request.refusalCode == "session_not_found", let refusal = turn.request.refusal,
                turn.request.connection != nil
            {
                evidence.violate(
                    "an existing session was refused as unknown", expected: "a turn in \(shown(asked))",
                    actual: "session_not_found", at: [turn.event, refusal])
            }
        }
    }

    /// ID-3: "A server MUST name in every frame of a turn that turn's `turnId` and `sessionId`, and no `messageId` or
    /// `clientMessageId` that is not its own".
    ///
    /// Tested once for each frame that must have names, live or replayed, of any principal, and for each frame of a
    /// question in this history. If one key ran as several turns (IDEM-1), a frame may belong to any of them.
    static func framesNameTheirTurn(_ history: Observations, _ evidence: inout Evidence) {
        let nameless = Set(history.turns.lazy.flatMap(\.nameless).map(\.event))
        for frame in history.allFrames where belongsToTurn(frame, nameless) {
            let isWithoutSession = !frame.isOf(.ack, .message) && !frame.includes("sessionId")
            let lacking = isWithoutSession ? "sessionId" : frame.includes("turnId") ? nil : "turnId"
            evidence.test(no: lacking) { name in
                Finding(
                    "\(called(frame)) has no \(name)", expected: "a '\(name)'", actual: "none", at: [frame.event],
                    lacking: name)
            }
        }
        for turn in history.turns {
            let names = TurnNames(turn, history)
            for frame in [turn.acks, turn.frames, turn.endings, turn.copies].joined() {
                evidence.test(no: names.difference(to: frame)) { difference in
                    Finding(
                        "\(called(frame)) has the \(difference.name) of something else",
                        expected: shown(difference.own),
                        actual: shown(difference.given), at: [turn.event, frame.event])
                }
            }
        }
    }

    /// Whether a frame must name a turn.
    ///
    /// An error ends a turn if it has a turn id, the key of an accepted question, a number, `duplicate` or the code of
    /// a failure, or if it is replayed.
    private static func belongsToTurn(_ frame: Frame, _ nameless: Set<Int>) -> Bool {
        guard frame.kind == .error else { return frame.isOf(.ack, .message, .toolUse, .done) }
        return frame.turnId != nil || frame.isReplayed || frame.isDuplicate || nameless.contains(frame.event)
            || frame.seq != nil && frame.code.map(Frame.refusalCodes.contains) != true
            || frame.code.map(ErrorMeaning.failures.contains) == true
    }

    /// ID-4: "A server MUST answer a question or session read that names a well-formed id of no session of its
    /// principal with `session_not_found`".
    ///
    /// A session is unknown if a read got a 404 or a list did not contain it, and no frame named it.
    static func unknownSessionsAreRefused(_ history: Observations, _ evidence: inout Evidence) {
        for (turn, request) in history.requests {
            guard let asked = request.sessionAsked, isSessionID(asked),
                history.sessions.isAbsent(asked, for: request.principal, before: request.event)
            else { continue }
            judgeRefusal(
                of: request, turn, "a question to an unknown session", orSeenIn: asked, within: history.timeouts.ack,
                history, &evidence)
        }
    }

    /// Judges whether a question is refused for its session: with one of the given codes, or over REST with 404.
    ///
    /// The server may first refuse it for its rate, its size or the key of another question (IDEM-5). Any frame of a
    /// turn in a session that does not exist shows that the question ran, even without its names.
    static func judgeRefusal(
        of request: ObservedRequest, _ turn: ObservedTurn, _ what: String, orSeenIn absent: String? = nil,
        with codes: Set<String> = ["session_not_found"], within bound: Duration, _ history: Observations,
        _ evidence: inout Evidence
    ) {
        if isRefusedForAnotherReason(request, turn, history) { return }
        guard let connection = request.connection else {
            guard let exchange = history.exchange(of: request), exchange.hasKnownPrincipal,
                exchange.body.map({ history.coreSchemas.accepts($0, as: "chatRequest") }) == true
            else { return }
            return history.judge(
                exchange, isRefusedWith: 404...404, within: history.timeouts.turn,
                "\(what) was not answered with 404", into: &evidence)
        }
        func violate(_ how: String, _ actual: String, _ event: any HasEvent) {
            evidence.violate("\(what) \(how)", expected: listed(codes), actual: actual, at: [request.event, event])
        }
        if let refusal = request.refusal {
            if request.refusalCode.map(codes.contains) == true { return evidence.keep() }
            // A stopping server accepts nothing.
            if history.wasStopped(between: request.event, and: refusal) { return }
            violate("got the wrong error", called(error: request.refusalCode), refusal)
        } else if let sign = firstSign(of: request, turn, orSeenIn: absent, on: connection, history) {
            if turn.mayBeRefusedUnseen(request, by: sign) { return }
            violate("was accepted", "a turn in \(shown(turn.sessionId ?? request.sessionAsked))", sign)
        } else if let missing = history.unanswered(request.event, within: bound, on: connection) {
            violate("was not answered", missing.actual, missing.proof)
        }
    }

    private static func isRefusedForAnotherReason(
        _ request: ObservedRequest, _ turn: ObservedTurn, _ history: Observations
    ) -> Bool {
        switch request.refusalCode {
        case "rate_limited", "not_authenticated", "too_large": true
        case "idempotency_mismatch": turn.requests.contains { $0.event != request.event && $0.refusal == nil }
        // Without its storage a server may not know the session.
        case "persist_failed":
            request.refusal.map { history.lives.refusedWrites(between: request.event, and: $0) } ?? false
        default: false
        }
    }

    /// The first frame after a request that shows that it was accepted, also by naming the absent session.
    private static func firstSign(
        of request: ObservedRequest, _ turn: ObservedTurn, orSeenIn absent: String?, on connection: Int,
        _ history: Observations
    ) -> Int? {
        let own = [request.ack].compactMap(\.self) + turn.frames + turn.endings
        let inAbsent = history.connections[connection].received.after(request.event).first {
            absent != nil && $0.sessionId == absent && $0.isOf(.ack, .toolUse, .done)
        }
        return earliest(own.after(request.event).earliest?.event, inAbsent?.event)
    }

    /// ID-7: "A server MUST name its sessions with ids that match `[A-Za-z0-9_-]{1,128}`".
    ///
    /// An error may repeat the client's own ill-formed id. Once per frame or body with a session id.
    static func sessionIdsAreWellFormed(_ history: Observations, _ evidence: inout Evidence) {
        func judge(
            _ value: @autoclosure () -> JSONValue?, _ hasID: Bool, at events: @autoclosure () -> [Int]
        ) {
            let hasProblems = !history.schemaProblems.isEmpty
            let problem = hasProblems ? history.problem(at: events().last, of: ClauseID(.ID, 7)) : nil
            evidence.test(no: problem, keptIf: hasID) { problem in
                Finding(
                    "a session id contains characters that are not allowed in a path",
                    expected: "[A-Za-z0-9_-]{1,128}", actual: shown(value()?[problem.instance]?.text()), at: events())
            }
        }
        let refusals = Set(history.requests.compactMap { $0.request.refusal })
        for frame in history.receivedOfKnownType where !refusals.contains(frame.event) {
            // In a capture, the error may refuse an unrecorded question.
            if history.isCapture, frame.kind == .error, frame.turnId == nil { continue }
            func isReplay() -> Bool { frame["missed"]?.arrayValue?.contains { $0["sessionId"] != nil } == true }
            judge(frame.stated, frame.sessionId != nil || isReplay(), at: [frame.event])
        }
        for exchange in history.exchanges where exchange.status == 200 {
            guard let root = exchange.stated else { continue }
            let isList = root["sessions"]?.arrayValue?.isEmpty == false
            judge(root, isList || root["session"] != nil || root["sessionId"] != nil, at: exchange.events)
        }
    }
}

private struct TurnNames {
    private let turn: ObservedTurn
    private let turnId: String?
    private let started: Set<String>
    private let history: Observations

    init(_ turn: ObservedTurn, _ history: Observations) {
        (self.turn, self.history) = (turn, history)
        turnId = turn.ack?.turnId ?? turn.turnId
        started = history.turnIdsStarted(by: turn)
    }

    /// The first name in the acks and responses of its questions.
    private var named: String? {
        turn.requests.lazy.compactMap { request in
            request.ack?.turnId ?? request.success.flatMap { history.body(ofResponse: $0)?.id("turnId") }
        }.first
    }

    func difference(to frame: Frame) -> (name: String, own: String?, given: String?)? {
        let isAck = frame.kind == .ack
        if let given = frame.turnId, let turnId, given != turnId, frame.includes("turnId") {
            let isOfAnother = started.count > 1 && started.contains(given)
            if !isOfAnother, !(isAck && frame.isDuplicate) { return ("turnId", turnId, given) }
        }
        // A resent key may have started a second turn; IDEM-1 judges that.
        let mayBeSecond = turn.requests.count > 1 && (frame.turnId == nil || frame.turnId != turn.turnId)
        if !isAck, !mayBeSecond, let own = turn.sessionId, let given = frame.sessionId, given != own {
            return ("sessionId", own, given)
        }
        if !isAck, let given = frame.clientMessageId, given != turn.clientMessageId,
            frame.includes("clientMessageId"), let name = named, frame.turnId == name
        {
            return ("clientMessageId", turn.clientMessageId, given)
        }
        return nil
    }
}

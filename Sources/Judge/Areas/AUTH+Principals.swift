import Holdfast
import HoldfastJSON
import HoldfastTranscript

extension AUTH {
    /// AUTH-6: "A server MUST NOT show one principal's sessions, turns or frames to another: not live, in `missed`, in
    /// a list or session read, nor by a push".
    ///
    /// Tested once for each connection that was open while a frame of another principal's turn was sent. Rule 3 judges
    /// replayed frames; AUTH-7 judges answers to the client's own questions in a foreign session; an `error` that
    /// repeats the client's own names reveals nothing.
    static func turnsStayWithTheirPrincipal(_ history: Observations, _ evidence: inout Evidence) {
        let ownership = Ownership(history)
        let types: Set<String> = ["ack", "message", "toolUse", "done"]
        let frames = history.received.filter { frame in
            types.contains(frame.type ?? "") || frame.kind == .error && frame.turnId != nil
        }
        let byConnection = Dictionary(grouping: frames, by: \.connection)
        for (index, connection) in history.connections.enumerated() {
            guard let connected = connection.connected else { continue }
            let principal = connection.principal
            let foreign = byConnection[index]?.first { frame in
                frame.sessionId.map { ownership.foreign($0, to: principal) != nil } == true
                    && !history.turns.contains { turn in
                        turn.principal == principal && turn.sessionAsked == frame.sessionId && frame.turnId != nil
                            && turn.turnId == frame.turnId
                    }
                    || frame.clientMessageId.map { ownership.isForeign(key: $0, to: principal) } == true
            }
            let end = connection.ending?.event ?? .max
            let since = frames[frames.boundary { $0.isAfter(connected) }...]
            let others = since[..<since.boundary { !$0.isBefore(end) }]
            evidence.test(no: foreign, keptIf: others.contains { history.principal(of: $0) != principal }) { foreign in
                Finding(
                    "a connection received a frame of another principal", expected: "frames of \(principal) only",
                    actual: "\(called(foreign)) of session \(shown(foreign.sessionId))", at: [foreign.event])
            }
        }
    }

    /// AUTH-6, rule 2: neither a list nor a session read shows a session of another principal.
    ///
    /// Tested once for each list, and for each read of another principal's session that got a 404 or the session.
    static func sessionsAreShownToTheirPrincipal(_ history: Observations, _ evidence: inout Evidence) {
        let ownership = Ownership(history)
        for exchange in history.exchanges where exchange.sent.method == "GET" {
            guard let principal = exchange.sent.principal, principal != "other", let status = exchange.status else {
                continue
            }
            let events = exchange.events
            switch exchange.route {
            case .session(let id):
                guard let since = ownership.foreign(id, to: principal), since.isBefore(exchange.request) else {
                    continue
                }
                evidence.test(
                    status != 200, keptIf: status == 404, otherwise: "a read shows another principal's session",
                    expected: "404", actual: "\(status)", at: events)
            case .sessions:
                guard let list = history.listReads.first(where: { $0.event == exchange.response }) else { continue }
                let foreign = ownership.foreignSessions(to: principal, before: exchange.request)
                evidence.test(no: list.ids.first(where: foreign.contains), keptIf: !foreign.isEmpty) { shared in
                    Finding(
                        "a list contains another principal's session", expected: "sessions of \(principal) only",
                        actual: shown(shared), at: events)
                }
            default: continue
            }
        }
    }

    /// AUTH-7: "A server MUST answer a question as if the sessions and the `clientMessageId`s of other principals did
    /// not exist".
    ///
    /// Tested once for each question to another principal's session, and for each later read by the owner.
    static func foreignSessionsRefuseQuestions(_ history: Observations, _ evidence: inout Evidence) {
        let ownership = Ownership(history)
        for (turn, request) in history.requests {
            guard let session = request.sessionAsked, request.principal != "", request.principal != "other",
                let since = ownership.foreign(session, to: request.principal), since.isBefore(request.event),
                request.refusalCode != "rate_limited"
            else { continue }
            ID.judgeRefusal(
                of: request, turn, "a question to another principal's session", within: history.timeouts.ack, history,
                &evidence)
            for read in history.sessionReads where read.sessionId == session && read.isAsked(after: request.event) {
                guard read.principal.map({ ownership.owners(of: session)[$0] != nil }) == true else { continue }
                evidence.test(
                    !holds(read, request, history), otherwise: "a session contains another principal's question",
                    expected: "no change", actual: shown(request.prompt), at: [request.event, read.event])
            }
        }
    }

    private static func holds(
        _ read: ObservedSessionRead, _ request: ObservedRequest, _ history: Observations
    ) -> Bool {
        guard let key = request.clientMessageId, read.messages.contains(where: { $0.clientMessageId == key }) else {
            return false
        }
        return !history.requests.contains { _, other in
            other.principal != request.principal && other.clientMessageId == key
        }
    }
}

import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// The wall between principals.
extension AUTH {
    /// AUTH-7: "A server MUST NOT send a frame of one principal's turn or session to a connection of another principal".
    ///
    /// Once for each connection that was open while a frame of another principal's turn was sent. What a replay holds is the
    /// matter of SYNC-20; an `error` that repeats what the client itself named tells nothing.
    static func turnsStayWithTheirPrincipal(_ history: Observations, _ evidence: inout Evidence) {
        let ownership = Ownership(history)
        let types: Set<String> = ["ack", "message", "toolUse", "done"]
        let frames = history.received.filter { frame in
            types.contains(frame.type ?? "") || frame.type == "error" && frame.turnId != nil
        }
        let byConnection = Dictionary(grouping: frames, by: \.connection)
        for (index, connection) in history.connections.enumerated() {
            guard let connected = connection.connected else { continue }
            let principal = connection.principal
            let foreign = byConnection[index]?.first { frame in
                frame.sessionId.map { ownership.foreign($0, to: principal) != nil } == true
                    || frame.clientMessageId.map { ownership.isForeign(key: $0, to: principal) } == true
            }
            let end = connection.ending?.event ?? .max
            let since = frames[frames.boundary { $0.event > connected }...]
            let others = since[..<since.boundary { $0.event >= end }]
            evidence.test(no: foreign, keptIf: others.contains { history.principal(of: $0) != principal }) { foreign in
                Finding(
                    "a connection received a frame of another principal", expected: "frames of \(principal) only",
                    actual: "\(called(foreign)) of session \(shown(foreign.sessionId))", at: [foreign.event])
            }
        }
    }

    /// AUTH-8: "A server MUST NOT show one principal's sessions to another over REST: not in the list, and a session read of
    /// it is answered with 404".
    ///
    /// Once for each list, and for each read of such a session, by another principal than that of a session known before.
    static func sessionsAreShownToTheirPrincipal(_ history: Observations, _ evidence: inout Evidence) {
        let ownership = Ownership(history)
        for exchange in history.exchanges where exchange.sent.method == "GET" {
            guard let principal = exchange.sent.principal, principal != "other", let status = exchange.status else {
                continue
            }
            let events = exchange.events
            switch exchange.route {
            case .session(let id):
                guard let since = ownership.foreign(id, to: principal), since < exchange.request else { continue }
                evidence.test(
                    status == 404,
                    otherwise: "a read of another principal's session was not answered like one of an unknown session",
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

    /// AUTH-9: "A server MUST refuse a `chat` or `POST /api/chat` into another principal's session as if that session did
    /// not exist".
    ///
    /// Once for each such question, and for each later read by the owner, which must not hold it. A budget may refuse it
    /// first, and so may a key that stands for another question already (IDEM-9, IDEM-10).
    static func foreignSessionsTakeNoQuestions(_ history: Observations, _ evidence: inout Evidence) {
        let ownership = Ownership(history)
        for (turn, request) in history.requests {
            guard let session = request.sessionAsked, request.principal != "", request.principal != "other",
                let since = ownership.foreign(session, to: request.principal), since < request.event,
                request.refusalCode != "rate_limited"
            else { continue }
            let isKeyTaken =
                request.refusalCode == "idempotency_mismatch"
                && turn.requests.contains { $0.refusal == nil && $0.event < request.refusal ?? .max }
            if !isKeyTaken { judge(request, of: turn, history, into: &evidence) }
            for read in history.sessionReads where read.sessionId == session && read.request > request.event {
                guard read.principal.map({ ownership.owners(of: session)[$0] != nil }) == true else { continue }
                evidence.test(
                    !holds(read, request, history), otherwise: "a session contains another principal's question",
                    expected: "no change", actual: shown(request.prompt), at: [request.event, read.event])
            }
        }
    }

    private static func judge(
        _ request: ObservedRequest, of turn: ObservedTurn, _ history: Observations, into evidence: inout Evidence
    ) {
        func violate(_ expected: String, _ actual: String, _ event: Int) {
            evidence.violate(
                "a question to another principal's session was not refused with session_not_found", expected: expected,
                actual: actual, at: [request.event, event])
        }
        switch request.origin {
        case .exchange(let index):
            guard let response = history.exchanges[index].response, let status = history.exchanges[index].status else {
                return
            }
            if status == 404 { return evidence.keep() }
            violate("404", "\(status)", response)
        case .connection(let connection):
            let expected = "error session_not_found"
            if let refusal = request.refusal {
                if request.refusalCode == "session_not_found" { return evidence.keep() }
                violate(expected, called(error: request.refusalCode), refusal)
            } else if let taken = request.ack
                ?? (turn.frames + turn.endings).filter({ $0.event > request.event }).min(by: { $0.event < $1.event })
            {
                violate(expected, called(taken), taken.event)
            } else if let missing = history.unanswered(request.event, within: history.timeouts.ack, on: connection) {
                violate(expected, missing.actual, missing.proof)
            }
        }
    }

    /// Whether a read holds a question: by its key, or by words that nobody else asked.
    private static func holds(
        _ read: ObservedSessionRead, _ request: ObservedRequest, _ history: Observations
    ) -> Bool {
        let others = history.turns.flatMap(\.requests).filter { $0.principal != request.principal }
        if let key = request.clientMessageId, !others.contains(where: { $0.clientMessageId == key }),
            read.messages.contains(where: { $0.clientMessageId == key })
        {
            return true
        }
        guard !others.contains(where: { exactlyEqual($0.prompt, request.prompt) }) else { return false }
        return read.messages.contains { $0.role == "user" && exactlyEqual($0.text, request.prompt) }
    }
}

import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// Checks of identity: the ids that must not be mistaken for each other.
enum ID {
    static let checks: [Check] = [
        Check(.ID, 1, connectionsHaveTheirOwnIds), Check(.ID, 2, connectedNamesNoSession),
        Check(.ID, 3, eachQuestionWithoutSessionCreatesOne), Check(.ID, 4, questionsRunInTheSessionTheyName),
        Check(.ID, 5, turnFramesNameTheSession), Check(.ID, 6, unknownSessionsAreRefused),
        Check(.ID, 7, doneNamesAStoredSession), Check(.ID, 8, illFormedIdsAreRefused),
        Check(.ID, 9, illFormedIdsLeaveNoTrace), Check(.ID, 10, sessionIdsAreWellFormed),
        Check(.ID, 11, turnFramesNameTheTurn), Check(.ID, 12, idsNameOneThing),
        Check(.ID, 13, acksNameTheStoredMessage), Check(.ID, 14, framesNameTheirQuestion),
    ]

    /// ID-1: "A server MUST give every connection a `connectionId` that differs from that of every other connection".
    ///
    /// Exercised by every connection but the first.
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

    /// ID-2: "A server MUST NOT put a `sessionId` into `connected`".
    static func connectedNamesNoSession(_ history: Observations, _ evidence: inout Evidence) {
        for frame in history.received where frame.type == "connected" {
            evidence.test(no: frame["sessionId"]) { session in
                Finding(
                    "connected names a session", expected: "no member 'sessionId'", actual: shown(session.text()),
                    at: [frame.event])
            }
        }
    }

    /// ID-3: "A server MUST create exactly one session for each accepted `chat` or `POST /api/chat` that names none".
    ///
    /// Judged where a list was read before and after: there must not be more new sessions than questions without one. A
    /// session the list does not show is the matter of REST-4. A session that was named before is never new.
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

    /// ID-4: "A server MUST run a `chat` that names an existing session of its principal in that session".
    ///
    /// A session exists when the server named it before. Refusals with other codes than `session_not_found` do not count.
    static func questionsRunInTheSessionTheyName(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns {
            // What was refused before was not asked: under its key another question may have followed.
            let request = turn.accepted
            guard let asked = request.sessionAsked,
                history.sessions.isOwed(asked, for: turn.principal, before: request.event)
            else { continue }
            if let session = turn.sessionId, turn.isAccepted {
                evidence.test(
                    session == asked, otherwise: "a question ran in another session", expected: shown(asked),
                    actual: shown(session), at: [turn.event, turn.firstSign ?? turn.event])
            } else if turn.request.refusalCode == "session_not_found", let refusal = turn.request.refusal,
                turn.request.connection != nil
            {
                evidence.violate(
                    "an existing session was refused as unknown", expected: "a turn in \(shown(asked))",
                    actual: "session_not_found", at: [turn.event, refusal])
            }
        }
    }

    /// ID-5: "A server MUST name the session in every turn-scoped frame: each `toolUse`, each `done`, and each `error`
    /// that ends a turn".
    ///
    /// Live frames and frames inside `missed`; an `error` inside `missed` always ended a turn.
    static func turnFramesNameTheSession(_ history: Observations, _ evidence: inout Evidence) {
        var owners: [Int?] = Array(repeating: nil, count: history.events.count)
        for (index, turn) in history.turns.enumerated() {
            for frame in turn.frames { owners[frame.event] = index }
            for frame in turn.endings { owners[frame.event] = index }
            for frame in turn.copies { owners[frame.event] = index }
        }
        func judge(_ frame: Frame) {
            let turn = frame.isReplayed ? nil : owners[frame.event].map { history.turns[$0] }
            switch frame.type {
            case "toolUse", "done": break
            case "error" where frame.isReplayed || turn?.endings.contains { $0.event == frame.event } == true: break
            default: return
            }
            guard frame.sessionId != nil || frame["sessionId"] != nil else {
                return evidence.violate(
                    "\(called(frame)) names no session", expected: "a 'sessionId'", actual: "none", at: [frame.event])
            }
            let (expected, given) = (turn?.sessionId, frame.sessionId)
            let isOther = expected != nil && given != nil && given != expected
            // A key that was sent again may have started a second turn, which is the matter of IDEM-1.
            let mayBeSecond = turn.map { $0.requests.count > 1 && (frame.turnId == nil || frame.turnId != $0.turnId) }
            if isOther, mayBeSecond == true { return }
            evidence.test(
                !isOther, otherwise: "\(called(frame)) and its turn name different sessions", expected: shown(expected),
                actual: shown(given), at: [turn?.event ?? frame.event, frame.event])
        }
        for frame in history.received { judge(frame) }
        for sync in history.syncs { sync.missed.forEach(judge) }
    }

    /// ID-6: "A server MUST answer a `chat` that names a well-formed session id unknown to its principal with an
    /// `error` of code `session_not_found`".
    ///
    /// A session is unknown when a read was answered with 404 or a list did not hold it, and no frame named it.
    static func unknownSessionsAreRefused(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns {
            guard let asked = turn.request.sessionAsked, isSessionID(asked), let connection = turn.request.connection,
                history.sessions.isAbsent(asked, for: turn.principal, before: turn.event)
            else { continue }
            if let refusal = turn.request.refusal {
                switch turn.request.refusalCode {
                case "session_not_found": evidence.keep()
                case "rate_limited", "not_authenticated", "too_large": continue
                // Another transport brought another question under its key, and was quicker.
                case "idempotency_mismatch" where turn.requests.count > 1: continue
                // Who is told to stop takes nothing more.
                case _ where history.wasStopped(between: turn.event, and: refusal): continue
                default:
                    evidence.violate(
                        "a question to an unknown session got the wrong error", expected: "session_not_found",
                        actual: shown(turn.request.refusalCode), at: [turn.event, refusal])
                }
            } else if let sign = turn.firstSign ?? history.firstFrame(naming: asked, on: connection, after: turn.event)
            {
                if turn.mayHaveRefusedUnseen(turn.request, by: sign) { continue }
                evidence.violate(
                    "a question to an unknown session was accepted", expected: "session_not_found",
                    actual: "a turn in \(shown(turn.sessionId ?? asked))", at: [turn.event, sign])
            } else if let missing = history.unanswered(turn.event, within: history.timeouts.ack, on: connection) {
                evidence.violate(
                    "a question to an unknown session was not answered", expected: "session_not_found",
                    actual: missing.actual, at: [turn.event, missing.proof])
            }
        }
    }

    /// ID-7: "A server MUST NOT send `done` for a session that a REST read of the same principal answers with 404".
    ///
    /// Exercised once per session and read begun after a `done` for it; what a crash took is the matter of PERSIST-1, and what a
    /// refused write took after a read had shown it is that of PERSIST-10.
    static func doneNamesAStoredSession(_ history: Observations, _ evidence: inout Evidence) {
        var done: [TurnNames.Key: [Int]] = [:]
        for frame in history.received where frame.type == "done" {
            guard let session = frame.sessionId else { continue }
            let key = TurnNames.Key(principal: history.principal(of: frame), name: session)
            done[key, default: []].append(frame.event)
        }
        for exchange in history.exchanges where exchange.sent.method == "GET" {
            guard case .session(let id) = exchange.route, let response = exchange.response,
                let status = exchange.status, let principal = exchange.sent.principal,
                let event = done[TurnNames.Key(principal: principal, name: id)]?.first(where: {
                    $0 < exchange.request && !history.hasCrashed(between: $0, and: exchange.request)
                })
            else { continue }
            if status == 404, history.lives.refusedWrites(between: event, and: response) {
                let isShown = history.sessionReads.contains {
                    $0.sessionId == id && $0.principal == principal && $0.request > event && $0.event < exchange.request
                }
                if isShown { continue }
            }
            evidence.test(
                status != 404, keptIf: status == 200, otherwise: "done names a session that is not stored",
                expected: "a session that can be read", actual: "404 for \(shown(id))", at: [event, response])
        }
    }

    /// Types that name a session; what a member of that name means in others is not known.
    private static let ofSessions: Set = ["ack", "message", "toolUse", "done", "error"]

    /// ID-10: "A server MUST name its sessions with ids that match `[A-Za-z0-9_-]{1,128}`".
    ///
    /// An error may repeat the client's own ill-formed id. Exercised once per frame or body that names a session.
    static func sessionIdsAreWellFormed(_ history: Observations, _ evidence: inout Evidence) {
        func judge(_ ids: [JSONValue?], at events: [Int]) {
            let ids = ids.compactMap { $0 }
            guard !ids.isEmpty else { return }
            guard let bad = ids.first(where: { !($0.stringValue.map(isSessionID) ?? false) }) else {
                return evidence.keep()
            }
            evidence.violate(
                "a session id contains characters that are not allowed in a path", expected: "[A-Za-z0-9_-]{1,128}",
                actual: shown(bad.text()), at: events)
        }
        let refusals = Set(history.turns.flatMap(\.requests).compactMap(\.refusal))
        for frame in history.received {
            guard let type = frame.type, type == "syncResult" || Self.ofSessions.contains(type),
                !refusals.contains(frame.event),
                // In a capture it may refuse a question that nobody saw.
                !history.isCapture || frame.type != "error" || frame.turnId != nil
            else { continue }
            let missed = frame["missed"]?.arrayValue?.filter { Self.ofSessions.contains($0["type"]?.stringValue ?? "") }
                .map { $0["sessionId"] }
            if missed == nil, frame.sessionId.map(isSessionID) == true { evidence.keep(); continue }
            judge([frame["sessionId"]] + (missed ?? []), at: [frame.event])
        }
        for exchange in history.exchanges where exchange.status == 200 {
            guard let root = exchange.answer?.root else { continue }
            switch exchange.route {
            case .sessions:
                judge((root["sessions"]?.arrayValue ?? []).map { $0["id"] }, at: exchange.events)
            case .session: judge([root["session"]?["id"]], at: exchange.events)
            case .chat: judge([root["sessionId"]], at: exchange.events)
            default: continue
            }
        }
    }
}

extension Observations {
    /// The first frame of a turn on a connection after an event that names a session, whosever it is.
    fileprivate func firstFrame(naming session: String, on connection: Int, after event: Int) -> Int? {
        connections[connection].received.first {
            $0.event > event && $0.isOf("ack", "toolUse", "done") && $0.sessionId == session
        }?.event
    }
}

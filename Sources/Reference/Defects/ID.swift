import Holdfast
import JSON

extension Defect {
    static let idReusesConnectionIds = Defect(
        "id-reuses-connection-ids", .ID, 1, "Gives every connection of a principal the same `connectionId`.")
    static let idCallsTheConnectionASession = Defect(
        "id-calls-the-connection-a-session", .ID, 2, "Puts the id of the connection into `connected` as `sessionId`.")
    static let idListsASecondSession = Defect(
        "id-creates-a-second-session", .ID, 3, "Creates two sessions for a question that names none.")
    static let idStartsANewSessionEachTime = Defect(
        "id-starts-a-new-session-each-time", .ID, 4, "Ignores the `sessionId` of a `chat` and begins a session.")
    static let idNamesTheLatestSession = Defect(
        "id-names-the-latest-session", .ID, 5,
        "Puts the session of the principal's latest question on `toolUse` and `done`; shows with two sessions at once.")
    static let idAdoptsUnknownSessions = Defect(
        "id-adopts-unknown-sessions", .ID, 6, "Begins a session under the unknown id that a `chat` names.")
    static let idAnswersForSessionsNotStored = Defect(
        "id-answers-for-sessions-not-stored", .ID, 7,
        "Runs a `chat` into an unknown session and stores nothing; its `done` names a session that reads as 404.")
    static let idAcceptsAnySessionId = Defect(
        "id-accepts-any-session-id", .ID, 8, "Begins sessions under ids such as `../x`.")
    static let idKeepsWhatItRefuses = Defect(
        "id-keeps-what-it-refuses", .ID, 9, "Refuses a malformed session id and creates a session all the same.")
    static let idNamesSessionsWithColons = Defect(
        "id-names-sessions-with-colons", .ID, 10, "Names sessions `ses:…`.")
    static let idLeavesTheTurnOutOfToolUse = Defect(
        "id-leaves-the-turn-out-of-tool-use", .ID, 11, "Sends `toolUse` without `turnId`.")
    static let idReusesTheQuestionsId = Defect(
        "id-reuses-the-questions-id", .ID, 12, "Gives an answer the `messageId` of its question.")
    static let idLeavesTheSessionOutOfErrors = Defect(
        "id-leaves-the-session-out-of-errors", .ID, 5, "Ends a failed turn with an `error` that names no session.")
    static let idLeavesTheSessionOutOfToolUse = Defect(
        "id-leaves-the-session-out-of-tool-use", .ID, 5, "Sends `toolUse` without `sessionId`.")

    static let idAcksAnotherMessage = Defect(
        "id-acks-another-message", .ID, 13, "Names a `messageId` in `ack` that no session read shows.")
    static let idAcksAnotherSession = Defect(
        "id-acks-another-session", .ID, 13, "Names a session in `ack` that is not the one of the question.")
    static let idAnswersAnotherKey = Defect(
        "id-answers-another-key", .ID, 14, "Sends `done` with a `clientMessageId` that nobody chose.")

    static let id = [
        idAcksAnotherMessage, idAcksAnotherSession, idAnswersAnotherKey,
        idReusesConnectionIds, idCallsTheConnectionASession, idListsASecondSession, idStartsANewSessionEachTime,
        idNamesTheLatestSession, idAdoptsUnknownSessions, idAnswersForSessionsNotStored, idAcceptsAnySessionId,
        idKeepsWhatItRefuses, idNamesSessionsWithColons, idLeavesTheTurnOutOfToolUse, idReusesTheQuestionsId,
        idLeavesTheSessionOutOfErrors, idLeavesTheSessionOutOfToolUse,
    ]
}

extension Saboteur {
    func rewriteID(_ frame: inout JSONValue, _ type: String?) {
        if has(.idCallsTheConnectionASession), type == "connected" { frame["sessionId"] = frame["connectionId"] }
        if has(.idLeavesTheTurnOutOfToolUse), type == "toolUse" { frame["turnId"] = nil }
        if has(.idLeavesTheSessionOutOfErrors), type == "error", frame["turnId"] != nil { frame["sessionId"] = nil }
        if has(.idLeavesTheSessionOutOfToolUse), type == "toolUse" { frame["sessionId"] = nil }
        if has(.idAcksAnotherMessage), type == "ack" { frame["messageId"] = "msg_another" }
        if has(.idAcksAnotherSession), type == "ack" { frame["sessionId"] = "ses_another" }
        if has(.idAnswersAnotherKey), type == "done", frame["clientMessageId"] != nil {
            frame["clientMessageId"] = "another-key"
        }
    }

    func accepts(sessionID id: String) -> Bool {
        if SafeID.accepts(id) || has(.idAcceptsAnySessionId) { return true }
        return has(.idNamesSessionsWithColons) && id.hasPrefix("ses:") && SafeID.accepts(String(id.dropFirst(4)))
    }

    func sessionID(_ id: String) -> String {
        has(.idNamesSessionsWithColons) ? "ses:" + id.dropFirst(4) : id
    }

    func reused(_ connection: String, for principal: String) -> String {
        has(.idReusesConnectionIds) ? "con_\(principal)" : connection
    }
}

extension ServerCore {
    /// The session broken servers use for an id that names none of the principal's.
    mutating func mistakenSession(_ id: String, _ chat: ClientMessage.Chat, of principal: String) -> String? {
        if broken(.idAcceptsAnySessionId), !SafeID.accepts(id) { return id }
        if broken(.authWritesIntoForeignSessions), sessions.all.contains(where: { $0.id == id }) { return id }
        // A postponed question is not stored yet, but its session was named already.
        if mischief.postponed.values.contains(where: { $0.session == id && $0.principal == principal }) { return id }
        guard !sessions.all.contains(where: { $0.id == id }) else { return nil }
        if broken(.idAdoptsUnknownSessions) { return id }
        guard broken(.idAnswersForSessionsNotStored) else { return nil }
        mischief.ghosts.insert(id)
        return id
    }

    /// Whether a record is of a session that broken servers answer in and do not keep.
    func isOfNoSession(_ record: StoredRecord) -> Bool {
        guard !mischief.ghosts.isEmpty else { return false }
        return switch record {
        case .question(let question): mischief.ghosts.contains(question.session)
        case .answer(let answer): mischief.ghosts.contains(answer.session)
        case .failure(let failure): mischief.ghosts.contains(failure.session)
        case .remark(let remark): mischief.ghosts.contains(remark.session)
        }
    }

    /// The frame as it leaves: broken servers confuse the turns of one principal.
    mutating func confuse(_ frame: JSONValue, _ turn: LiveTurn) -> JSONValue {
        let type = frame["type"]?.stringValue
        guard !saboteur.isHealthy else { return frame }
        if type == "message" { mischief.latestTurn[turn.principal] = turn.names }
        guard let latest = mischief.latestTurn[turn.principal], type == "toolUse" || type == "done" else {
            return frame
        }
        var frame = frame
        if broken(.idNamesTheLatestSession) { frame["sessionId"] = .string(latest.session) }
        if broken(.orderMixesTurns), type == "done" { frame["turnId"] = .string(latest.turn) }
        return frame
    }

    /// The sessions a list shows.
    func visibleSessions(of principal: String) -> [SessionStore.Session] {
        var listed = sessions.sessions(of: principal)
        guard !saboteur.isHealthy else { return listed }
        if broken(.authShowsForeignSessions) { listed = Array(sessions.all).sorted { $0.updatedAt > $1.updatedAt } }
        listed.removeAll { mischief.ghosts.contains($0.id) }
        if broken(.restListsSessionsLate) { listed.removeAll { $0.turns.contains { $0.ending == nil } } }
        if broken(.restListsOldestFirst) { listed.reverse() }
        guard broken(.idListsASecondSession) else { return listed }
        return listed.flatMap { session in
            [session, SessionStore.Session(copying: session, id: session.id + "-2")]
        }
    }
}

extension SessionStore.Session {
    fileprivate init(copying session: SessionStore.Session, id: String) {
        self.init(
            id: id, owner: session.owner, createdAt: session.createdAt, updatedAt: session.updatedAt,
            title: session.title)
    }
}

import Holdfast
import JSON

extension Defect {
    static let restWritesTimesAsNumbers = Defect(
        "rest-writes-times-as-numbers", .REST, 1, "Writes `updatedAt` in the session list as a number.")
    static let restLabelsErrorsAsHTML = Defect(
        "rest-labels-errors-as-html", .REST, 2, "Gives errors the media type `text/html`.")
    static let restListsOldestFirst = Defect(
        "rest-lists-oldest-first", .REST, 3, "Lists the oldest session first; shows with two sessions.")
    static let restListsSessionsLate = Defect(
        "rest-lists-sessions-late", .REST, 4, "Leaves a session out of the list while one of its turns runs.")
    static let restCountsHalf = Defect("rest-counts-half", .REST, 5, "Counts only half of the messages in the list.")
    static let restGivesAnswersOtherIds = Defect(
        "rest-gives-answers-other-ids", .REST, 6, "Shows answers under another id than their `done` named.")
    static let restShowsUnknownSessionsEmpty = Defect(
        "rest-shows-unknown-sessions-empty", .REST, 7, "Answers the read of an unknown session with an empty one.")
    static let restFailsOnUnknownSessions = Defect(
        "rest-fails-on-unknown-sessions", .REST, 8, "Answers a POST into an unknown session with 500.")
    static let restCallsBadBodiesItsOwnFault = Defect(
        "rest-calls-bad-bodies-its-own-fault", .REST, 9, "Answers a body that is not valid with 500.")
    static let restAnswersFailuresWith200 = Defect(
        "rest-answers-failures-with-200", .REST, 10, "Answers a POST whose turn failed with 200.")
    static let restShortensAnswers = Defect(
        "rest-shortens-answers", .REST, 11, "Answers a POST with the text but its last character.")
    static let restForgetsReadsOfRunningTurns = Defect(
        "rest-forgets-reads-of-running-turns", .REST, 12,
        "Never answers the read of a session while one of its turns runs.")
    static let restCutsInsideCharacters = Defect(
        "rest-cuts-inside-characters", .REST, 13, "Cuts `lastMessage` after 100 code points, also inside a flag.")
    static let restAsksHealthForAToken = Defect(
        "rest-asks-health-for-a-token", .REST, 14, "Answers `GET /api/health` without a token with 401 or 404.")

    static let restShowsItsIndexAsASession = Defect(
        "rest-shows-its-index-as-a-session", .REST, 7,
        "Answers the read of the session `index` with the list of sessions, which lies beside them.")

    static let restLeavesMessagesNameless = Defect(
        "rest-leaves-messages-nameless", .REST, 1, "Shows messages in session reads without `id`.")

    static let rest = [
        restWritesTimesAsNumbers, restLabelsErrorsAsHTML, restListsOldestFirst, restListsSessionsLate, restCountsHalf,
        restGivesAnswersOtherIds, restShowsUnknownSessionsEmpty, restFailsOnUnknownSessions,
        restCallsBadBodiesItsOwnFault, restAnswersFailuresWith200, restShortensAnswers, restForgetsReadsOfRunningTurns,
        restCutsInsideCharacters, restAsksHealthForAToken, restShowsItsIndexAsASession,
        restLeavesMessagesNameless,
    ]
}

extension Saboteur {
    func rewriteREST(_ body: inout JSONValue) {
        if has(.restLeavesMessagesNameless), var session = body["session"],
            let messages = session["messages"]?.arrayValue
        {
            session["messages"] = .array(
                messages.map { message in
                    var message = message
                    message["id"] = nil
                    return message
                })
            body["session"] = session
        }
        guard has(.restWritesTimesAsNumbers), let sessions = body["sessions"]?.arrayValue else { return }
        body["sessions"] = .array(
            sessions.map { session in
                var session = session
                session["updatedAt"] = 1_772_000_000
                return session
            })
    }

    func count(_ messages: Int) -> Int { has(.restCountsHalf) ? messages / 2 : messages }

    func toldOverREST(_ answer: String) -> String { has(.restShortensAnswers) ? String(answer.dropLast()) : answer }

    func headers(_ headers: [String: String]) -> [String: String] {
        var headers = headers
        if has(.restLabelsErrorsAsHTML) { headers["Content-Type"] = "text/html" }
        if has(.rateOmitsRetryAfter) { headers["Retry-After"] = nil }
        if has(.rateStatesADate), headers["Retry-After"] != nil {
            headers["Retry-After"] = "Sat, 01 Mar 2031 00:00:00 GMT"
        }
        return headers
    }

    func status(_ status: Int, _ refusal: Refusal) -> Int {
        let isBadBody = refusal.code == .parseError || refusal.code == .badRequest && status == 400
        return isBadBody && has(.restCallsBadBodiesItsOwnFault) ? 500 : status
    }
}

extension ServerCore {
    /// The session a read shows.
    func readable(_ id: String, of principal: String) -> SessionStore.Session? {
        guard !saboteur.isHealthy else { return sessions.session(id, of: principal) }
        if mischief.ghosts.contains(id) { return nil }
        if let session = sessions.session(id, of: principal) { return session }
        if broken(.authShowsForeignSessions), let session = sessions.all.first(where: { $0.id == id }) {
            return session
        }
        // What is postponed has a session to be read, and nothing in it.
        let isPostponed = mischief.postponed.values.contains { $0.session == id && $0.principal == principal }
        guard broken(.restShowsUnknownSessionsEmpty) || isPostponed else { return nil }
        return SessionStore.Session(
            id: id, owner: principal, createdAt: now.wall, updatedAt: now.wall, title: "")
    }

    /// What broken servers show under the name of the file that lists their sessions.
    func index(under id: String, of principal: String) -> JSONValue? {
        guard broken(.restShowsItsIndexAsASession), id == "index" else { return nil }
        return ["sessions": .array(listEntries(of: principal)), "version": 1]
    }

    /// Whether broken servers answer a read otherwise or later.
    mutating func holdsBack(_ request: Int, _ id: String, of principal: String) -> Bool {
        guard !saboteur.isHealthy,
            turns.values.contains(where: { $0.names.session == id && $0.state == .running })
        else { return false }
        if broken(.persistTearsReadsWhileWriting) {
            answer(request, with: Refusal(.internal, "the session is being written"))
            return true
        }
        return broken(.restForgetsReadsOfRunningTurns)
    }
}

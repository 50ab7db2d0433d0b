import Holdfast
import JSON

extension Defect {
    static let authNeverGreets = Defect(
        "auth-never-greets", .AUTH, 1, "Takes connections and a valid `auth`, and never says `connected`.")
    static let authGreetsBeforeAuth = Defect(
        "auth-greets-before-auth", .AUTH, 2, "Sends a frame as soon as a connection opens.")
    static let authTakesAnyToken = Defect(
        "auth-takes-any-token", .AUTH, 3, "Takes a wrong or missing token for that of the first principal.")
    static let authClosesWithAPlainCode = Defect(
        "auth-closes-with-a-plain-code", .AUTH, 3, "Closes with 1008 after `auth_failed`.")
    static let authWaitsForever = Defect(
        "auth-waits-forever", .AUTH, 4, need: .patience, "Keeps connections that never send `auth`.")
    static let authWaitsHalfTheTime = Defect(
        "auth-waits-half-the-time", .AUTH, 4, need: .patience,
        "Closes a connection without `auth` after half of the time it has.")
    static let authEndsSilenceWithAPlainCode = Defect(
        "auth-ends-silence-with-a-plain-code", .AUTH, 4, need: .patience,
        "Closes a connection without `auth` with 1008.")
    static let authRunsBeforeAuth = Defect(
        "auth-runs-before-auth", .AUTH, 5, "Runs a `chat` that comes before `auth`, for the first principal.")
    static let authTrustsReturningClients = Defect(
        "auth-trusts-returning-clients", .AUTH, 6,
        "Asks for no valid token from a `clientId` that had one before; shows at the second connection.")
    static let authSendsTurnsToEverybody = Defect(
        "auth-sends-turns-to-everybody", .AUTH, 7, "Sends the frames of a turn to the connections of all principals.")
    static let authShowsForeignSessions = Defect(
        "auth-shows-foreign-sessions", .AUTH, 8, "Shows the sessions of all principals to each over REST.")
    static let authWritesIntoForeignSessions = Defect(
        "auth-writes-into-foreign-sessions", .AUTH, 9, "Runs a `chat` into another principal's session.")
    static let authLeavesRESTOpen = Defect(
        "auth-leaves-rest-open", .AUTH, 10, "Answers REST requests without a valid token for the first principal.")

    static let authGreetsTwice = Defect("auth-greets-twice", .AUTH, 16, "Says `connected` twice on each connection.")
    static let authTakesTokensInURLs = Defect(
        "auth-takes-tokens-in-urls", .AUTH, 11, "Takes a valid token from the query of a request or an upgrade.")

    static let auth = [
        authNeverGreets, authGreetsBeforeAuth, authTakesAnyToken, authClosesWithAPlainCode, authWaitsForever,
        authWaitsHalfTheTime, authEndsSilenceWithAPlainCode,
        authRunsBeforeAuth,
        authTrustsReturningClients, authSendsTurnsToEverybody, authShowsForeignSessions,
        authWritesIntoForeignSessions, authLeavesRESTOpen, authTakesTokensInURLs, authGreetsTwice,
    ]
}

extension ServerCore {
    /// The principal broken servers see behind a token that proves none.
    func mistakenPrincipal(_ auth: ClientMessage.Auth) -> String? {
        if broken(.authTakesAnyToken) { return rules.anonymous }
        return broken(.authTrustsReturningClients) ? auth.clientId.flatMap { mischief.knownClients[$0] } : nil
    }

    func mistakenPrincipal(_ asked: RESTRequest) -> String? {
        if let token = rules.token(inQuery: asked.query) { return rules.principal(token: token) }
        return broken(.authLeavesRESTOpen) ? rules.anonymous : nil
    }

    mutating func remember(_ client: String?, of principal: String) {
        if let client, broken(.authTrustsReturningClients) { mischief.knownClients[client] = principal }
    }
}

extension CoreRules {
    /// The token broken servers find in the `token` of a query.
    func token(inQuery query: String?) -> String? {
        guard defects.contains(.authTakesTokensInURLs) else { return nil }
        let field = query?.split(separator: "&").first { $0.hasPrefix("token=") }
        return field.map { String($0.dropFirst("token=".count)) }
    }
}

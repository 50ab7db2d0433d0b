import Holdfast
import HoldfastJSON
import HoldfastTranscript

struct Handshake {
    /// The connection, as an index of `Observations.connections`.
    let connection: Int
    let auth: Frame
    let version: Int
    let credential: Credential

    enum Credential: Equatable {
        /// A token issued by the server, or any token if tokens are ignored.
        case good
        case missing
        /// A token that the server never issued.
        case wrong
    }

    var isValid: Bool { version == 1 && credential == .good }

    /// The problem of a refused token, and a remedy: a typo is more likely than a faulty server.
    var wordsOfRefusal: (what: String, remedy: String) {
        guard let token = auth.string("token") else {
            return (
                "the server requires a token, and none was given",
                "give the token of each principal, or make the server accept anyone while it does not declare 'auth'"
            )
        }
        guard Self.isShownToken(token) else {
            return (
                "the server refuses a token, though it does not declare 'auth'",
                "declare the profile 'auth', or let the server ignore tokens"
            )
        }
        let owner = token.dropFirst("‹token of ".count).dropLast()
        return (
            "the server refuses the given token of \(owner)",
            "correct the token of \(owner), or make the server accept it"
        )
    }

    /// Every handshake that started correctly: an `auth` as the first frame, valid except for its version and token.
    static func all(on connections: [ObservedConnection], schemas: MessageSchemas, checksTokens: Bool) -> [Handshake] {
        connections.indices.compactMap { index in
            let connection = connections[index]
            guard let auth = connection.sent.first, auth.kind == .auth, var value = auth.value,
                let version = value["protocol"]?.intValue
            else { return nil }
            value["protocol"] = 1
            guard schemas.accepts(value, as: "auth") else { return nil }
            return Handshake(
                connection: index, auth: auth, version: version,
                credential: checksTokens ? credential(of: auth) : .good)
        }
    }

    /// The kind of token in an `auth`; transcripts name its owner and not the token.
    private static func credential(of auth: Frame) -> Credential {
        guard let token = auth.string("token") else { return .missing }
        return isShownToken(token) ? .good : .wrong
    }

    /// Whether a text is exactly what transcripts show in place of a token.
    private static func isShownToken(_ text: String) -> Bool {
        text.hasPrefix("‹token of ") && text.hasSuffix("›") && text.count { $0 == "‹" } == 1
    }
}

func hasToken(inPath path: String) -> Bool { path.drop { $0 != "?" }.contains("‹token of ") }

extension Observations {
    func hasTokenInPath(_ connection: ObservedConnection) -> Bool {
        guard case .opening(let opening) = events[connection.opening].kind else { return false }
        return hasToken(inPath: opening.path)
    }

    /// Whether a malformed message may explain why a connection was silent or ended at an event; then ENV-5 or the
    /// clause about such messages judges it.
    ///
    /// A message that the connection outlived explains nothing.
    func isAfterHostileFrame(_ event: Int, on index: Int) -> Bool {
        hostileFrames.contains { hostile in
            guard hostile.frame.event < event else { return false }
            if hostile.frame.connection == index, !hostile.mayExplainEnd { return false }
            return !hasOutlived(hostile, on: index, before: event)
        }
    }

    /// Whether a connection, by default the frame's own, continued after a hostile frame.
    ///
    /// The server answered something sent after it, or sent something after the timeout for a close; or the connection
    /// began after the server had greeted another connection opened since.
    func hasOutlived(_ hostile: HostileFrame, on other: Int? = nil, before event: Int) -> Bool {
        let index = other ?? hostile.frame.connection
        let isOwn = hostile.frame.connection == index
        let sent = hostile.frame.event
        let start = isOwn ? hostile.answer?.event ?? sent : sent
        let connection = connections[index]
        // Errors arrive in order: an error that does not answer this message answers an earlier one.
        let types = isOwn && hostile.answer == nil ? Frame.answersByName : Frame.answers
        return connection.hasAnswered(since: start, before: event, with: types)
            || isOwn && connection.hasAnswered(since: sent, before: event, with: ["pong"])
            || !isOwn && hostile.laterGreeting.isBefore(connection.opening)
            || connection.received.contains {
                $0.event < event && effectiveTime(of: $0.event) > effectiveTime(of: start) + timeouts.close.microseconds
            }
    }

    func judgeRefusal(
        of handshake: Handshake, code: String, close: Int, _ what: String, into evidence: inout Evidence
    ) {
        let connection = connections[handshake.connection]
        let auth = handshake.auth.event
        let expected = "error \(code), then close \(close)"
        func violate(_ actual: String, _ event: any HasEvent) {
            evidence.violate(Finding(what, expected: expected, actual: actual, at: [auth, event]))
        }
        if let connected = connection.connected { return violate("connected", connected) }
        let errors = connection.received.filter { $0.kind == .error && $0.event < connection.ending?.event ?? .max }
        let isReported = errors.contains { $0.code == code }
        guard let ending = connection.endByServer(after: auth) else {
            if let late = deadline(after: auth, within: timeouts.close, on: handshake.connection) {
                violate(isReported ? "no close" : "nothing", late)
            }
            return
        }
        let isLost = ending.kind == .lost
        // Data sent to a server that has closed makes its system reset the connection, which may discard the error and
        // the close frame.
        let isReset = isLost && connection.sent.contains { $0.event > auth && $0.event < ending.event }
        let isAnnounced = ending.isGoodbye && !isReported
        if isReset || isAnnounced || isLost && wasStopped(between: auth, and: ending.event) { return }
        if isReported, ending.has(code: close) { return evidence.keep() }
        let observed = errors.first.map { called($0) } ?? "\(called(ending)) without an error"
        violate(isReported || isLost ? called(ending) : observed, ending.event)
    }
}

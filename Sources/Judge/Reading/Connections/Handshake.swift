import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// The first `auth` of a connection, and the answer it requires.
struct Handshake {
    /// The connection, as an index of `Observations.connections`.
    let connection: Int
    let auth: Frame
    let version: Int
    let credential: Credential

    enum Credential: Equatable {
        /// A token issued by the server, or any token if tokens are ignored.
        case good
        /// None at all.
        case missing
        /// A token that the server never issued.
        case wrong
    }

    /// Whether the server must send `connected`.
    var isValid: Bool { version == 1 && credential == .good }

    /// Words for a refused token, and a remedy: a typo is more likely than a faulty server.
    var wordsOfRefusal: (what: String, remedy: String) {
        guard let token = auth.string("token") else {
            return (
                "the server requires a token, and none was given",
                "give the token of each principal, or make the server accept anybody when it does not declare 'auth'"
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
            guard let auth = connection.sent.first, auth.type == "auth", var value = auth.value,
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

extension Observations {
    static func holdsToken(_ path: String) -> Bool {
        path.drop { $0 != "?" }.contains("‹token of ")
    }

    /// Whether a malformed message may explain why a connection was silent or ended at an event; then ENV-5 or the
    /// clause about such messages judges it.
    ///
    /// A message that the connection outlived explains nothing: the server answered something sent after it, or sent
    /// something after the timeout for a close.
    func isAfterHostileFrame(_ event: Int) -> Bool {
        guard let first = hostileFrames.first, first.frame.event < event else { return false }
        guard case .connection(let device) = events[event].lane,
            let index = connections.lastIndex(where: { $0.device == device && $0.opening <= event })
        else { return true }
        return hostileFrames.contains { hostile in
            guard hostile.frame.event < event else { return false }
            let isOwn = hostile.frame.connection == index
            if isOwn, !hostile.isJudged { return false }
            return !hasOutlived(hostile, on: index, before: event)
        }
    }

    /// Whether a connection, by default the frame's own, continued after a hostile frame: the server answered something
    /// sent after it, or sent something after the timeout for a close.
    func hasOutlived(_ hostile: HostileFrame, on other: Int? = nil, before event: Int) -> Bool {
        let index = other ?? hostile.frame.connection
        let isOwn = hostile.frame.connection == index
        let begin = isOwn ? hostile.answer?.event ?? hostile.frame.event : hostile.frame.event
        return connections[index].hasAnswered(since: begin, before: event)
            || connections[index].received.contains {
                $0.event < event && patience(of: $0.event) > patience(of: begin) + timeouts.close.microseconds
            }
    }

    func events(on connection: Int) -> [Int] { connections[connection].events }

    /// Every close frame of the server on a connection, including answers to the client's.
    func closes(on connection: Int) -> [(event: Int, code: Int?)] {
        events(on: connection).compactMap { index in
            guard case .close(.fromServer, let code, _) = history.events[index].kind else { return nil }
            return (index, code)
        }
    }

    /// Judges the refusal of an `auth` that must fail: an `error` with the code, then the close.
    func judgeRefusal(
        of handshake: Handshake, code: String, close: Int, _ what: String, into evidence: inout Evidence
    ) {
        let connection = connections[handshake.connection]
        let auth = handshake.auth.event
        let expected = "error \(code), then close \(close)"
        func violate(_ actual: String, _ event: Int) {
            evidence.violate(Finding(what, expected: expected, actual: actual, at: [auth, event]))
        }
        if let connected = connection.connected { return violate("connected", connected) }
        let errors = connection.received.filter { $0.type == "error" && $0.event < connection.ending?.event ?? .max }
        let isTold = errors.contains { $0.code == code }
        guard let ending = connection.ending, ending.event > auth else {
            if let late = deadline(after: auth, within: timeouts.close, on: handshake.connection) {
                violate(isTold ? "no close" : "nothing", late)
            }
            return
        }
        switch ending.kind {
        case .closed(.fromServer, let given):
            // A server may restart or be overloaded at any time (LIVE-10).
            if !isTold, given == 1012 || given == 1013 { return }
            if !isTold {
                violate(errors.first.map { called($0) } ?? "close \(text(given)) without an error", ending.event)
            } else if given != close {
                violate("close \(text(given))", ending.event)
            } else {
                evidence.keep()
            }
        case .lost where connection.wasEndedByServer && !wasStopped(between: auth, and: ending.event):
            // Data sent to a server that has closed makes its system reset the connection, which may discard the error
            // and the close frame.
            if connection.sent.contains(where: { $0.event > auth && $0.event < ending.event }) { return }
            violate("the end of the connection without a close frame", ending.event)
        default: break
        }
    }

    private func text(_ code: Int?) -> String { code.map(String.init) ?? "without a code" }
}

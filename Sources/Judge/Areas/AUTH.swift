import Holdfast
import HoldfastJSON
import HoldfastTranscript

enum AUTH {
    static let checks: [Check] = [
        Check(.AUTH, 1, Rule(validAuthIsGreeted, needs: [.delays]), Rule(connectionsAreGreetedOnce)),
        Check(.AUTH, 2, nothingComesBeforeTheGreeting),
        Check(.AUTH, 3, badCredentialsAreRefused),
        Check(.AUTH, 4, silentSocketsAreClosed),
        Check(.AUTH, 5, earlyFramesDoNothing),
        Check(
            .AUTH, 6, Rule(turnsStayWithTheirPrincipal), Rule(sessionsAreShownToTheirPrincipal),
            Rule(SYNC.othersAreNotReplayed), Rule(PUSH.noticesStayWithTheirPrincipal, needs: [.pushService])),
        Check(.AUTH, 7, foreignSessionsRefuseQuestions, IDEM.keysBelongToTheirPrincipal),
        Check(.AUTH, 8, requestsWithoutTokenAreRefused),
        Check(.AUTH, 9, tokensInURLsAreIgnored),
        Check(.AUTH, 10, authComesFirst, clientsWaitForTheGreeting),
        Check(.AUTH, 11, tokensStayOutOfURLs),
        Check(.AUTH, 12, capabilitiesAreStated),
    ]

    /// AUTH-1: "A server MUST answer a valid `auth` with the connection's only `connected`, within `connect`, unless it
    /// stops or is overloaded".
    ///
    /// Tested once for each connection that started with a valid `auth`. A server may close with 1012 or 1013 instead
    /// (LIVE-10); ENV-5 judges silence after a malformed message.
    static func validAuthIsGreeted(_ history: Observations, _ evidence: inout Evidence) {
        let bound = history.timeouts.connect
        for handshake in history.handshakes where handshake.isValid {
            let connection = history.connections[handshake.connection]
            let auth = handshake.auth.event
            let refusal = connection.received.first { $0.isAfter(auth) && $0.code == "auth_failed" }
            func violate(_ actual: String, _ event: any HasEvent) {
                let words = refusal == nil ? nil : handshake.wordsOfRefusal
                evidence.violate(
                    words?.what ?? "a valid auth was not answered",
                    expected: "connected within the bound 'connect'" + (words.map { "; \($0.remedy)" } ?? ""),
                    actual: words == nil ? actual : "error auth_failed", at: [auth, event])
            }
            if let connected = connection.connected {
                let isInTime = history.effectiveSpan(from: auth, to: connected) <= bound.microseconds
                if isInTime || !connection.pauses.isEmpty {
                    evidence.keep()
                } else {
                    violate("connected, too late", connected)
                }
                continue
            }
            // If the valid tokens are unknown, a refused one counts as invalid.
            let mayBeInvalid = history.capture?.lacks.contains(.credentials) == true && refusal != nil
            if mayBeInvalid || history.isAfterHostileFrame(auth, on: handshake.connection) { continue }
            if let ending = history.unannouncedEnd(of: handshake.connection, after: auth) {
                violate("the end of the connection", ending.event)
            } else if let late = history.deadline(after: auth, within: bound, on: handshake.connection) {
                violate(connection.received.first { $0.isAfter(auth) }.map { called($0) } ?? "nothing", late)
            }
        }
    }

    /// AUTH-2: "A server MUST NOT send any frame other than `error` on a connection before `connected`".
    static func nothingComesBeforeTheGreeting(_ history: Observations, _ evidence: inout Evidence) {
        for connection in history.connections where connection.isWhole && !connection.received.isEmpty {
            if connection.isGreetingAssumed { continue }
            let early = connection.received.first { connection.connected.isOpen(at: $0.event) && $0.kind != .error }
            evidence.test(no: early) { early in
                Finding(
                    "the server sent a frame before connected", expected: "error or nothing", actual: called(early),
                    at: [connection.opening, early.event])
            }
        }
    }

    /// AUTH-3: "A server MUST refuse a first `auth` without a valid token, on every connection, with an `error` of code
    /// `auth_failed` and a close with 4001, unless it refuses its version".
    ///
    /// Tested once for each such `auth` of version 1; and for each upgrade without a valid token that was refused with
    /// 401, or that was accepted in a dialect without greetings. AUTH-9 judges a token in the URL.
    static func badCredentialsAreRefused(_ history: Observations, _ evidence: inout Evidence) {
        for handshake in history.handshakes where handshake.credential != .good && handshake.version == 1 {
            let isMissing = handshake.credential == .missing
            if isMissing, history.hasTokenInPath(history.connections[handshake.connection]) { continue }
            history.judgeRefusal(
                of: handshake, code: "auth_failed", close: 4001,
                isMissing
                    ? "an auth without a token was not refused" : "an auth with a wrong token was not refused",
                into: &evidence)
        }
        for connection in history.connections where ["", "other"].contains(connection.principal) {
            if let refused = connection.refused, case .refused(401, _) = history.events[refused].kind {
                evidence.keep()
            }
            // In a dialect without greetings, an accepted upgrade is final.
            if connection.isGreetingAssumed, let taken = connection.opened {
                evidence.violate(
                    "an upgrade without a valid token was accepted", expected: "401, or auth_failed and close 4001",
                    actual: "101", at: [connection.opening, taken])
            }
        }
    }

    /// AUTH-5: "A server MUST NOT run or store a frame that arrives before a successful `auth`, nor answer it with
    /// anything but an `error` or a close".
    ///
    /// Tested once for each connection on which a `chat` or `sync` preceded `auth`, or followed refused credentials, if
    /// the server answered with an error, data or the end before a greeting. A question's key must not appear in any
    /// frame or read; without a key, it leaves no trace that is certainly its own, so its refusal proves nothing.
    /// AUTH-2 judges frames about other questions.
    static func earlyFramesDoNothing(_ history: Observations, _ evidence: inout Evidence) {
        for (index, connection) in history.connections.enumerated() {
            let early = earlyFrames(on: index, history)
            guard let first = early.first else { continue }
            let limit = connection.connected ?? .max
            let others = history.requests.map(\.request).filter { other in !early.contains { $0.event == other.event } }
            let keys = Set(early.compactMap(\.clientMessageId)).subtracting(others.compactMap(\.clientMessageId))
            func shows(_ frame: Frame) -> Bool {
                frame.isOf(.ack, .message, .toolUse, .done) && frame.clientMessageId.map(keys.contains) == true
            }
            let data = connection.received.first { frame in
                let isReplay =
                    frame.kind == .syncResult && early.contains { $0.kind == .sync && $0.isBefore(frame.event) }
                return frame.isAfter(first.event) && frame.isBefore(limit) && (isReplay || shows(frame))
            }
            let read = history.sessionReads.first { read in
                (read.messages.map(\.clientMessageId) + read.turns.map(\.clientMessageId))
                    .contains { $0.map(keys.contains) == true }
            }
            let stored = earliest(history.received.first(where: shows)?.event, read?.event)
            let isRefused = connection.received.contains {
                $0.isAfter(first.event) && $0.isBefore(limit) && $0.kind == .error && $0.turnId == nil
            }
            let isEnded = history.unannouncedEnd(of: index, after: first.event).map { $0.isBefore(limit) } ?? false
            let isTraceable = early.allSatisfy { $0.kind != .chat || $0.clientMessageId != nil }
            evidence.test(no: data?.event ?? stored, keptIf: isTraceable && (isRefused || isEnded)) { trace in
                Finding(
                    "the server acted on a frame sent before auth", expected: "an error or a close frame",
                    actual: data.map { called($0) } ?? "its question was stored", at: [first.event, trace])
            }
        }
    }

    /// AUTH-8: "A server MUST answer every REST request but `GET /api/health` that has no valid bearer token with 401
    /// and an error body".
    static func requestsWithoutTokenAreRefused(_ history: Observations, _ evidence: inout Evidence) {
        for exchange in history.exchanges where !exchange.hasKnownPrincipal {
            guard exchange.isRESTRequest, exchange.route != .health else { continue }
            history.judge(
                exchange, isRefusedWith: 401...401, within: history.timeouts.rest,
                "a request without a valid token was not refused", into: &evidence)
        }
    }

    /// AUTH-9: "A server SHOULD NOT accept a token in the URL".
    ///
    /// Tested once for each request with a valid token in the query, and for each such upgrade if `auth` has no token.
    static func tokensInURLsAreIgnored(_ history: Observations, _ evidence: inout Evidence) {
        func judge(_ isTaken: Bool, _ actual: String, at events: [Int]) {
            evidence.test(
                !isTaken, otherwise: "a token in the URL was accepted", expected: "a refusal", actual: actual,
                at: events)
        }
        for exchange in history.exchanges where exchange.sent.principal == nil && exchange.route != .health {
            guard exchange.isRESTRequest, hasToken(inPath: exchange.sent.path), let status = exchange.status
            else { continue }
            judge((200...299).contains(status), "\(status)", at: exchange.events)
        }
        for connection in history.connections {
            guard history.hasTokenInPath(connection), connection.sent.allSatisfy({ $0["token"] == nil }) else {
                continue
            }
            if let connected = connection.connected {
                judge(true, "connected", at: [connection.opening, connected])
            } else if connection.refused != nil || connection.wasEndedByServer {
                judge(false, "", at: [])
            }
        }
    }

    // MARK: Early frames

    private static func earlyFrames(on index: Int, _ history: Observations) -> [Frame] {
        let connection = history.connections[index]
        guard connection.isWhole, !connection.isGreetingAssumed else { return [] }
        func isRefused() -> Bool {
            connection.connected == nil
                && history.handshakes.contains { $0.connection == index && $0.credential != .good }
        }
        return connection.sent.filter { frame in
            let isFirst = connection.auth.isOpen(at: frame.event)
            return (frame.kind == .chat || frame.kind == .sync) && (isFirst || isRefused())
        }
    }

    // MARK: Connections without auth

    /// The grace period after the timeout for `auth` in which the close may arrive.
    private static let grace = Duration.seconds(5)

    /// AUTH-4: "A server MUST close a connection with 4002 if no `auth` came within 10 s, or the shorter time
    /// configured: not earlier, and at most 5 s later".
    ///
    /// Tested once for each connection on which the stage sent no `auth`, if it ended or was watched long enough. If
    /// another frame was sent, the server may end the connection because of it at any time and with any code.
    static func silentSocketsAreClosed(_ history: Observations, _ evidence: inout Evidence) {
        let configured = history.subject.limits["authSeconds"] ?? 10
        let limit = Duration.seconds(min(max(configured, 0), 10))
        for (index, connection) in history.connections.enumerated() {
            guard connection.isWhole, let opened = connection.opened, connection.auth == nil,
                connection.connected == nil, connection.pauses.isEmpty
            else { continue }
            let isSilent = connection.sent.isEmpty
            func violate(_ actual: String, _ event: any HasEvent) {
                let hint = history.subject.limits["authSeconds"] == nil ? "; state another limit as authSeconds" : ""
                evidence.violate(
                    "a connection without auth was not closed in time with 4002",
                    expected: "close 4002 after \(limit.components.seconds) s, at most 5 s later\(hint)",
                    actual: actual, at: [opened, event])
            }
            guard let ending = history.unannouncedEnd(of: index, after: opened) else {
                if let late = history.deadline(after: opened, within: limit + grace, on: index) {
                    violate("it stayed open", late)
                }
                continue
            }
            let isEarly = history.span(from: connection.opening, to: ending.event) < limit.microseconds
            let isLate = history.effectiveSpan(from: opened, to: ending.event) > (limit + grace).microseconds
            if ending.has(code: 4002), !isEarly, !isLate {
                evidence.keep()
            } else if isSilent || isLate && ending.kind != .lost {
                let when = ending.kind == .lost ? "" : isEarly ? " earlier" : isLate ? " later" : ""
                violate(called(ending) + when, ending.event)
            }
        }
    }

    // MARK: Repeated greetings

    /// AUTH-1, rule 2: no connection gets a second `connected`.
    static func connectionsAreGreetedOnce(_ history: Observations, _ evidence: inout Evidence) {
        for connection in history.connections {
            let greetings = connection.received.filter { $0.kind == .connected }
            guard let first = greetings.first else { continue }
            evidence.test(no: greetings.dropFirst().first) { second in
                Finding(
                    "a connection received connected again", expected: "connected once", actual: "another",
                    at: [first.event, second.event])
            }
        }
    }

    // MARK: Announced profiles

    /// AUTH-12: "A server MUST list in `capabilities` of `connected`, by their names, those optional profiles that it
    /// keeps, and none that it does not keep".
    ///
    /// Tested once for each `connected`. A listed but undeclared profile may be kept unless its main sign is missing.
    static func capabilitiesAreStated(_ history: Observations, _ evidence: inout Evidence) {
        let optional = Profile.all(of: .server).subtracting([.core])
        for connection in history.connections {
            guard let greeting = connection.greeting else { continue }
            let names = (greeting["capabilities"]?.arrayValue ?? []).compactMap(\.stringValue)
            let stated = Set(names.compactMap(Profile.init(rawValue:)))
            let missing = optional.intersection(history.profiles).subtracting(stated).sorted()
            if !missing.isEmpty {
                evidence.violate(
                    "connected does not list all profiles of the server",
                    expected: listed(missing.map(\.rawValue)) + " in capabilities",
                    actual: names.isEmpty ? "nothing" : listed(names), at: [greeting.event])
                continue
            }
            let wrong = stated.intersection(optional).subtracting(history.profiles).sorted().first { profile in
                switch profile {
                case .sync: greeting.epoch == nil || greeting["lastSeq"] == nil
                case .rateLimit: connection.limit("messagesPerMinute") == nil
                default: false
                }
            }
            evidence.test(no: wrong) { profile in
                Finding(
                    "connected lists a profile that the server does not keep",
                    expected: "no '\(profile.rawValue)' in capabilities", actual: listed(names), at: [greeting.event])
            }
        }
    }

    // MARK: Authentication by a client

    /// AUTH-10: "A client MUST send `auth`, with a version that it speaks as `protocol`, as the first frame of every
    /// connection, and no other frame before `connected`".
    ///
    /// Tested once for each connection on which the client sent anything, or could have done so for the whole timeout
    /// `connect`. The versions it speaks are unknown, but none is below 1.
    static func authComesFirst(_ history: Observations, _ evidence: inout Evidence) {
        let expected = "auth with a version number"
        for connection in history.connections where connection.isWhole {
            guard let opened = connection.opened else { continue }
            if let first = connection.sent.first {
                let version = first["protocol"].map { " with protocol \($0.text())" } ?? ""
                evidence.test(
                    first.kind == .auth && first["protocol"]?.intValue.map { $0 >= 1 } == true,
                    otherwise: "the first frame of a connection was not auth", expected: expected,
                    actual: called(first) + version, at: [opened, first.event])
            } else if let late = history.clientDeadline(after: opened, within: history.timeouts.connect),
                connection.isOpen(at: late.event)
            {
                evidence.violate(
                    "the client opened a connection and sent nothing", expected: expected, actual: "nothing",
                    at: [opened, late])
            }
        }
    }

    /// The shortest delay of a greeting that exercises AUTH-10.
    private static let withheld = Duration.milliseconds(250)

    /// AUTH-10, rule 2: the client sends no other frame before `connected`.
    ///
    /// Tested once for each connection whose greeting was withheld for a while, or before which the user sent text.
    static func clientsWaitForTheGreeting(_ history: Observations, _ evidence: inout Evidence) {
        let last = history.events.count
        for connection in history.connections {
            guard let auth = connection.auth ?? connection.sent.first?.event else { continue }
            let end = connection.connected ?? connection.ending?.event ?? last
            let early = connection.sent.first { $0.event != connection.auth && $0.isBefore(end) }
            let wasTempted = history.client.acts.contains { $0.name == "send" && $0.isAfter(auth) && $0.isBefore(end) }
            let wasLong = history.span(from: auth, to: min(end, last - 1)) >= withheld.microseconds
            evidence.test(no: early, keptIf: wasTempted || wasLong) { early in
                Finding(
                    "the client sent a frame before connected", expected: "only auth before connected",
                    actual: called(early), at: [auth, early.event])
            }
        }
    }

    /// AUTH-11: "A client MUST NOT put its token into a URL".
    ///
    /// Tested once for each upgrade and each request; a transcript shows a token as `‹token of p1›`.
    static func tokensStayOutOfURLs(_ history: Observations, _ evidence: inout Evidence) {
        func judge(_ path: String, _ event: Int) {
            evidence.test(
                !path.contains("‹token"), otherwise: "the client put its token into a URL",
                expected: "a path without a token", actual: shown(path), at: [event])
        }
        for (index, event) in history.events.enumerated() {
            switch (event.lane, event.kind) {
            case (.connection, .opening(let opening)): judge(opening.path, index)
            case (.exchange, .request(let request)): judge(request.path, index)
            default: break
            }
        }
    }
}

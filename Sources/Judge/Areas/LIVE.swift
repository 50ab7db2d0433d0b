import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// Checks of heartbeats, versions and close codes.
enum LIVE {
    static let checks: [Check] = [
        Check(.LIVE, 1, pingsAreAnswered),
        Check(.LIVE, 2, silentPeersAreDisconnected),
        Check(.LIVE, 3, idlePeersAreKept),
        Check(.LIVE, 4, transportPingsAreAnswered),
        Check(.LIVE, 5, stoppingClosesConnections),
        Check(.LIVE, 6, otherVersionsAreRefused),
        Check(.LIVE, 7, spokenVersionsAreListed),
        Check(.LIVE, 8, versionAskedForIsStated),
        Check(.LIVE, 9, terminalCodesMeanWhatTheySay),
        Check(.LIVE, 10, connectionsEndForAReason),
    ]

    /// LIVE-1: "A server MUST answer each valid `ping` on an open connection with a `pong` on the same connection, with
    /// its `nonce`, within `pong`, also while turns run".
    ///
    /// Tested once for each ping; nonces are compared exactly. Other clauses judge an unanswered ping with unknown
    /// members (ENV-4), in fragments (ENV-10) or after a malformed message (ENV-5), and a nonce that is not a string
    /// (ENV-2). Only a clock next to the server can tell when a pong was sent.
    static func pingsAreAnswered(_ history: Observations, _ evidence: inout Evidence) {
        let bound = history.timeouts.pong
        for (index, connection) in history.connections.enumerated() {
            for ping in history.pings(on: index) {
                let asked = ping.request.event
                if let pong = ping.pong {
                    if let nonce = ping.nonce, !ping.isEchoed, pong["nonce"].map({ $0.stringValue != nil }) ?? true {
                        evidence.violate(
                            Finding(
                                "a pong does not repeat the nonce", expected: shown(nonce),
                                actual: shown(pong.id("nonce")), at: [asked, pong.event], lacking: "nonce"))
                        continue
                    }
                    let isInTime = history.effectiveSpan(from: asked, to: pong.event) <= bound.microseconds
                    evidence.test(
                        isInTime || !history.knowsDelays || !connection.pauses.isEmpty,
                        otherwise: "a ping was answered late",
                        expected: "a pong within the bound 'pong'", actual: "one, too late", at: [asked, pong.event])
                } else if history.knowsDelays, isPlain(ping.request, history),
                    !history.isAfterHostileFrame(asked, on: index),
                    let missing = history.unanswered(asked, within: bound, on: index)
                {
                    evidence.violate("a ping got no pong", expected: "a pong within the bound 'pong'", by: missing)
                }
            }
        }
    }

    /// Whether a ping has no unknown members and was not sent in fragments.
    private static func isPlain(_ ping: Frame, _ history: Observations) -> Bool {
        let device = history.connections[ping.connection].device
        let before = history.events[..<ping.event].last { $0.lane == .connection(device) }
        if case .act("fragments", _) = before?.kind { return false }
        return ping.value.map { !UnknownMembers.exist(in: $0, as: "ping") } ?? false
    }

    /// LIVE-4: "A server MUST answer a WebSocket ping with a WebSocket pong".
    ///
    /// Tested once for each ping on an open connection. A pong may answer several pings at once (RFC 6455, 5.5.3).
    /// ENV-5 judges silence after a malformed message.
    static func transportPingsAreAnswered(_ history: Observations, _ evidence: inout Evidence) {
        for (index, connection) in history.connections.enumerated() where connection.opened != nil {
            for ping in connection.transportPings {
                func silence() -> Expiry? {
                    if history.isAfterHostileFrame(ping, on: index) { return nil }
                    return history.deadline(after: ping, within: history.timeouts.pong, on: index)
                }
                evidence.test(connection.transportPongs.contains { $0 > ping }, brokenBy: silence()) { late in
                    Finding(
                        "a WebSocket ping got no pong", expected: "a WebSocket pong", actual: "none",
                        at: [ping, late])
                }
            }
        }
    }

    /// LIVE-6: "A server MUST refuse a first `auth` whose `protocol` is a version that it does not speak with
    /// `unsupported_version` and a close with 4010, unless it refuses its token".
    ///
    /// Tested once for each such `auth` with a valid token. A server that answers `connected` speaks that version.
    static func otherVersionsAreRefused(_ history: Observations, _ evidence: inout Evidence) {
        for handshake in history.handshakes where handshake.version > 1 && handshake.credential == .good {
            let greeting = history.connections[handshake.connection].greeting
            if let greeting, greeting["protocol"]?.intValue == handshake.version { continue }
            history.judgeRefusal(
                of: handshake, code: "unsupported_version", close: 4010,
                "an auth with version \(handshake.version) was not refused with unsupported_version", into: &evidence)
        }
    }

    /// LIVE-7: "A server SHOULD list the versions it speaks as `supported` in `unsupported_version`".
    static func spokenVersionsAreListed(_ history: Observations, _ evidence: inout Evidence) {
        for frame in history.received where frame.kind == .error && frame.code == "unsupported_version" {
            let versions = frame["supported"]?.arrayValue ?? []
            evidence.test(
                !versions.isEmpty && versions.allSatisfy({ $0.intValue != nil }),
                otherwise: "the refusal of a version does not list the supported ones",
                expected: "'supported', a list of versions", actual: frame["supported"]?.text() ?? "none", at: [frame])
        }
    }

    /// LIVE-8: "A server MUST state in `connected` the `protocol` the client asked for".
    static func versionAskedForIsStated(_ history: Observations, _ evidence: inout Evidence) {
        for handshake in history.handshakes where handshake.version == 1 {
            guard let greeting = history.connections[handshake.connection].greeting else { continue }
            let hasVersion = greeting["protocol"] != nil
            evidence.test(
                greeting["protocol"]?.intValue == handshake.version,
                otherwise: hasVersion
                    ? "connected states a different version than auth" : "connected states no version",
                expected: "protocol \(handshake.version)",
                actual: greeting["protocol"].map { "protocol \($0.text())" } ?? "no protocol",
                at: [handshake.auth.event, greeting.event])
        }
    }

    /// LIVE-9: "A server MUST NOT close with 4001 or 4010, or refuse an upgrade with 401 or 403, unless it refuses
    /// credentials, an `Origin` or a version".
    ///
    /// Tested once for each close frame of the server, even in answer to the client's, on a connection with valid
    /// credentials and version 1. A second `auth` may cause such a close. In a run, an upgrade that is refused between
    /// two equal ones that were accepted was not refused for its credentials; in a capture, a token may have expired.
    static func terminalCodesMeanWhatTheySay(_ history: Observations, _ evidence: inout Evidence) {
        for handshake in history.handshakes where handshake.isValid {
            let connection = history.connections[handshake.connection]
            guard connection.sent.count(where: { $0.kind == .auth }) == 1 else { continue }
            for event in connection.events where handshake.auth.isBefore(event) {
                guard case .close(.fromServer, let code, _) = history.events[event].kind else { continue }
                evidence.test(
                    code != 4001 && code != 4010,
                    otherwise: "a connection with a valid token and version 1 got a terminal close code",
                    expected: "a code other than 4001 and 4010", actual: called(close: code),
                    at: [handshake.auth.event, event])
            }
        }
        if history.isCapture { return }
        for connection in history.connections {
            guard let refused = connection.refused,
                case .refused(let status?, _) = history.events[refused].kind, status == 401 || status == 403
            else { continue }
            let asked = history.events[connection.opening].kind
            let greetings = history.connections.filter { history.events[$0.opening].kind == asked }
                .compactMap(\.connected)
            guard greetings.min().isBefore(connection.opening), greetings.max().isAfter(refused)
            else { continue }
            evidence.violate(
                "an upgrade with valid credentials was refused permanently", expected: "101, or another status",
                actual: "\(status)", at: [connection.opening, refused])
        }
    }

    // MARK: Peers that are silent, dead or only idle

    /// LIVE-2: "A server MUST end a connection that was silent for two heartbeats within one further heartbeat, with
    /// 4004 or without a close frame".
    ///
    /// Tested once for each connection on which the stage stopped answering pings and sent nothing afterwards, but
    /// continued to read. The timeout `close` is added for the time from the decision to end a connection to its end.
    static func silentPeersAreDisconnected(_ history: Observations, _ evidence: inout Evidence) {
        for (index, connection) in history.connections.enumerated() where connection.pauses.isEmpty {
            guard let connected = connection.connected, let mute = connection.mutes.first,
                let heartbeat = connection.heartbeat
            else { continue }
            func test(_ holds: Bool, _ actual: String, at events: [any HasEvent]) {
                evidence.test(
                    holds, otherwise: "the connection of a silent client was not ended as required",
                    expected: "its end within three heartbeats of silence, with 4004 or without a code", actual: actual,
                    at: events)
            }
            let bound = .microseconds(3 * heartbeat) + history.timeouts.close
            let start = max(connected, mute)
            let signs = [start] + connection.signs.filter { $0 > start }
            let kept = zip(signs, signs.dropFirst() + [.max]).lazy.compactMap { sign, next in
                history.deadline(after: sign, within: bound, on: index).flatMap { $0.isAfter(next) ? nil : (sign, $0) }
            }.first
            if let kept { test(false, "it stayed open", at: [kept.0, kept.1]) }
            // Other clauses judge an earlier end, or one with the code of another cause. The silence may have started
            // before the stage stopped answering.
            guard kept == nil, let last = signs.last, let ending = history.unannouncedEnd(of: index, after: last),
                history.wasSilent(connection, before: ending.event)
            else { continue }
            let isInTime = history.effectiveSpan(from: last, to: ending.event) <= bound.microseconds
            let isCoded = if case .closed(_, let code) = ending.kind { code != 4001 && code != 4004 } else { false }
            let hasWrongCode = isInTime && isCoded && !history.lives.refusedWrites(between: last, and: ending.event)
            test(
                isInTime && !hasWrongCode, hasWrongCode ? called(ending) : "its end, too late", at: [last, ending])
        }
    }

    /// LIVE-3: "A server MUST NOT end an open connection for silence while its peer answers WebSocket pings or sends
    /// frames, nor before it has sent a WebSocket ping during that silence".
    ///
    /// Tested once for each connection that survived more than three heartbeats in which the stage sent only pings and
    /// pongs, never two heartbeats apart; for each that the server ended after such a heartbeat, or with 4004; and in a
    /// run, where all pings are recorded, for each that it ended after two heartbeats without a ping. LIVE-10 judges an
    /// end that claims to be a stop, restart or overload.
    static func idlePeersAreKept(_ history: Observations, _ evidence: inout Evidence) {
        for (index, connection) in history.connections.enumerated() where connection.pauses.isEmpty {
            guard let connected = connection.connected, let heartbeat = connection.heartbeat,
                !history.sentHostile(on: index)
            else { continue }
            guard let ending = connection.endByServer(after: connected) else {
                if connection.mutes.isEmpty, history.wasKeptIdle(connection) { evidence.keep() }
                continue
            }
            guard !ending.announcesStop, !ending.isExcused,
                !history.mayHaveCaused(ending, since: connected)
            else { continue }
            let last = history.lastSign(on: connection, before: ending.event)
            let silence = history.span(from: last, to: ending.event)
            let wasPinged = connection.events.between(last, ending.event).contains { event in
                history.events[event].kind == .ping(.fromServer)
            }
            if silence >= 2 * heartbeat, !wasPinged, !history.isCapture {
                evidence.violate(
                    "the server ended a silent connection without a WebSocket ping",
                    expected: "a WebSocket ping before its end", actual: "none in \(silence / 1_000) ms",
                    at: [last, ending.event])
            } else if ending.isForSilence || history.wasIdle(connection, before: ending.event),
                connection.mutes.isEmpty, !history.wasSilent(connection, before: ending.event)
            {
                evidence.violate("the server ended a connection whose client answered", at: [last, ending.event])
            }
        }
    }

    // MARK: Reasons for an end

    /// LIVE-10: "A server MUST NOT end an open connection without a cause".
    ///
    /// Tested once for each greeted connection that was answered and that the server did not end, and for each that it
    /// ended without an allowed reason. Other clauses judge these ends: a terminal code (LIVE-9), an idle peer and 4004
    /// (LIVE-3), a spent budget (RATE-4), the effect of a malformed message on this or other connections (ENV-5), and
    /// the end of the process itself.
    static func connectionsEndForAReason(_ history: Observations, _ evidence: inout Evidence) {
        for (index, connection) in history.connections.enumerated() where connection.wasReadToItsEnd {
            guard let connected = connection.connected else { continue }
            guard let ending = connection.ending, connection.wasEndedByServer else {
                let isOurs = connection.ending.map { $0.kind != .lost } ?? true
                if isOurs, !connection.received.after(connected).isEmpty { evidence.keep() }
                continue
            }
            guard ending.isAfter(connected), !hasReason(ending, of: index, history) else { continue }
            let last = connection.received.before(ending.event).last
            evidence.violate(
                "the server ended a connection for no allowed reason",
                byEnd: ending.kind == .lost
                    ? "the end of the connection without a close frame" : "a close frame from the server",
                at: [last?.event ?? connected, ending.event])
        }
    }

    /// Whether the server had a reason for the end, or another clause judges it.
    private static func hasReason(
        _ ending: ObservedConnection.Ending, of index: Int, _ history: Observations
    ) -> Bool {
        let connection = history.connections[index]
        // Without an announced limit, any message may have been too large.
        let isOfSize = ending.has(code: 1009) && connection.limit("maxFrameBytes") == nil
        return ending.isExcused || ending.isForSilence || ending.has(code: 4001) || ending.has(code: 4010) || isOfSize
            || history.isAfterHostileFrame(ending.event, on: index)
            || history.mayHaveCaused(ending, since: connection.connected ?? connection.opening)
            || history.endedWithItsProcess(ending.event) || history.isWithinBudgetWait(ending.event, on: index)
            || connection.heartbeat == nil
            || (!ending.announcesStop || !connection.mutes.isEmpty)
                && (history.wasSilent(connection, before: ending.event)
                    || history.wasIdle(connection, before: ending.event))
    }

    // MARK: Stopping a server

    /// LIVE-5: "A server MUST close every connection with 1001 or 1012 within `stop` of being told to stop".
    ///
    /// Tested once for each connection that was open when the stage asked the server to stop, and ended afterwards.
    static func stoppingClosesConnections(_ history: Observations, _ evidence: inout Evidence) {
        for (life, end) in history.lives.ended where end.cause == .stopped {
            for connection in history.connections
            where connection.opened.isBefore(end.event) && connection.pauses.isEmpty {
                guard history.lives.life(at: connection.opening) == life, let ending = connection.ending,
                    ending.isAfter(end.event)
                else { continue }
                let delay = history.effectiveSpan(from: end.event, to: ending.event)
                func test(_ holds: Bool, _ actual: String) {
                    evidence.test(
                        holds, otherwise: "a stopping server did not close a connection as specified",
                        expected: "close 1001 or 1012", actual: actual, at: [end.event, ending.event])
                }
                switch ending.kind {
                case .closed(.fromServer, 1001), .closed(.fromServer, 1012):
                    test(delay <= history.timeouts.stop.microseconds, "its close, later than the bound 'stop'")
                // The handshake timeout expired at the moment of the stop.
                case .closed(.fromServer, 4002)
                where connection.connected == nil && delay < history.timeouts.scheduling.microseconds:
                    break
                case .closed(.fromServer, _), .lost: test(false, called(ending))
                case .closed(.toServer, _), .cut: break
                }
            }
        }
    }
}

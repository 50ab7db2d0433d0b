import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// Checks of heartbeats, versions and close codes.
enum LIVE {
    static let checks: [Check] = [
        Check(.LIVE, 1, pingsAreAnswered),
        Check(.LIVE, 2, silentPeersAreLetGo),
        Check(.LIVE, 3, idlePeersAreKept),
        Check(.LIVE, 4, transportPingsAreAnswered),
        Check(.LIVE, 5, stoppingClosesConnections),
        Check(.LIVE, 6, otherVersionsAreRefused),
        Check(.LIVE, 7, spokenVersionsAreListed),
        Check(.LIVE, 8, versionAskedForIsStated),
        Check(.LIVE, 9, terminalCodesMeanWhatTheySay),
        Check(.LIVE, 10, connectionsEndForAReason),
    ]

    /// LIVE-1: "A server MUST answer each valid `ping` on an open connection with a `pong` with its `nonce` there
    /// within `pong`, also while turns run".
    ///
    /// Once for each ping; nonces are compared exactly. Other clauses judge an unanswered ping with unknown members
    /// (ENV-4), in fragments (ENV-10) or after a malformed message (ENV-5), and a nonce that is not a string (ENV-2).
    /// Only a clock next to the server can tell when a pong came.
    static func pingsAreAnswered(_ history: Observations, _ evidence: inout Evidence) {
        let bound = history.timeouts.pong
        let isTimed = history.history.header.capture?.lacking(anyOf: [.delays]) == nil
        for (index, connection) in history.connections.enumerated() {
            for ping in history.pings(on: index) {
                let asked = ping.request.event
                if let pong = ping.pong {
                    if let nonce = ping.nonce, !ping.isRepeated, pong["nonce"].map({ $0.stringValue != nil }) ?? true {
                        evidence.violate(
                            Finding(
                                "a pong does not repeat the nonce", expected: shown(nonce),
                                actual: shown(pong.id("nonce")), at: [asked, pong.event], lacking: "nonce"))
                        continue
                    }
                    let isInTime = history.patience(from: asked, to: pong.event) <= bound.microseconds
                    evidence.test(
                        isInTime || !isTimed || !connection.pauses.isEmpty, otherwise: "a ping was answered late",
                        expected: "a pong within the bound 'pong'", actual: "one, too late", at: [asked, pong.event])
                } else if isTimed, isPlain(ping.request, history), !history.isAfterHostileFrame(asked),
                    let missing = history.unanswered(asked, within: bound, on: index)
                {
                    evidence.violate(
                        "a ping got no pong", expected: "a pong within the bound 'pong'",
                        actual: missing.actual, at: [asked, missing.proof])
                }
            }
        }
    }

    /// Whether a ping has no unusual features.
    private static func isPlain(_ ping: Frame, _ history: Observations) -> Bool {
        let device = history.connections[ping.connection].device
        let before = history.events[..<ping.event].last { $0.lane == .connection(device) }
        if case .act("fragments", _) = before?.kind { return false }
        return ping.value.map { !UnknownMembers.exist(in: $0, as: "ping") } ?? false
    }

    /// LIVE-4: "A server MUST answer a WebSocket ping with a WebSocket pong".
    ///
    /// Once for each ping on an open connection. A pong may answer several pings at once (RFC 6455, 5.5.3). ENV-5
    /// judges silence after a malformed message.
    static func transportPingsAreAnswered(_ history: Observations, _ evidence: inout Evidence) {
        for (index, connection) in history.connections.enumerated() where connection.opened != nil {
            for ping in connection.transportPings {
                func silence() -> Int? {
                    if history.isAfterHostileFrame(ping) { return nil }
                    return history.deadline(after: ping, within: history.timeouts.pong, on: index)
                }
                evidence.test(connection.transportPongs.contains { $0 > ping }, orBy: silence()) { late in
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
    /// Once for each such `auth` with a valid token. A server that answers `connected` with that version speaks it.
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
    ///
    /// Once for each such `error`.
    static func spokenVersionsAreListed(_ history: Observations, _ evidence: inout Evidence) {
        for frame in history.received where frame.type == "error" && frame.code == "unsupported_version" {
            let versions = frame["supported"]?.arrayValue ?? []
            evidence.test(
                !versions.isEmpty && versions.allSatisfy({ $0.intValue != nil }),
                otherwise: "the refusal of a version does not list the supported ones",
                expected: "'supported', a list of versions", actual: frame["supported"]?.text() ?? "none",
                at: [frame.event])
        }
    }

    /// LIVE-8: "A server MUST state in `connected` the `protocol` the client asked for".
    ///
    /// Once for each `connected` after an `auth` that names a version it could speak.
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
    /// Once for each close frame of the server, even in answer to the client's, on a connection with valid credentials
    /// and version 1. A second `auth` may be refused for its own sake. In a run, an upgrade that is refused between two
    /// equal ones that were accepted was not refused for its credentials; in a capture, its token may have expired.
    static func terminalCodesMeanWhatTheySay(_ history: Observations, _ evidence: inout Evidence) {
        for handshake in history.handshakes where handshake.isValid {
            let connection = history.connections[handshake.connection]
            guard connection.sent.count(where: { $0.type == "auth" }) == 1 else { continue }
            for close in history.closes(on: handshake.connection) where close.event > handshake.auth.event {
                evidence.test(
                    close.code != 4001 && close.code != 4010,
                    otherwise: "a connection with a valid token and version 1 got a terminal close code",
                    expected: "a code other than 4001 and 4010", actual: called(close: close.code),
                    at: [handshake.auth.event, close.event])
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
            guard let first = greetings.min(), let last = greetings.max(), first < connection.opening, refused < last
            else { continue }
            evidence.violate(
                "an upgrade with good credentials was refused for good", expected: "101, or another status",
                actual: "\(status)", at: [connection.opening, refused])
        }
    }

    // MARK: Peers that are silent, dead or only idle

    /// LIVE-2: "A server MUST end a connection that was silent for two heartbeats within one further heartbeat, with
    /// 4004 or without a close frame".
    ///
    /// Once for each connection on which the stage stopped answering pings and sent nothing afterwards, but continued
    /// to read. The timeout `close` is added, for the time between the reason for an end and the end.
    static func silentPeersAreLetGo(_ history: Observations, _ evidence: inout Evidence) {
        for (index, connection) in history.connections.enumerated() where connection.pauses.isEmpty {
            guard let connected = connection.connected, let mute = connection.mutes.first,
                let heartbeat = heartbeat(of: connection, history)
            else { continue }
            let bound = heartbeat * 3 + history.timeouts.close
            let all = signs(on: index, history)
            let signs = all.filter { $0 > max(connected, mute) }
            for (last, next) in zip([max(connected, mute)] + signs, signs.map(Optional.some) + [nil]) {
                if let late = history.deadline(after: last, within: bound, on: index), late <= next ?? .max {
                    test(false, "it stayed open", at: [last, late])
                    break
                }
                guard next == nil, let ending = connection.endByServer(after: last), !ending.isAtWill,
                    !ending.isOwnStop, !history.wasStopped(between: last, and: ending.event)
                else { continue }
                let isInTime = history.patience(from: last, to: ending.event) <= bound.microseconds
                // Other clauses judge an earlier end, or one with the code of another cause. The silence may have
                // started before the stage stopped answering.
                let heard = max(connected, all.last { $0 <= last } ?? 0)
                let silence = history.span(from: heard, to: ending.event)
                guard silence >= heartbeat.microseconds * (ending.isForSilence || ending.kind == .lost ? 7 : 8) / 4
                else { continue }
                if isInTime, case .closed(.fromServer, let code) = ending.kind, code != 4001, code != 4004,
                    !history.lives.refusedWrites(between: last, and: ending.event)
                {
                    test(false, called(close: code), at: [last, ending.event])
                } else {
                    test(isInTime, "its end, too late", at: [last, ending.event])
                }
            }
        }
        func test(_ holds: Bool, _ actual: String, at events: [Int]) {
            evidence.test(
                holds, otherwise: "the server kept a connection whose client is silent",
                expected: "its end within three heartbeats of silence, with 4004 if any code", actual: actual,
                at: events)
        }
    }

    /// LIVE-3: "A server MUST NOT end an open connection for silence while its peer answers WebSocket pings or sends
    /// frames, nor before it has sent a WebSocket ping during that silence".
    ///
    /// Once for each connection that survived more than three heartbeats in which the stage sent only pings and pongs,
    /// never two heartbeats apart; for each that the server ended after such a heartbeat, or with 4004; and in a run,
    /// where all pings are recorded, for each that it ended after two heartbeats without a ping.
    static func idlePeersAreKept(_ history: Observations, _ evidence: inout Evidence) {
        if !history.isCapture { silentPeersAreAsked(history, &evidence) }
        for (index, connection) in history.connections.enumerated() where connection.pauses.isEmpty {
            guard let connected = connection.connected,
                let heartbeat = heartbeat(of: connection, history)?.microseconds,
                connection.mutes.isEmpty,
                !history.hostileFrames.contains(where: { $0.frame.connection == index })
            else { continue }
            let texts = connection.sent.map(\.event).filter { $0 > connected }
            let signs = signs(on: index, history).filter { $0 >= connected }
            func silence(upTo event: Int) -> Int {
                let last = max(connected, signs.last { $0 < event } ?? 0)
                return history.span(from: last, to: event)
            }
            if let ending = connection.endByServer(after: connected) {
                let spoke = max(connected, texts.last { $0 < ending.event } ?? 0)
                let isIdle =
                    history.span(from: spoke, to: ending.event) >= heartbeat
                    && signs.contains { $0 > spoke && $0 < ending.event }
                // The server counts from the last sign it received, shortly before the stage noted it.
                guard isUnexplained(ending, since: connected, history), isIdle || ending.isForSilence,
                    silence(upTo: ending.event) < 2 * heartbeat - heartbeat / 4
                else { continue }
                let last = signs.last { $0 < ending.event } ?? connected
                evidence.violate(
                    "the server ended a connection whose client answered", expected: "it stays open",
                    actual: "the server ended it", at: [last, ending.event])
                continue
            }
            // A gap between two frames that pings and pongs bridged.
            let ends = texts + [connected]
            let received = connection.received
            let spans = ends.sorted().compactMap { start -> (Int, Int)? in
                let end = received.boundary { isLater($0.event, start) }
                return end < received.endIndex ? (start, received[end].event) : nil
            }
            func isLater(_ event: Int, _ start: Int) -> Bool {
                history.span(from: start, to: event) > 3 * heartbeat
            }
            let wordless = signs.filter(Set(signs).subtracting(texts).contains)
            let isKept = spans.contains { start, end in
                let next = texts.boundary { $0 > start }
                let first = next < texts.endIndex ? texts[next] : end
                guard isLater(min(first, end), start) else { return false }
                let within = wordless[wordless.boundary { $0 > start }..<wordless.boundary { $0 >= end }]
                guard !within.isEmpty else { return false }
                let steps = zip([start] + within, within + [min(first, end)])
                return steps.allSatisfy { history.span(from: $0, to: $1) < 2 * heartbeat }
            }
            if isKept { evidence.keep() }
        }
    }

    /// Whether the end of a connection by the server can only be explained by the peer's silence.
    private static func isUnexplained(
        _ ending: ObservedConnection.Ending, since connected: Int, _ history: Observations
    ) -> Bool {
        !ending.isExcused && !ending.isOwnStop && !history.wasDisturbed(between: connected, and: ending.event)
    }

    private static func silentPeersAreAsked(_ history: Observations, _ evidence: inout Evidence) {
        for (index, connection) in history.connections.enumerated() where connection.pauses.isEmpty {
            guard let connected = connection.connected,
                let heartbeat = heartbeat(of: connection, history)?.microseconds,
                let ending = connection.endByServer(after: connected), isUnexplained(ending, since: connected, history),
                !history.hostileFrames.contains(where: { $0.frame.connection == index })
            else { continue }
            let last = max(connected, signs(on: index, history).last { $0 < ending.event } ?? 0)
            let silence = history.span(from: last, to: ending.event)
            guard silence >= 2 * heartbeat else { continue }
            let isAsked = history.events(on: index).contains { event in
                event > last && event < ending.event && history.events[event].kind == .ping(.fromServer)
            }
            if isAsked { continue }
            evidence.violate(
                "the server ended a silent connection without a WebSocket ping",
                expected: "a WebSocket ping before its end",
                actual: "none in \(silence / 1_000) ms", at: [last, ending.event])
        }
    }

    /// The heartbeat of a connection, as announced there or configured; nil if it is longer than a day.
    static func heartbeat(of connection: ObservedConnection, _ history: Observations) -> Duration? {
        let told =
            connection.greeting?["heartbeatSeconds"]?.intValue ?? history.subject.limits["heartbeatSeconds"] ?? 30
        return (1...86_400).contains(told) ? .seconds(told) : nil
    }

    /// Everything that the stage sent, including WebSocket pings and pongs.
    static func signs(on connection: Int, _ history: Observations) -> [Int] {
        history.events(on: connection).filter {
            switch history.events[$0].kind {
            case .text(.toServer, _), .binary(.toServer, _), .ping(.toServer), .pong(.toServer): true
            default: false
            }
        }
    }

    // MARK: Stopping a server

    /// LIVE-5: "A server MUST close every connection with 1001 or 1012 within `stop` of being told to stop".
    ///
    /// Once for each connection that was open when the stage asked the server to stop and that ended before the next
    /// start.
    static func stoppingClosesConnections(_ history: Observations, _ evidence: inout Evidence) {
        for (life, end) in history.lives.ended where end.cause == .stopped {
            for connection in history.connections
            where connection.opened.map({ $0 < end.event }) == true && connection.pauses.isEmpty {
                guard history.lives.life(at: connection.opening) == life, let ending = connection.ending,
                    ending.event > end.event
                else { continue }
                let actual: String
                switch ending.kind {
                case .closed(.fromServer, 1001), .closed(.fromServer, 1012):
                    if history.patience(from: end.event, to: ending.event) <= history.timeouts.stop.microseconds {
                        evidence.keep()
                        continue
                    }
                    actual = "its close, later than the bound 'stop'"
                // The handshake timeout expired at the moment of the stop.
                case .closed(.fromServer, 4002)
                where connection.connected == nil
                    && history.patience(from: end.event, to: ending.event) < history.timeouts.scheduling.microseconds:
                    continue
                case .closed(.fromServer, let code): actual = called(close: code)
                case .lost: actual = "the end of the connection without a close frame"
                case .closed(.toServer, _), .cut: continue
                }
                evidence.violate(
                    "a stopping server did not close a connection as specified", expected: "close 1001 or 1012",
                    actual: actual, at: [end.event, ending.event])
            }
        }
    }
}

import Holdfast
import JSON
import Transcript

/// Checks of life and of the end: heartbeats, versions and close codes.
enum LIVE {
    static let checks: [Check] = [
        Check(.LIVE, 1, pingsAreAnswered), Check(.LIVE, 2, noncesAreRepeated),
        Check(.LIVE, 3, silentPeersAreLetGo), Check(.LIVE, 4, idlePeersAreKept),
        Check(.LIVE, 5, transportPingsAreAnswered),
        Check(.LIVE, 6, stoppingClosesConnections), Check(.LIVE, 7, stoppedTurnsAreShownEnded),
        Check(.LIVE, 8, otherVersionsAreRefused),
        Check(.LIVE, 9, spokenVersionsAreListed), Check(.LIVE, 10, versionAskedForIsStated),
        Check(.LIVE, 11, terminalCodesMeanWhatTheySay), Check(.LIVE, 13, syncNeedsAnEpoch),
    ]

    /// LIVE-1: "A server MUST answer each `ping` with a `pong` on the same connection within `pong`, also while turns run".
    ///
    /// Once for each ping. One with unknown members (ENV-8), in fragments (ENV-18) or after something malformed (ENV-10)
    /// that stays unanswered is the matter of those clauses.
    static func pingsAreAnswered(_ history: Observations, _ evidence: inout Evidence) {
        let bound = history.timeouts.pong
        for (index, connection) in history.connections.enumerated() {
            for ping in history.pings(on: index) {
                let asked = ping.request.event
                if let pong = ping.pong?.event {
                    let isLate = history.patience(from: asked, to: pong) > bound.microseconds
                    guard isLate, connection.pauses.isEmpty else {
                        evidence.keep()
                        continue
                    }
                    evidence.violate(
                        "a ping was answered late", expected: "a pong within the bound 'pong'", actual: "one after it",
                        at: [asked, pong])
                } else if isPlain(ping.request, history), !history.isAfterHostileFrame(asked),
                    let late = history.deadline(after: asked, within: bound, on: index)
                {
                    evidence.violate(
                        "a ping stayed without its pong", expected: "a pong within the bound 'pong'", actual: "none",
                        at: [asked, late])
                }
            }
        }
    }

    /// Whether a ping has nothing unusual about it.
    private static func isPlain(_ ping: ObservedFrame, _ history: Observations) -> Bool {
        let device = history.connections[ping.connection].device
        let before = history.events[..<ping.event].last { $0.lane == .connection(device) }
        if case .act("fragments", _) = before?.kind { return false }
        return ping.value.map { !UnknownMembers.exist(in: $0, as: "ping") } ?? false
    }

    /// LIVE-2: "A server MUST repeat the `nonce` of a `ping` in its `pong`".
    ///
    /// Once for each answered ping that has one; a nonce is compared character by character. One that is no string is the
    /// matter of ENV-2.
    static func noncesAreRepeated(_ history: Observations, _ evidence: inout Evidence) {
        for index in history.connections.indices {
            for ping in history.pings(on: index) {
                guard let nonce = ping.nonce, let pong = ping.pong, pong["nonce"].map({ $0.stringValue != nil }) ?? true
                else { continue }
                evidence.test(
                    ping.isRepeated, otherwise: "a pong does not repeat the nonce", expected: shown(nonce),
                    actual: shown(pong.string("nonce")), at: [ping.request.event, pong.event])
            }
        }
    }

    /// LIVE-5: "A server MUST answer a WebSocket ping with a WebSocket pong".
    ///
    /// Once for each ping on an open connection. A pong may answer several pings at once (RFC 6455, 5.5.3). Silence after
    /// something malformed is the matter of ENV-10.
    static func transportPingsAreAnswered(_ history: Observations, _ evidence: inout Evidence) {
        let events = history.events
        for (index, connection) in history.connections.enumerated() where connection.opened != nil {
            let own = history.events(on: index)
            let pongs = own.filter { events[$0].kind == .pong(.fromServer) }
            for ping in own where events[ping].kind == .ping(.toServer) {
                if pongs.contains(where: { $0 > ping }) {
                    evidence.keep()
                } else if !history.isAfterHostileFrame(ping),
                    let late = history.deadline(after: ping, within: history.timeouts.pong, on: index)
                {
                    evidence.violate(
                        "a WebSocket ping stayed without its pong", expected: "a WebSocket pong", actual: "none",
                        at: [ping, late])
                }
            }
        }
    }

    /// LIVE-8: "A server MUST refuse an `auth` with a `protocol` it does not speak with an `error` of code
    /// `unsupported_version` followed by a close with 4010".
    ///
    /// Once for each such `auth` with a good token. A server that says `connected` with that very version speaks it.
    static func otherVersionsAreRefused(_ history: Observations, _ evidence: inout Evidence) {
        for handshake in history.handshakes where handshake.version != 1 && handshake.credential == .good {
            let greeting = history.connections[handshake.connection].greeting
            if let greeting, greeting["protocol"]?.intValue == handshake.version { continue }
            history.judgeRefusal(
                of: handshake, code: "unsupported_version", close: 4010,
                "an auth of version \(handshake.version) was not refused as such", into: &evidence)
        }
    }

    /// LIVE-9: "A server SHOULD list the versions it speaks as `supported` in `unsupported_version`".
    ///
    /// Once for each such `error`.
    static func spokenVersionsAreListed(_ history: Observations, _ evidence: inout Evidence) {
        for frame in history.received where frame.type == "error" && frame.code == "unsupported_version" {
            let versions = frame["supported"]?.arrayValue ?? []
            evidence.test(
                !versions.isEmpty && versions.allSatisfy({ $0.intValue != nil }),
                otherwise: "the refusal of a version does not list those that are spoken",
                expected: "'supported', a list of versions", actual: frame["supported"]?.text() ?? "none",
                at: [frame.event])
        }
    }

    /// LIVE-10: "A server MUST state in `connected` the `protocol` the client asked for".
    ///
    /// Once for each `connected` after an `auth` that names a version it could speak.
    static func versionAskedForIsStated(_ history: Observations, _ evidence: inout Evidence) {
        for handshake in history.handshakes where handshake.version == 1 {
            guard let greeting = history.connections[handshake.connection].greeting else { continue }
            evidence.test(
                greeting["protocol"]?.intValue == handshake.version,
                otherwise: "connected states another version than the client asked for",
                expected: "protocol \(handshake.version)",
                actual: greeting["protocol"].map { "protocol \($0.text())" } ?? "no protocol",
                at: [handshake.auth.event, greeting.event])
        }
    }

    /// LIVE-11: "A server MUST NOT close with 4001 or 4010 for any reason other than refused credentials or an unsupported
    /// version".
    ///
    /// Once for each close frame of the server, also in answer to the client's, on a connection with good credentials and
    /// version 1. A second `auth` may be refused for its own sake.
    static func terminalCodesMeanWhatTheySay(_ history: Observations, _ evidence: inout Evidence) {
        for handshake in history.handshakes where handshake.isValid {
            let connection = history.connections[handshake.connection]
            guard connection.sent.count(where: { $0.type == "auth" }) == 1 else { continue }
            for close in history.closes(on: handshake.connection) where close.event > handshake.auth.event {
                if close.code == 4001 || close.code == 4010 {
                    evidence.violate(
                        "a connection with good credentials and version 1 was closed for good",
                        expected: "another code than 4001 and 4010",
                        actual: "close \(close.code.map(String.init) ?? "")", at: [handshake.auth.event, close.event])
                } else {
                    evidence.keep()
                }
            }
        }
    }
}

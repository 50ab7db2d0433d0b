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
    static func pingsAreAnswered(_ observations: Observations) -> Evidence {
        var evidence = Evidence()
        let bound = observations.timeouts.pong
        for (index, connection) in observations.connections.enumerated() {
            for ping in observations.pings(on: index) {
                let asked = ping.request.event
                if let pong = ping.pong?.event {
                    let isLate = observations.patience(from: asked, to: pong) > bound.microseconds
                    guard isLate, connection.pauses.isEmpty else {
                        evidence.keep()
                        continue
                    }
                    evidence.violate(
                        Finding(
                            "a ping was answered late", expected: "a pong within the bound 'pong'",
                            actual: "one after it", at: [asked, pong]))
                } else if isPlain(ping.request, observations), !observations.isAfterHostileFrame(asked),
                    let late = observations.deadline(after: asked, within: bound, on: index)
                {
                    evidence.violate(
                        Finding(
                            "a ping stayed without its pong", expected: "a pong within the bound 'pong'",
                            actual: "none", at: [asked, late]))
                }
            }
        }
        return evidence
    }

    /// Whether a ping has nothing unusual about it.
    private static func isPlain(_ ping: ObservedFrame, _ observations: Observations) -> Bool {
        let device = observations.connections[ping.connection].device
        let before = observations.history.events[..<ping.event].last { $0.lane == .connection(device) }
        if case .act("fragments", _) = before?.kind { return false }
        return ping.value.map { !UnknownMembers.exist(in: $0, as: "ping") } ?? false
    }

    /// LIVE-2: "A server MUST repeat the `nonce` of a `ping` in its `pong`".
    ///
    /// Once for each answered ping that has one; a nonce is compared character by character. One that is no string is the
    /// matter of ENV-2.
    static func noncesAreRepeated(_ observations: Observations) -> Evidence {
        var evidence = Evidence()
        for index in observations.connections.indices {
            for ping in observations.pings(on: index) {
                guard let nonce = ping.nonce, let pong = ping.pong, pong["nonce"].map({ $0.stringValue != nil }) ?? true
                else { continue }
                if ping.isRepeated {
                    evidence.keep()
                } else {
                    evidence.violate(
                        Finding(
                            "a pong does not repeat the nonce", expected: shown(nonce),
                            actual: shown(pong.string("nonce")), at: [ping.request.event, pong.event]))
                }
            }
        }
        return evidence
    }

    /// LIVE-5: "A server MUST answer a WebSocket ping with a WebSocket pong".
    ///
    /// Once for each ping on an open connection. A pong may answer several pings at once (RFC 6455, 5.5.3). Silence after
    /// something malformed is the matter of ENV-10.
    static func transportPingsAreAnswered(_ observations: Observations) -> Evidence {
        var evidence = Evidence()
        let events = observations.history.events
        for (index, connection) in observations.connections.enumerated() where connection.opened != nil {
            let own = observations.events(on: index)
            let pongs = own.filter { events[$0].kind == .pong(.fromServer) }
            for ping in own where events[ping].kind == .ping(.toServer) {
                if pongs.contains(where: { $0 > ping }) {
                    evidence.keep()
                } else if !observations.isAfterHostileFrame(ping),
                    let late = observations.deadline(after: ping, within: observations.timeouts.pong, on: index)
                {
                    evidence.violate(
                        Finding(
                            "a WebSocket ping stayed without its pong", expected: "a WebSocket pong", actual: "none",
                            at: [ping, late]))
                }
            }
        }
        return evidence
    }

    /// LIVE-8: "A server MUST refuse an `auth` with a `protocol` it does not speak with an `error` of code
    /// `unsupported_version` followed by a close with 4010".
    ///
    /// Once for each such `auth` with a good token. A server that says `connected` with that very version speaks it.
    static func otherVersionsAreRefused(_ observations: Observations) -> Evidence {
        var evidence = Evidence()
        for handshake in observations.handshakes where handshake.version != 1 && handshake.credential == .good {
            let greeting = observations.connections[handshake.connection].greeting
            if let greeting, greeting["protocol"]?.intValue == handshake.version { continue }
            observations.judgeRefusal(
                of: handshake, code: "unsupported_version", close: 4010,
                "an auth of version \(handshake.version) was not refused as such", into: &evidence)
        }
        return evidence
    }

    /// LIVE-9: "A server SHOULD list the versions it speaks as `supported` in `unsupported_version`".
    ///
    /// Once for each such `error`.
    static func spokenVersionsAreListed(_ observations: Observations) -> Evidence {
        var evidence = Evidence()
        for frame in observations.received where frame.type == "error" && frame.code == "unsupported_version" {
            let versions = frame["supported"]?.arrayValue ?? []
            if !versions.isEmpty, versions.allSatisfy({ $0.intValue != nil }) {
                evidence.keep()
            } else {
                evidence.violate(
                    Finding(
                        "the refusal of a version does not list those that are spoken",
                        expected: "'supported', a list of versions", actual: frame["supported"]?.text() ?? "none",
                        at: [frame.event]))
            }
        }
        return evidence
    }

    /// LIVE-10: "A server MUST state in `connected` the `protocol` the client asked for".
    ///
    /// Once for each `connected` after an `auth` that names a version it could speak.
    static func versionAskedForIsStated(_ observations: Observations) -> Evidence {
        var evidence = Evidence()
        for handshake in observations.handshakes where handshake.version == 1 {
            guard let greeting = observations.connections[handshake.connection].greeting else { continue }
            if greeting["protocol"]?.intValue == handshake.version {
                evidence.keep()
            } else {
                evidence.violate(
                    Finding(
                        "connected states another version than the client asked for",
                        expected: "protocol \(handshake.version)",
                        actual: greeting["protocol"].map { "protocol \($0.text())" } ?? "no protocol",
                        at: [handshake.auth.event, greeting.event]))
            }
        }
        return evidence
    }

    /// LIVE-11: "A server MUST NOT close with 4001 or 4010 for any reason other than refused credentials or an unsupported
    /// version".
    ///
    /// Once for each close frame of the server, also in answer to the client's, on a connection with good credentials and
    /// version 1. A second `auth` may be refused for its own sake.
    static func terminalCodesMeanWhatTheySay(_ observations: Observations) -> Evidence {
        var evidence = Evidence()
        for handshake in observations.handshakes where handshake.isValid {
            let connection = observations.connections[handshake.connection]
            guard connection.sent.count(where: { $0.type == "auth" }) == 1 else { continue }
            for close in observations.closes(on: handshake.connection) where close.event > handshake.auth.event {
                if close.code == 4001 || close.code == 4010 {
                    evidence.violate(
                        Finding(
                            "a connection with good credentials and version 1 was closed for good",
                            expected: "another code than 4001 and 4010",
                            actual: "close \(close.code.map(String.init) ?? "")",
                            at: [handshake.auth.event, close.event]))
                } else {
                    evidence.keep()
                }
            }
        }
        return evidence
    }
}

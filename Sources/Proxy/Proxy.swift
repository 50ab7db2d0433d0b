import Holdfast
import HoldfastJudge
import HoldfastTranscript
import HoldfastTransport

/// Stands between a real client and a real server: passes on, writes down, judges, and breaks things on request.
package final class Proxy: Sendable {
    package struct Options: Sendable {
        package var host = "127.0.0.1"
        /// The port; 0 takes a free one.
        package var port = 0
        package var upstream: Endpoint
        /// Which certificates of the server to believe.
        package var upstreamTLS = TLSOptions()
        /// What clients are shown that speak TLS; nil for none.
        package var identity: TLSIdentity?
        /// The subject: the side that is judged, and what it declares.
        package var subject: History.Subject
        /// Whether nobody said what the server declares, so that its greetings do.
        package var isUndeclared = false
        /// What is done to messages and requests.
        package var faults: [Rule] = []
        /// How the two peers speak.
        package var dialect = Dialect.canonical
        /// Where the transcript is written; nil for nowhere.
        package var transcript: String?
        /// Whether credentials are written as they are.
        package var showsSecrets = false
        /// When it began, in ISO 8601.
        package var startedAt: String?

        package init(upstream: Endpoint, subject: History.Subject) {
            (self.upstream, self.subject) = (upstream, subject)
        }

        /// Why nothing takes connections behind the proxy; nil when something does.
        package func upstreamProblem() async -> TransportProblem? {
            do {
                try await HTTPConnection.open(upstream.httpBase, tls: upstreamTLS, timeout: .seconds(2)).cut(.fin)
                return nil
            } catch {
                return error
            }
        }
    }

    private let relay: TransportServer
    private let record: ProxyRecord
    private let judging: LiveJudge

    private init(relay: TransportServer, record: ProxyRecord, judging: LiveJudge) {
        (self.relay, self.record, self.judging) = (relay, record, judging)
    }

    /// Starts to listen.
    ///
    /// * `note`: Takes a line for people, from any thread.
    /// * `tell`: Takes a violation or a warning, each once.
    /// - Throws: A problem of the transcript's file, or of the address.
    package static func start(
        _ options: Options, under specification: Specification, note: @escaping @Sendable (String) -> Void,
        tell: @escaping @Sendable (LiveJudge.Report) -> Void
    ) async throws -> Proxy {
        let header = History.Header(
            specification: specification.version, subject: options.subject, startedAt: options.startedAt,
            dialect: options.dialect, capture: History.Capture(lacks: Self.lacks(options.upstream)))
        let dialect = options.dialect
        let watched = WatchedEvents()
        let record = ProxyRecord(
            role: options.subject.role,
            canonical: { frame, direction in
                let sender = direction == .toServer ? Role.client : .server
                return if case .frames(let frames) = dialect.decode(frame, sentBy: sender) { frames } else { [] }
            }, rules: options.faults,
            file: try options.transcript.map { try TranscriptFile($0, header: header) },
            showsSecrets: options.showsSecrets, watched: watched, note: note)
        let relay = try await Relay.start(
            host: options.host, port: options.port, upstream: options.upstream, tls: options.identity,
            upstreamTLS: options.upstreamTLS, holdsMessages: Rule.concernMessages(options.faults),
            watcher: record)
        let judging = LiveJudge(
            header, under: specification, isUndeclared: options.isUndeclared, watching: watched, note: note, tell: tell)
        judging.start()
        return Proxy(relay: relay, record: record, judging: judging)
    }

    /// What a proxy cannot know: which tokens are good, whether two of them are two people's, and what the network between
    /// it and a server elsewhere does.
    private static func lacks(_ upstream: Endpoint) -> Set<History.Capture.Lack> {
        let isHere = upstream.host == "localhost" || upstream.host == "::1" || upstream.host.hasPrefix("127.")
        return isHere ? [.credentials, .principals] : [.credentials, .principals, .network]
    }

    package var port: Int { relay.port }
    /// Whether clients must speak TLS.
    package var isSecure: Bool { relay.isSecure }
    package var tallies: ProxyTallies { record.tallies }
    package var tally: ClauseTally { judging.tally }
    /// The profiles that greetings stated, where nobody declared any.
    package var statedProfiles: Set<Profile> { judging.stated }
    /// The other protocol that passed, in place of which nothing was judged.
    package var foreign: ForeignProtocol? { judging.foreign }
    package var unusedRules: [Rule] { record.unusedRules }
    package var transcriptFailure: String? { record.fileFailure }

    /// Returns once nothing passed for so long, after a first client has come, or when the calling task is cancelled.
    package func idle(for time: Duration) async {
        var last = tallies
        var since = ContinuousClock.now
        while !Task.isCancelled, ContinuousClock.now - since < time {
            try? await Task.sleep(for: .milliseconds(50))
            let now = tallies
            if now != last || now.connections + now.requests == 0 { (last, since) = (now, .now) }
        }
    }

    /// Ends every connection, WebSockets with 1001, and judges what is left.
    package func stop() async {
        await relay.stop()
        await judging.finish()
    }
}

/// What passed through a proxy, counted.
package struct ProxyTallies: Sendable, Equatable {
    /// WebSockets asked for.
    package var connections = 0
    /// Requests over HTTP.
    package var requests = 0
    /// Messages on WebSockets, both ways.
    package var messages = 0
    /// Events written.
    package var events = 0
    /// Faults brought about.
    package var faults = 0
    /// Messages, bodies and connections that passed without being looked at.
    package var unseen = 0
    /// Events that came faster than they could be judged, and went unjudged.
    package var unjudged = 0
}

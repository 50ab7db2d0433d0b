import Holdfast
import HoldfastJudge
import HoldfastSmallFoundation
import HoldfastTranscript
import HoldfastTransport

/// Connects a real client and a real server: forwards, records, judges, and injects faults on request.
package final class Proxy: Sendable {
    package struct Options: Sendable {
        package var host = "127.0.0.1"
        /// The port; 0 takes a free one.
        package var port = 0
        package var upstream: Endpoint
        package var upstreamTLS = TLSOptions()
        /// The certificate for clients that use TLS; nil for none.
        package var identity: TLSIdentity?
        /// The judged side and its declaration.
        package var subject: History.Subject
        /// Whether the server's profiles come from its greetings, because the user declared none.
        package var isUndeclared = false
        package var faults: [Rule] = []
        package var dialect = Dialect.canonical
        /// The path of the transcript; nil for none.
        package var transcript: String?
        package var showsSecrets = false
        /// The start of the recording, in ISO 8601.
        package var startedAt: String?

        package init(upstream: Endpoint, subject: History.Subject) {
            (self.upstream, self.subject) = (upstream, subject)
        }

        /// The reason why the server behind the proxy accepts no connections; nil if it does.
        package func upstreamProblem() async -> TransportProblem? {
            do {
                try await HTTPConnection(to: upstream.httpBase, tls: upstreamTLS, timeout: .seconds(2)).cut(.fin)
                return nil
            } catch {
                return error
            }
        }
    }

    private let relay: TransportServer
    private let record: ProxyRecord
    private let judging: LiveJudge

    /// Starts to listen.
    ///
    /// * `note`: Gets human-readable lines, on any thread.
    /// * `notify`: Gets each violation or warning once, and again if it is withdrawn.
    /// - Throws: A problem of the transcript's file, or of the address.
    package init(
        _ options: Options, under specification: Specification, note: @escaping @Sendable (String) -> Void,
        notify: @escaping @Sendable (LiveJudge.Report) -> Void
    ) async throws {
        let header = History.Header(
            specification: specification.version, subject: options.subject, startedAt: options.startedAt,
            dialect: options.dialect, capture: History.Capture(lacks: Self.lacks(options.upstream)))
        judging = LiveJudge(
            header, under: specification, isUndeclared: options.isUndeclared, note: note, notify: notify)
        record = ProxyRecord(
            role: options.subject.role, dialect: options.dialect, rules: options.faults,
            file: try options.transcript.map { try TranscriptFile($0, header: header) },
            showsSecrets: options.showsSecrets, watch: judging.add, note: note)
        do {
            relay = try await Relay.start(
                host: options.host, port: options.port, upstream: options.upstream, tls: options.identity,
                upstreamTLS: options.upstreamTLS, holdsMessages: Rule.concernMessages(options.faults),
                watcher: record)
        } catch {
            // The file is new, and nothing passed.
            if let path = options.transcript { try? FileManager.default.removeItem(atPath: path) }
            throw error
        }
        judging.start()
    }

    /// Facts that a proxy cannot observe: which tokens are valid, whether two tokens belong to two people, and what the
    /// network to a remote server does.
    private static func lacks(_ upstream: Endpoint) -> Set<History.Capture.Lack> {
        let isHere = upstream.host == "localhost" || upstream.host == "::1" || upstream.host.hasPrefix("127.")
        return isHere ? [.credentials, .principals] : [.credentials, .principals, .network]
    }

    package var port: Int { relay.port }
    package var isSecure: Bool { relay.isSecure }
    package var tallies: ProxyTallies {
        var tallies = record.tallies
        tallies.unjudged = judging.unjudged
        return tallies
    }
    package var tally: ClauseTally { judging.tally }
    /// The profiles that greetings stated, if the user declared none.
    package var statedProfiles: Set<Profile> { judging.stated }
    /// The other protocol in the traffic, which is the reason why nothing was judged.
    package var foreign: ForeignProtocol? { judging.foreign }
    package var unusedRules: [Rule] { record.unusedRules }
    package var transcriptFailure: String? { record.fileFailure }

    /// Returns after a period without traffic, which begins with the first client, or when the task is canceled.
    package func idle(for time: Duration) async {
        var last = tallies
        var since = ContinuousClock.now
        while !Task.isCancelled, ContinuousClock.now - since < time {
            try? await Task.sleep(for: .milliseconds(50))
            let now = tallies
            if now != last || now.connections + now.requests == 0 { (last, since) = (now, .now) }
        }
    }

    /// Ends every connection, WebSockets with 1001, and judges the remaining events.
    package func stop() async {
        await relay.stop()
        await judging.finish()
    }
}

package struct ProxyTallies: Sendable, Equatable {
    /// Requested WebSockets.
    package var connections = 0
    package var requests = 0
    package var messages = 0
    package var events = 0
    package var faults = 0
    /// Messages, bodies and connections that were forwarded unseen.
    package var unseen = 0
    /// Events that were dropped because they arrived faster than they could be judged.
    package var unjudged = 0
}

import Holdfast
import HoldfastBasics
import HoldfastPlatform
import HoldfastTranscript
import HoldfastTransport

/// The state of a running judgment, in the form that Prometheus reads.
package final class FollowMetrics: Sendable {
    private struct State: Sendable {
        var violations: [ClauseID: Int]
        /// The counts of closed parts; the open part of each file is in `open`.
        var exercised: [ClauseID: Int]
        var open: [Int: [ClauseID: Int]] = [:]
        var shown: [ClauseID: Int] = [:]
        var events = 0
        var dropped = (lines: 0, bytes: 0)
        var times: [Int: WireTimes] = [:]
    }

    private let state: Mutex<State>

    /// Every clause starts at 0, because a rate needs a value to start from.
    package init(_ specification: Specification, _ options: JudgeOptions) {
        let clauses = specification.clauses.filter {
            $0.exclusion == nil && $0.role == options.reading.subject.role
        }
        let zeros = clauses.keyed(by: \.id).mapValues { _ in 0 }
        state = Mutex(State(violations: zeros, exercised: zeros))
    }

    func found(_ clause: ClauseID) { state.withLock { $0.violations[clause, default: 0] += 1 } }

    /// Counts lost lines; open turns and connections may have ended in them.
    func lost(lines: Int = 0, bytes: Int = 0, of file: Int) {
        state.withLock { state in
            state.dropped.lines += lines
            state.dropped.bytes += bytes
            state.times[file]?.forgetOpen()
        }
    }

    func take(_ events: [Event], of file: Int, by dialect: Dialect) {
        state.withLock { state in
            state.events += events.count
            for event in events { state.times[file, default: WireTimes(by: dialect)].take(event) }
        }
    }

    /// Sets the counts of exercised clauses in a part that is still open, or just closed.
    func exercised(_ counts: [ClauseID: Int], of file: Int, isClosed: Bool) {
        state.withLock { state in
            state.open[file] = isClosed ? nil : counts
            if isClosed { state.exercised.merge(counts) { $0 + $1 } }
            var now = state.exercised
            for counts in state.open.values { now.merge(counts) { $0 + $1 } }
            // A counter never falls, even if a later check counts less.
            state.shown.merge(now) { max($0, $1) }
        }
    }

    /// The text in the exposition format of Prometheus, version 0.0.4.
    package var text: String {
        let state = state.withLock { $0 }
        var lines: [String] = []
        func family(_ name: String, _ kind: String, _ help: String, _ samples: [String]) {
            lines += ["# HELP holdfast_\(name) \(help)", "# TYPE holdfast_\(name) \(kind)"]
            lines += samples.map { "holdfast_\(name)\($0)" }
        }
        func byClause(_ counts: [ClauseID: Int]) -> [String] {
            counts.sorted { $0.key < $1.key }.map { "{clause=\"\($0.key)\"} \($0.value)" }
        }
        let exercised = state.exercised.merging(state.shown) { max($0, $1) }
        family("violations_total", "counter", "Violations and warnings, by clause.", byClause(state.violations))
        family("exercised_total", "counter", "How often each clause was exercised.", byClause(exercised))
        family("events_total", "counter", "Events read.", [" \(state.events)"])
        family("dropped_lines_total", "counter", "Lines of a pipe that were not judged.", [" \(state.dropped.lines)"])
        family("dropped_bytes_total", "counter", "Bytes of the dropped lines.", [" \(state.dropped.bytes)"])
        let times = state.times.values
        family("open_turns", "gauge", "Turns that have not ended.", [" \(times.reduce(0) { $0 + $1.openTurns })"])
        let histograms: [(String, String, KeyPath<WireTimes, Histogram>)] = [
            ("time_to_ack_seconds", "From a question to its ack.", \.toAck),
            ("time_to_done_seconds", "From a question to its answer.", \.toDone),
            ("time_to_caught_up_seconds", "From the start of a connection to its first syncResult.", \.toCaughtUp),
        ]
        for (name, help, part) in histograms {
            family(name, "histogram", help, times.reduce(into: Histogram()) { $0.add($1[keyPath: part]) }.samples)
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension FollowMetrics {
    package func serve(at address: String) async throws -> TransportServer {
        try await ServiceAddress(address, given: "--metrics").listening("--metrics") {
            (address) async throws(TransportProblem) in
            try await TransportServer.start(
                host: address.host, port: address.port, handler: MetricsHandler(metrics: self))
        }
    }
}

private struct MetricsHandler: TransportHandler {
    let metrics: FollowMetrics

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        guard request.path == "/metrics" else { return HTTPServerResponse(status: 404) }
        return HTTPServerResponse(
            headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")], body: Array(metrics.text.utf8))
    }
}

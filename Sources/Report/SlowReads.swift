import Holdfast
import HoldfastBasics
import HoldfastTranscript

/// Slow REST reads: within the timeout they are legal, but they can end steps with a shorter timeout.
enum SlowReads {
    private static let least = Duration.seconds(2)

    /// One line about slow reads, with the slowest one; empty if all were fast.
    static func notes(on scenarios: [ScenarioResult]) -> [String] {
        var reads: [(taken: Int, words: String, bound: Duration)] = []
        for scenario in scenarios where scenario.skipped == nil {
            var asked: [Lane: (at: Int, path: String)] = [:]
            for event in scenario.history.events {
                let verb: String
                switch event.kind {
                case .request(let request) where request.method == "GET" && event.lane != .push:
                    asked[event.lane] = (event.at, request.path)
                    continue
                case .response: verb = "took"
                case .failed: verb = "had no response after"
                default: continue
                }
                guard let read = asked.removeValue(forKey: event.lane) else { continue }
                let taken = event.at - read.at
                guard taken >= least.microseconds else { continue }
                let time = readable(Duration.microseconds(taken))
                let words = "GET \(read.path) \(verb) \(time) in \(scenario.name)"
                reads.append((taken, words, scenario.history.header.timeouts.rest))
            }
        }
        guard let slowest = reads.max(by: { $0.taken < $1.taken }) else { return [] }
        let others =
            reads.count > 1 ? "; \(counted(reads.count - 1, "other read")) took at least \(readable(least))" : ""
        return ["slow: \(slowest.words)\(others); the bound is \(readable(slowest.bound))"]
    }
}

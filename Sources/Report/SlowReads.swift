import Holdfast
import HoldfastBasics
import HoldfastTranscript

/// Slow REST reads: within the timeout they are legal, but they can end steps with a shorter timeout.
enum SlowReads {
    /// The shortest time to report.
    private static let least = Duration.seconds(2)

    /// One line about them, with the slowest; empty if all were fast.
    static func notes(on scenarios: [ScenarioResult]) -> [String] {
        var count = 0
        var slowest: (taken: Int, bound: Duration, what: String)?
        for scenario in scenarios where scenario.skipped == nil {
            var asked: [Lane: (at: Int, path: String)] = [:]
            for event in scenario.history.events {
                let isAnswered: Bool
                switch event.kind {
                case .request(let request) where request.method == "GET" && event.lane != .push:
                    asked[event.lane] = (event.at, request.path)
                    continue
                case .response: isAnswered = true
                case .failed: isAnswered = false
                default: continue
                }
                guard let request = asked.removeValue(forKey: event.lane) else { continue }
                let taken = event.at - request.at
                guard taken >= least.microseconds else { continue }
                count += 1
                if taken > slowest?.taken ?? 0 {
                    let word = isAnswered ? "took" : "had no response after"
                    slowest = (
                        taken, scenario.history.header.timeouts.rest,
                        "GET \(request.path) \(word) \(readable(Duration.microseconds(taken))) in \(scenario.name)"
                    )
                }
            }
        }
        guard let slowest else { return [] }
        let others = count > 1 ? "; \(counted(count - 1, "other read")) took at least \(readable(least))" : ""
        return ["slow: \(slowest.what)\(others); the bound is \(readable(slowest.bound))"]
    }
}

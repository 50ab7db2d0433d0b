import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

extension RunReport {
    /// The unexpected exits of the server, each kind once, with its last output and the scenarios.
    var deaths: [String] {
        var locations: [String: [String]] = [:]
        for scenario in scenarios where scenario.skipped == nil {
            for death in scenario.history.deaths { locations[death, default: []].append(scenario.name) }
        }
        return Self.words(of: locations, each: "scenario")
    }

    /// Unexpected exits of servers in words, most frequent first, with some of the places.
    package static func words(of deaths: [String: [String]], each place: String) -> [String] {
        deaths.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.map { death, names in
            let places = names.unique
            return "the server exited by itself in \(counted(places.count, place)), \(death)"
                + " (\(listed(places, limit: 3)))"
        }
    }
}

extension History {
    /// The unexpected exits of the server, each with its last output.
    package var deaths: [String] {
        var deaths: [String] = []
        var wasEnded = false
        for event in events where event.lane == .server {
            guard case .act(let name, let details) = event.kind else { continue }
            switch name {
            case "kill", "stop": wasEnded = true
            case "start": wasEnded = false
            case "exit" where !wasEnded:
                let how =
                    details["signal"]?.stringValue.map { "signal \($0)" }
                    ?? "exit code \(details["code"]?.text() ?? "?")"
                deaths.append(how + (details["said"]?.stringValue.map { ": \($0)" } ?? ""))
                wasEnded = true
            default: break
            }
        }
        return deaths
    }
}

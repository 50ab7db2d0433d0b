import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

extension RunReport {
    /// How the server ended by itself, with what it said last, and in which scenarios; each way once.
    var deaths: [String] {
        var locations: [String: [String]] = [:]
        for scenario in scenarios where scenario.skipped == nil {
            for death in scenario.history.deaths { locations[death, default: []].append(scenario.name) }
        }
        return locations.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.map { death, names in
            let scenarios = names.unique
            return "the server ended by itself in \(counted(scenarios.count, "scenario")), \(death)"
                + " (\(listed(scenarios, most: 3)))"
        }
    }
}

extension History {
    /// How the server ended without being told to, with what it said last.
    fileprivate var deaths: [String] {
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

import Holdfast
import HoldfastJSON
import HoldfastJSONSchema
import HoldfastJudge
import HoldfastReport
import HoldfastTranscript

/// Small runs with everything said that a test does not care about.
enum Sample {
    /// Read once; it is large.
    static let specification = Result { try Specification(.embedded) }

    /// What a report for programs has to look like.
    static func reportSchema() throws -> Schema {
        var registry = SchemaRegistry()
        for (path, text) in SpecificationFiles.embedded.texts where path.hasPrefix("schemas/") {
            let schema = try JSONParser.value(text)
            try registry.add(schema, at: schema["$id"]?.stringValue ?? path)
        }
        return try Schema(uri: "https://holdfast.example/spec/1/schemas/files/report.json", registry: registry)
    }

    struct Scenario {
        var name: String
        var verdicts: [Verdict]
        var problems: [String]
        var notation: String
        var stoppedAt: String?
        var cut: ScenarioResult.Cut?
        /// What it awaited in vain at its end, on a late machine.
        var missed: String?

        init(
            _ name: String, _ verdicts: [Verdict], problems: [String] = [],
            notation: String = "A+ A>ping(n1) A<pong(n1)", stoppedAt: String? = nil,
            cut: ScenarioResult.Cut? = nil
        ) {
            self.name = name
            (self.stoppedAt, self.cut) = (stoppedAt, cut)
            self.verdicts = verdicts
            self.problems = problems
            self.notation = notation
        }
    }

    static func subject(_ profiles: Set<Profile>) -> History.Subject {
        History.Subject(name: "sample", role: .server, profiles: profiles)
    }

    static func report(
        _ scenarios: [Scenario], profiles: Set<Profile> = [.core, .sync], selection: Set<ClauseID>? = nil,
        intended: [String: [ClauseID]] = [:], wasInterrupted: Bool = false,
        startedAt: String = "2026-01-01T00:00:00Z"
    ) throws -> RunReport {
        let specification = try Sample.specification.get()
        let results = try scenarios.map { scenario in
            let late = History.Lateness(from: 0, to: 60_000_000, slowness: 2)
            let header = History.Header(
                scenario: scenario.name, subject: subject(profiles), lateness: scenario.missed == nil ? [] : [late])
            var history = try NotationExpansion(scenario.notation, header: header).history
            if let missed = scenario.missed, var wait = history.events.last {
                (wait.at, wait.kind) = (wait.at + 1, .wait(awaited: missed, met: false))
                history = History(header: header, events: history.events + [wait])
            }
            return ScenarioResult(
                name: scenario.name, history: history,
                verdicts: scenario.verdicts, problems: scenario.problems, stoppedAt: scenario.stoppedAt,
                cut: scenario.cut, duration: .milliseconds(12))
        }
        return RunReport(
            results, of: subject(profiles), at: "ws://127.0.0.1:8080/ws", under: specification, selection: selection,
            intended: intended, startedAt: startedAt, duration: .milliseconds(1234),
            wasInterrupted: wasInterrupted)
    }
}

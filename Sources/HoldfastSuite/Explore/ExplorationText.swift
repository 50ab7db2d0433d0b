import Holdfast
import HoldfastBasics
import HoldfastExplore
import HoldfastPlatform
import HoldfastReport
import HoldfastTranscript

extension Exploration.Found {
    private var file: String {
        plan.file(about: [clause], title: "Breaks \(clause)", summary: what.isEmpty ? "Violates \(clause)." : what)
            .text(pretty: true) + "\n"
    }

    private var rate: String {
        if times.performed == 0 { return "not run again" }
        return times.broken == times.performed ? "certain" : "intermittent, \(times.broken) of \(times.performed) times"
    }

    /// Writes the scenario and the transcript to a folder; returns the path of the scenario.
    package func write(to folder: String) throws -> String {
        let location = "\(folder)/\(clause)-\(seed)"
        try Files.write(file, to: "\(location).json", makingFolders: true)
        try Files.write(TranscriptWriter.text(history), to: "\(location).ndjson")
        return "\(location).json"
    }

    package func text(again command: String) -> String {
        let others = broken.map(\.clause).filter { $0 != clause }.map(\.description)
        return """
            violation \(clause) (seed \(seed), \(counted(plan.count, "step")), \(rate))
              \(visible(what))\(others.isEmpty ? "" : "\n  also \(listed(others, limit: 8))")
              again: \(command)


            """
    }
}

extension Exploration.Result {
    /// Other failures, one line each.
    package var complaints: [String] {
        [startProblem].compactMap(\.self) + problems.prefix(5).map { "suite failure: \($0)" }
            + failures.prefix(3).map { "seed \($0.seed): \($0.what)" }
    }

    package func text(seed: UInt64) -> String {
        "\(counted(performed, "plan")) from seed \(seed)\(wasInterrupted ? ", interrupted" : ""): "
            + (found.isEmpty ? "nothing found" : "\(counted(found.count, "violation"))")
            + (failures.isEmpty ? "" : ", \(counted(failures.count, "driver failure"))") + "\n"
    }
}

extension Exploration.Replayed {
    package var complaints: [String] {
        [startProblem].compactMap(\.self)
            + plans.flatMap { plan in
                plan.problems.map { "suite failure: \($0)" }
                    + [plan.failure.map { "\(plan.name): \($0)" }].compactMap(\.self)
            }
    }

    package var text: String {
        let lines = plans.flatMap { plan -> [String] in
            let broken = plan.verdicts.filter { $0.outcome == .violation }
            let lines = broken.flatMap {
                ["violation \($0.clause) in \(plan.name)", "  \(visible($0.findings.first?.what ?? ""))"]
            }
            if let reason = plan.skipped { return lines + ["skipped: \(plan.name)", "  \(reason)"] }
            let isFine = broken.isEmpty && plan.failure == nil
            return isFine
                ? ["no violations in \(plan.name); \(counted(plan.history.events.count, "event"))"] : lines
        }
        return (lines + (wasInterrupted ? ["interrupted"] : [])).map { $0 + "\n" }.joined()
    }
}

extension Exploration.Corpus {
    /// Reads the plans in a folder, created if missing; `keep` writes plans there, named by their hash.
    package init(in folder: String, for role: Role, failing fail: @escaping @Sendable (any Error) -> Void) throws {
        try Files.makeFolder(folder)
        let names = try files(below: folder).filter { $0.hasSuffix(".json") }
        let plans = try names.compactMap { name -> Plan? in
            let text = try Files.text(of: "\(folder)/\(name)")
            let plan = Plan(text, named: "\(role)/explored/\(ScenarioFile.name(of: name))")
            if plan == nil {
                let problem = "\(folder)/\(name): no plan for a \(role), so it is skipped; remove it, or mend it"
                fail(SuiteProblem(.input, problem))
            }
            return plan
        }
        self.plans = plans
        keep = { plan in
            let text = plan.file(about: [ClauseID(.TURN, 1)]).text(pretty: true) + "\n"
            let name = hexDigits(SHA256.digest(Array(text.utf8)).prefix(8))
            do { try Files.write(text, to: "\(folder)/\(name).json") } catch { fail(error) }
        }
    }
}

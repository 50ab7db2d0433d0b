import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastReport

extension Judgment {
    /// The judgment as a page; everything it draws must have been kept.
    package func page(under specification: Specification) -> String {
        let results = exercised.compactMap { id -> HTMLCapture.Result? in
            guard let clause = specification[id], let tally = clauses[id] else { return nil }
            return (
                clause, tally.outcome, tally.exercised,
                tally.examples.map { (DrawnParts.name(of: $0.number, in: $0.name), $0.found.finding) }
            )
        }
        let observed = observed.map { kind, tally in
            HTMLCapture.Observed(
                kind.title, count: tally.count, command: "conformance explain \(kind.topic)",
                first: tally.examples.map { example in
                    (example.found.what, example.lines.map { "\(example.name) \($0)" }, example.chart)
                })
        }
        let parts = drawn?.results ?? []
        let judgedTimeline = (timeline?.sections ?? []).map { section in
            (section.title, section.lines.map { ($0.time.map { "+\(readable($0 / 1000)) ms" } ?? "", $0.what) })
        }
        var notes = files.flatMap { file in
            file.summary.remarks.map { "\(file.name): \($0)" }
                + file.summary.leftOut.entries.map {
                    "Skipped in \(file.name): \($0.count)× \($0.reason), first \($0.first)"
                }
        }
        if let drawn, drawn.count > parts.count {
            notes.append("Showing \(parts.count) of \(drawn.count) parts, those with findings first.")
        }
        return HTMLCapture(
            headline, exit: exit, isClean: isClean, facts: facts(specification), parts: parts, results: results,
            timeline: judgedTimeline, observed: observed,
            notes: notes, under: specification
        ).text
    }

    private func facts(_ specification: Specification) -> [(title: String, text: String)] {
        let profiles = files.reduce(into: Set<Profile>()) { $0.formUnion($1.profiles) }
        let dialects = files.reduce(into: Set<String>()) { $0.formUnion($1.dialects) }.subtracting(["canonical"])
        let reachable = inQuestion.values.count(where: \.wasReachable)
        return [
            ("Files", files.prefix(5).map(\.name).joined(separator: ", ") + (files.count > 5 ? " and others" : "")),
            ("Events", "\(events)"),
            ("Profiles", profiles.sorted().map(\.rawValue).joined(separator: ", ")),
            ("Dialect", dialects.isEmpty ? "none" : dialects.sorted().joined(separator: ", ")),
            ("Versions", "specification \(specification.version), program \(toolVersion)"),
            (
                "Clauses",
                "\(reachable) of \(inQuestion.count) can be checked here; \(JudgmentText.were(exercised.count))"
            ),
            ("Exit code", "\(Int(exit.rawValue))" + (failsOn == .observation ? ", with --fail-on observation" : "")),
        ]
    }
}

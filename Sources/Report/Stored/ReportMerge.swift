import Holdfast
import HoldfastBasics

package enum ReportMerge {
    package typealias File = (file: String, report: RunReport)

    /// Merges the shards into the whole run.
    ///
    /// Everything is recomputed from the verdicts, so the result equals that of one run over all scenarios. The whole
    /// is compared with the baseline of the shards.
    /// - Throws: The reasons why the shards do not belong together, or the missing shards.
    package static func merge(
        _ files: [File], under specification: Specification, scenarios names: [String]
    ) throws(InputProblems) -> RunReport {
        guard let first = files.first, let part = first.report.part else {
            throw InputProblems(files.isEmpty ? [noReport] : wholeRuns(files))
        }
        var problems = wholeRuns(files)
        guard problems.isEmpty else { throw InputProblems(problems) }
        for file in files.dropFirst() { problems += differences(first, file) }
        if first.report.specification != specification.version {
            problems.note(
                first.file, "it was judged under specification \(first.report.specification)",
                expected: "\(specification.version), the one of this program",
                fix: "merge with the program that wrote the shards")
        }
        guard problems.isEmpty else { throw InputProblems(problems) }
        problems = gaps(files, count: part.shard.count)
        // If a shard is missing, so are its scenarios.
        if problems.isEmpty { problems = overlaps(files) }
        guard problems.isEmpty else { throw InputProblems(problems) }
        return whole(files.map(\.report), first.report, under: specification, scenarios: names)
    }

    private static func whole(
        _ parts: [RunReport], _ first: RunReport, under specification: Specification, scenarios names: [String]
    ) -> RunReport {
        let placed = parts.flatMap { report in zip(report.part?.positions ?? [], report.scenarios) }
        var whole = RunReport(
            placed.sorted { $0.0 < $1.0 }.map(\.1), of: first.subject,
            at: parts.map(\.address).unique.joined(separator: ", "), under: specification,
            // Each shard of a load reports the clauses it happened to exercise.
            selection: parts.reduce(into: []) { $0.formUnion($1.inQuestion) },
            intended: parts.reduce(into: [:]) { $0.merge($1.intended) { first, _ in first } },
            leftOut: first.leftOut, isStrict: first.isStrict,
            startedAt: parts.map(\.startedAt).min() ?? first.startedAt,
            duration: parts.map(\.duration).max() ?? .zero, wasInterrupted: parts.contains(where: \.wasInterrupted))
        whole.stoppedAfter = parts.compactMap(\.stoppedAfter).max()
        whole.diagnostics = parts.flatMap(\.diagnostics).unique
        whole.load = first.load.map { load in
            parts.dropFirst().compactMap(\.load).reduce(into: load) { $0.add($1) }
        }
        whole.rerun = first.rerun
        whole.tool = first.tool
        if let baseline = first.baseline {
            let clauses = specification.clauses.filter { $0.role == first.subject.role }.map(\.id.description)
            whole.compare(
                with: Baseline(file: baseline.file, entries: baseline.results.map(\.entry)),
                on: parts.compactMap(\.baseline?.date).max() ?? baseline.date, clauses: clauses, scenarios: names)
        }
        return whole
    }

    // MARK: problems

    private static let noReport = InputProblem(
        location: "report merge", what: "no report", expected: "the report.json of each shard", fix: "name the files")

    private static func wholeRuns(_ files: [File]) -> [InputProblem] {
        files.filter { $0.report.part == nil }.map { file in
            InputProblem(
                location: file.file, what: "this is a whole run", expected: "a shard made with --shard I/N",
                fix: "remove it; to compare two whole runs, use 'conformance report diff'")
        }
    }

    /// The differences in properties that all shards must share.
    private static func differences(_ first: File, _ other: File) -> [InputProblem] {
        let (left, right) = (first.report, other.report)
        var differing: [(what: String, here: String, there: String)] = []
        func compare(_ what: String, _ here: String, _ there: String) {
            if here != there { differing.append((what, here, there)) }
        }
        func names(_ clauses: Set<ClauseID>) -> String {
            clauses.isEmpty ? "nothing" : clauses.sorted().map(\.description).joined(separator: ", ")
        }
        func declared(_ report: RunReport) -> String {
            let limits = report.subject.limits.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return (report.subject.profiles.sorted().map(\.rawValue) + limits).joined(separator: ", ")
        }
        compare("the subject", left.subject.name, right.subject.name)
        compare("the side", left.subject.role.rawValue, right.subject.role.rawValue)
        compare("the declaration", declared(left), declared(right))
        compare(
            "the agent", left.subject.hasScriptedAgent ? "scripted" : "any",
            right.subject.hasScriptedAgent ? "scripted" : "any")
        compare(
            "the strictness", left.isStrict ? "--strict" : "without --strict",
            right.isStrict ? "--strict" : "without --strict")
        compare("the set of exclusions", names(left.leftOut), names(right.leftOut))
        compare("the specification", left.specification, right.specification)
        compare("the version of the program", left.tool ?? "unknown", right.tool ?? "unknown")
        compare("the number of shards", String(left.part?.shard.count ?? 0), String(right.part?.shard.count ?? 0))
        compare("the load", left.load?.plan ?? "none", right.load?.plan ?? "none")
        // The histories that a load keeps are unknown in advance.
        guard left.load == nil else { return problems(differing, first, other) }
        compare("the number of scenarios", String(left.part?.total ?? 0), String(right.part?.total ?? 0))
        let (mine, theirs) = (left.inQuestion, right.inQuestion)
        if let example = mine.symmetricDifference(theirs).min() {
            compare(
                "the set of clauses", "\(example) \(mine.contains(example) ? "included" : "missing")",
                "\(example) \(theirs.contains(example) ? "included" : "missing")")
        }
        if left.baseline?.results.map(\.entry) != right.baseline?.results.map(\.entry) {
            compare("the baseline", left.baseline?.file ?? "none", (right.baseline?.file ?? "none") + ", not the same")
        }
        return problems(differing, first, other)
    }

    private static func problems(
        _ differing: [(what: String, here: String, there: String)], _ first: File, _ other: File
    ) -> [InputProblem] {
        differing.map { difference in
            InputProblem(
                location: other.file,
                what: "\(difference.what) differs: \(clipped(difference.there))",
                expected: "\(clipped(difference.here)), as in \(first.file)",
                fix: "merge only shards of one run with the same flags")
        }
    }

    private static func gaps(_ files: [File], count: Int) -> [InputProblem] {
        var byIndex: [Int: [String]] = [:]
        for file in files { byIndex[file.report.part?.shard.index ?? 0, default: []].append(file.file) }
        var problems: [InputProblem] = []
        let missing = (1...count).filter { byIndex[$0] == nil }
        if !missing.isEmpty {
            let names = listed(missing.map { "\($0)/\(count)" }, limit: 10)
            problems.note(
                "report merge",
                "\(missing.count == 1 ? "a shard is" : "\(missing.count) shards are") missing: \(names)",
                expected: "all \(count) shards", fix: "add their files, or run them again")
        }
        for (index, names) in byIndex.sorted(by: { $0.key < $1.key }) where names.count > 1 {
            problems.note(
                names[1], "shard \(index)/\(count) is given twice", expected: "each shard once",
                fix: "remove one of \(names.joined(separator: ", "))")
        }
        return problems
    }

    private static func overlaps(_ files: [File]) -> [InputProblem] {
        var owner: [Int: String] = [:]
        var byName: [String: String] = [:]
        for file in files {
            for (position, scenario) in zip(file.report.part?.positions ?? [], file.report.scenarios) {
                let before =
                    owner.updateValue(file.file, forKey: position)
                    ?? byName.updateValue(file.file, forKey: scenario.name)
                guard let before else { continue }
                return [
                    InputProblem(
                        location: file.file, what: "scenario \(scenario.name) is also in \(before)",
                        expected: "each scenario in one shard", fix: "run the shards again with the same program")
                ]
            }
        }
        let total = files.first?.report.part?.total ?? 0
        guard owner.count != total, !files.contains(where: { $0.report.load != nil }),
            !files.contains(where: \.report.wasInterrupted)
        else { return [] }
        return [
            InputProblem(
                location: "report merge", what: "the shards contain \(owner.count) of \(total) scenarios",
                expected: "all of them", fix: "run the shards again with the same program")
        ]
    }
}

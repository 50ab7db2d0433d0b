import Holdfast
import HoldfastJSON
import HoldfastJudge
import HoldfastTranscript

/// Reads a stored report: the run with its scenarios, transcripts and verdicts.
///
/// Nothing is judged again. A report whose clauses do not follow from the verdicts of its scenarios is rejected.
package enum ReportReader {
    package static let maxBytes = 512 << 20

    static let fix = "use the report as it was written"

    /// Reads a file that is named relative to the report.
    package typealias Companion = (String) throws(InputProblem) -> [UInt8]

    /// The run in the bytes of a report.
    ///
    /// * `companion`: Reads transcripts in separate files; nil if there are none.
    /// - Throws: The problems, with line and column.
    package static func report(
        _ bytes: [UInt8], file: String, beside companion: Companion? = nil
    ) throws(InputProblems) -> RunReport {
        try MemberReader.read(
            bytes, file: file, schema: .report, expected: "a report of this program", maxBytes: maxBytes,
            isMeant: isMeant
        ) { stored in
            guard !stored.collector.isRefused, let report = report(stored, file: file, companion) else { return nil }
            check(report, against: stored)
            return report
        }
    }

    private static func isMeant(_ root: JSONValue, _ collector: ProblemCollector) -> Bool {
        guard root["format"]?.stringValue == JSONReport.format else {
            collector.note(
                JSONPointer(), "this is not a report", expected: "\"format\": \"\(JSONReport.format)\"",
                fix: "use the report.json that --out wrote")
            return false
        }
        guard let version = root["version"]?.intValue, version != JSONReport.version else { return true }
        collector.note(
            JSONPointer(tokens: ["version"]), "report version \(version) is unknown",
            expected: "version \(JSONReport.version)", fix: "read it with the program that wrote it")
        return false
    }

    private static func report(_ stored: MemberReader, file: String, _ companion: Companion?) -> RunReport? {
        guard let subject = stored.members("subject").flatMap({ History.Subject($0) }) else { return nil }
        let specification = stored.text("specification")
        var entries: [(MemberReader, ScenarioResult?)] = []
        for entry in stored.objects("scenarios") {
            let scenario = scenario(entry, specification, subject, file: file, companion)
            // If one transcript is missing, the others probably are too.
            if scenario == nil, entry.value("transcript")?.stringValue != nil { return nil }
            entries.append((entry, scenario))
        }
        let scenarios = entries.compactMap(\.1)
        // The rest depends on the scenarios and would only repeat the problem.
        guard entries.count == scenarios.count, stored.collector.problems.isEmpty else { return nil }
        for (name, count) in Dictionary(grouping: scenarios, by: \.name).mapValues(\.count) where count > 1 {
            stored.refuse(
                "scenarios", "scenario '\(clipped(name))' is listed \(count) times", expected: "each scenario once")
            return nil
        }
        let intended = Dictionary(
            entries.filter { $0.0.value("intended") != nil }.map { ($0.0.text("name"), $0.0.ids("intended")) },
            uniquingKeysWith: { first, _ in first })
        let clauses = stored.objects("clauses").compactMap { entry in
            clause(entry).map { ClauseResult($0, in: scenarios, intended: intended, subject: subject) }
        }
        let unseen = RunReport.unseen(clauses, of: subject)
        var report = RunReport(
            specification: specification, subject: subject, address: stored.text("address"),
            startedAt: stored.text("startedAt"), duration: .milliseconds(stored.number("durationMs")),
            wasInterrupted: stored.bool("interrupted") ?? false, clauses: clauses, pending: stored.ids("pending"),
            excluded: stored.ids("excluded"), scenarios: scenarios,
            tiers: stored.objects("tiers").map { TierResult($0) }, setAside: stored.ids("setAside"),
            outOfReach: stored.objects("outOfReach").map { Gap($0) },
            gaps: stored.objects("gaps").map { Gap($0) }, unseen: unseen,
            // In a report, the lines about profiles without evidence precede the notes.
            notes: Array(stored.texts("notes").dropFirst(unseen.count)), diagnostics: stored.texts("diagnostics"),
            part: stored.members("shard").flatMap { Shard.Part($0, scenarios: scenarios.count) },
            deferred: stored.ids("elsewhere"), leftOut: Set(stored.ids("leftOut")),
            isStrict: stored.bool("strict") ?? false, sentences: sentences(stored),
            baseline: stored.members("baseline").flatMap { BaselineResult($0) },
            intended: intended, rerun: stored.members("again").map { RunReport.Rerun($0) },
            tool: stored.string("tool"), load: stored.members("load").map { LoadFigures($0) })
        report.reach = stored.value("reach").map(ReachTable.init)
        report.stoppedAfter = stored.integer("stoppedAfter")
        report.findCauses()
        return report
    }

    private static func sentences(_ stored: MemberReader) -> [ClauseID: String] {
        guard let sentences = stored.members("sentences") else { return [:] }
        var known: [ClauseID: String] = [:]
        for key in sentences.object.keys { if let id = ClauseID(key) { known[id] = sentences.text(key) } }
        return known
    }

    /// Reads a clause; `check` compares its result with that of its scenarios.
    private static func clause(_ stored: MemberReader) -> Clause? {
        guard let id = stored.id("id"), let keyword = stored.choice("keyword", of: Keyword.self),
            let role = stored.choice("role", of: Role.self), let profile = stored.choice("profile", of: Profile.self)
        else { return nil }
        return Clause(
            id: id, role: role, profile: profile,
            keyword: keyword, sentence: stored.text("sentence"))
    }

    private static func scenario(
        _ stored: MemberReader, _ specification: String, _ subject: History.Subject, file: String,
        _ companion: Companion?
    ) -> ScenarioResult? {
        let name = stored.text("name")
        let tier = stored.integer("tier") ?? 1
        let cut = stored.value("cut")?.stringValue.flatMap { ScenarioResult.Cut(rawValue: $0) }
        if let reason = stored.value("skipped")?.stringValue {
            let header = History.Header(specification: specification, scenario: name, subject: subject)
            var result = ScenarioResult(
                name: name, history: History(header: header, events: []), verdicts: [], skipped: reason, cut: cut,
                tier: tier, wasSetAside: stored.bool("setAside") ?? false, lacks: stored.texts("lacks"))
            result.isOutOfReach = stored.bool("outOfReach") ?? false
            return result
        }
        guard let history = history(stored, file: file, companion), matches(name, specification, history.header, stored)
        else { return nil }
        return ScenarioResult(
            name: name, history: history,
            verdicts: stored.objects("verdicts").compactMap { Verdict($0, events: history.events.count) },
            problems: stored.texts("problems"), stoppedAt: stored.value("stoppedAt")?.stringValue,
            cut: cut, failure: stored.value("failure")?.stringValue,
            duration: .milliseconds(stored.number("durationMs")),
            tier: tier)
    }

    private static func history(_ stored: MemberReader, file: String, _ companion: Companion?) -> History? {
        var location = stored.pointer.appending("transcript")
        do throws(InputProblem) {
            if let name = stored.value("transcript")?.stringValue {
                return try history(in: name, of: stored.text("name"), file: file, companion)
            }
            var transcript = TranscriptReader(file: file)
            for line in stored.objects("transcript") {
                location = line.pointer
                try transcript.append(line.object, at: file)
            }
            location = stored.pointer.appending("transcript")
            return try transcript.finish()
        } catch {
            stored.collector.note(
                location, error.what, expected: error.expected, fix: error.fix.isEmpty ? fix : error.fix)
            return nil
        }
    }

    private static func history(
        in name: String, of scenario: String, file: String, _ companion: Companion?
    ) throws(InputProblem) -> History {
        guard name == JSONReport.transcript(of: scenario) else {
            throw InputProblem(
                file, "the report expects the transcript of \(clipped(scenario)) in '\(clipped(name))'",
                expected: "'\(JSONReport.transcript(of: scenario))'", fix: fix)
        }
        guard let companion else {
            throw InputProblem(
                file, "the transcripts are in files next to the report, and they are missing",
                expected: "the folder of --out",
                fix: "use that folder, or write a single file with --format json=FILE")
        }
        var transcript = TranscriptReader(file: name)
        do throws(InputProblem) {
            try transcript.append(try companion(name))
            return try transcript.finish()
        } catch {
            throw InputProblem(
                error.location, "\(error.location): \(error.what)", expected: error.expected, fix: error.fix)
        }
    }

    private static func matches(
        _ name: String, _ specification: String, _ header: History.Header, _ stored: MemberReader
    ) -> Bool {
        // Repetitions are called `NAME#2` and so on, but their transcripts name the scenario.
        let scenario = name.prefix { $0 != "#" }
        let pointer = stored.pointer.appending("transcript").appending(0)
        if let other = header.scenario, other != scenario {
            stored.collector.note(
                pointer.appending("scenario"), "the transcript is of scenario '\(clipped(other))'",
                expected: "'\(scenario)'", fix: fix)
            return false
        }
        if header.specification != specification {
            stored.collector.note(
                pointer.appending("specification"),
                "the transcript was made under specification '\(clipped(header.specification))'",
                expected: "'\(clipped(specification))', as the report", fix: fix)
            return false
        }
        return true
    }

    /// Notes every stored result that does not follow from the verdicts.
    private static func check(_ report: RunReport, against stored: MemberReader) {
        let writer = JSONReport(report)
        for (index, result) in report.clauses.enumerated() {
            let (written, computed) = (stored.value("clauses")?[index], writer.clause(result))
            guard written != computed else { continue }
            let pointer = JSONPointer(tokens: ["clauses", String(index)])
            let differing = computed.objectValue?.keys.first { written?[$0] != computed[$0] }
            stored.collector.note(
                differing.map(pointer.appending) ?? pointer,
                "\(result.clause.id) does not match the verdicts of its scenarios",
                expected: differing.flatMap { computed[$0] }.map { clipped($0.text()) }
                    ?? "the result of these verdicts",
                fix: fix)
        }
        let exit = stored.value("exit")?["code"]?.intValue
        if stored.collector.problems.isEmpty, exit != Int(report.exit.rawValue) {
            stored.refuse(
                "exit", "the exit code does not match the clauses",
                expected: "\(report.exit.rawValue) (\(report.exit.meaning))")
        }
    }
}

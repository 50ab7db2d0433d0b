import Holdfast
import JSON
import Judge
import Transcript

/// Reads a stored report back: the run with its scenarios, transcripts and verdicts, as they were stored.
///
/// Nothing is judged anew. What a report tells of a clause has to follow from the verdicts of its scenarios; one that
/// contradicts itself is refused.
package struct ReportReader {
    /// The most bytes of a report.
    package static let maxBytes = 512 << 20

    private let file: String
    private let collector: ProblemCollector

    /// The run in the bytes of a report.
    /// - Throws: What is wrong with them, with line and column.
    package static func report(_ bytes: [UInt8], file: String) throws(InputProblems) -> RunReport {
        let root: JSONValue
        do {
            root = try JSONParser.value(bytes: bytes, limits: JSONLimits(maxBytes: maxBytes))
        } catch {
            throw InputProblems([InputProblem(error, in: file, expected: "a report of this program")])
        }
        let reader = ReportReader(file: file, collector: ProblemCollector(file: file, text: bytes))
        guard let report = reader.report(root), reader.collector.problems.isEmpty else {
            throw InputProblems(reader.collector.problems)
        }
        return report
    }

    /// Whether a value looks like a report, so that another reader need not try.
    package static func mayRead(_ value: JSONValue) -> Bool { value["format"]?.stringValue == JSONReport.format }

    private func report(_ root: JSONValue) -> RunReport? {
        guard Self.mayRead(root) else {
            return wrong(
                JSONPointer(), "this is no report", expected: "\"format\": \"\(JSONReport.format)\"",
                fix: "give the report.json that --out wrote")
        }
        guard let reader = MemberReader(root, at: JSONPointer(), into: collector) else { return nil }
        guard let version = reader.integer("version", in: 1...Int(Int32.max), required: true) else { return nil }
        guard version == JSONReport.version else {
            return wrong(
                reader.pointer.appending("version"), "report version \(version) is unknown",
                expected: "version \(JSONReport.version)", fix: "read it with the program that wrote it")
        }
        guard let stored = stored(reader) else { return nil }
        let report = RunReport(stored)
        check(report, against: root)
        return report
    }

    private func stored(_ reader: MemberReader) -> RunReport.Stored? {
        let specification = reader.string("specification", required: true)
        let subject = reader.members("subject", required: true).flatMap(subject)
        let startedAt = reader.string("startedAt", required: true)
        let duration = reader.integer("durationMs", in: 0...Self.maxInteger, required: true)
        let interrupted = reader.bool("interrupted")
        if interrupted == nil { _ = reader.require("interrupted") }
        guard let specification, let subject, let startedAt, let duration, let interrupted else { return nil }
        let entries = members(of: reader, "scenarios").map { scenario($0, specification, subject) }
        let scenarios = entries.compactMap(\.self)
        // What the rest comes to depends on them, and would be told as a second problem.
        guard entries.count == scenarios.count, collector.problems.isEmpty else { return nil }
        for (name, count) in Dictionary(grouping: scenarios, by: \.result.name).mapValues(\.count) where count > 1 {
            return wrong(
                reader.pointer.appending("scenarios"), "scenario '\(clipped(name))' stands here \(count) times",
                expected: "each scenario once", fix: Self.fix)
        }
        let intended = Dictionary(
            scenarios.compactMap { entry in entry.intended.map { (entry.result.name, $0) } },
            uniquingKeysWith: { first, _ in first })
        let results = scenarios.map(\.result)
        return RunReport.Stored(
            specification: specification, subject: subject,
            address: reader.string("address", required: true, isEmptyAllowed: true) ?? "",
            startedAt: startedAt, duration: .milliseconds(duration), wasInterrupted: interrupted,
            clauses: members(of: reader, "clauses").compactMap { clause($0, results, intended, subject) },
            pending: ids(reader, "pending"), excluded: ids(reader, "excluded"), scenarios: results,
            tiers: members(of: reader, "tiers").compactMap(tier), setAside: ids(reader, "setAside"),
            gaps: members(of: reader, "gaps").map(gap), notes: texts(reader, "notes"),
            diagnostics: texts(reader, "diagnostics"), intended: intended,
            again: reader.members("again").flatMap(again), tool: reader.string("tool"),
            part: reader.members("shard").flatMap { part($0, scenarios: results.count) },
            elsewhere: ids(reader, "elsewhere"), baseline: reader.members("baseline").flatMap(baseline))
    }

    // MARK: parts

    private func subject(_ reader: MemberReader) -> History.Subject? {
        let role = reader.choice("role", of: Role.self, required: true)
        let profiles = reader.strings("profiles", required: true)?.compactMap { element in
            reader.choice(element.text, of: Profile.self, called: "profile", at: element.pointer)
        }
        guard let name = reader.string("name", required: true, isEmptyAllowed: true), let role, let profiles else {
            return nil
        }
        var limits: [String: Int] = [:]
        if let members = reader.members("limits") {
            for name in members.object.keys { limits[name] = members.integer(name, in: 0...Self.maxInteger) }
        }
        return History.Subject(
            name: name, role: role, profiles: Set(profiles),
            hasScriptedAgent: !["any", "plain"].contains(reader.string("agent") ?? "any"), limits: limits)
    }

    private func again(_ reader: MemberReader) -> RunReport.Again? {
        reader.string("command", required: true).map { RunReport.Again($0, driver: reader.string("driver")) }
    }

    private func part(_ reader: MemberReader, scenarios: Int) -> Shard.Part? {
        guard let count = reader.integer("count", in: 1...Shard.maxCount, required: true),
            let index = reader.integer("index", in: 1...count, required: true),
            let total = reader.integer("scenarios", in: scenarios...Self.maxInteger, required: true),
            let elements = reader.array("places", required: true)
        else { return nil }
        let places = elements.compactMap(\.value.intValue).filter { (0..<total).contains($0) }
        guard places.count == scenarios, elements.count == scenarios, zip(places, places.dropFirst()).allSatisfy(<)
        else {
            return wrong(
                reader.pointer.appending("places"), "these are not the places of the \(scenarios) scenarios below",
                expected: "\(scenarios) rising numbers below \(total)", fix: Self.fix)
        }
        return Shard.Part(Shard(index, of: count), total: total, places: places)
    }

    private func baseline(_ reader: MemberReader) -> BaselineResult? {
        guard let file = reader.string("file", required: true), let date = date(reader, "date") else { return nil }
        return BaselineResult(
            file: file, date: date, results: members(of: reader, "entries").compactMap { entry($0) })
    }

    private func entry(_ reader: MemberReader) -> BaselineResult.EntryResult? {
        guard let clause = reader.string("clause", required: true),
            let scenario = reader.string("scenario", required: true),
            let reason = reader.string("reason", required: true), let expires = date(reader, "expires"),
            let line = reader.integer("line", in: 0...Self.maxInteger, required: true),
            let state = reader.choice("state", of: BaselineResult.State.self, required: true),
            let violated = reader.integer("violated", in: 0...Self.maxInteger, required: true),
            let exercised = reader.integer("exercised", in: 0...Self.maxInteger, required: true)
        else { return nil }
        let entry = Baseline.Entry(
            clause: clause, scenario: scenario, reason: reason, link: reader.string("link"), expires: expires,
            isIntermittent: reader.bool("intermittent") ?? false, line: line)
        return BaselineResult.EntryResult(
            entry: entry, state: state, violated: violated, exercised: exercised, nearest: reader.string("nearest"),
            violatedIn: texts(reader, "violatedIn"))
    }

    private func date(_ reader: MemberReader, _ key: String) -> CivilDate? {
        guard let text = reader.string(key, required: true) else { return nil }
        return CivilDate(text) ?? reader.wrong(key, .string(text), "a day such as 2026-12-31")
    }

    private func tier(_ reader: MemberReader) -> TierResult? {
        guard let tier = reader.integer("tier", in: 1...3, required: true),
            let performed = reader.integer("performed", in: 0...Self.maxInteger, required: true),
            let leftOut = reader.integer("leftOut", in: 0...Self.maxInteger, required: true),
            let counts = reader.members("clauses", required: true)
        else { return nil }
        var byOutcome: [Outcome: Int] = [:]
        for name in counts.object.keys {
            guard let outcome = counts.choice(name, of: Outcome.self, called: "outcome", at: counts.pointer) else {
                continue
            }
            byOutcome[outcome] = counts.integer(name, in: 0...Self.maxInteger)
        }
        return TierResult(tier: tier, performed: performed, leftOut: leftOut, counts: byOutcome)
    }

    private func gap(_ reader: MemberReader) -> Gap {
        Gap(reason: reader.string("reason", required: true) ?? "", clauses: ids(reader, "clauses"))
    }

    /// A clause as its scenarios make it; `check` compares it with what is stored.
    private func clause(
        _ reader: MemberReader, _ scenarios: [ScenarioResult], _ intended: [String: [ClauseID]],
        _ subject: History.Subject
    ) -> ClauseResult? {
        guard let id = id(reader, "id"),
            let keyword = reader.choice("keyword", of: Keyword.self, required: true),
            let role = reader.choice("role", of: Role.self, required: true),
            let profile = reader.choice("profile", of: Profile.self, required: true),
            let sentence = reader.string("sentence", required: true)
        else { return nil }
        let companions = reader.choices("with", of: Profile.self).map(\.choice)
        return ClauseResult(
            Clause(id: id, role: role, profile: profile, companions: companions, keyword: keyword, sentence: sentence),
            in: scenarios, intended: intended, subject: subject)
    }

    private func scenario(
        _ reader: MemberReader, _ specification: String, _ subject: History.Subject
    ) -> (result: ScenarioResult, intended: [ClauseID]?)? {
        guard let name = reader.string("name", required: true) else { return nil }
        // Names become names of files, and a stored report may come from anywhere.
        guard ScenarioResult.isName(name) else {
            return reader.wrong(
                "name", .string(name),
                "the name of a scenario, such as server/SYNC/replay-after-cut, or NAME#2 for its second performance")
        }
        let tier = reader.integer("tier", in: 1...3) ?? 1
        let intended = reader.value("intended") == nil ? nil : ids(reader, "intended")
        if let reason = reader.string("skipped", isEmptyAllowed: true) {
            let header = History.Header(specification: specification, scenario: name, subject: subject)
            let result = ScenarioResult(
                name: name, history: History(header: header, events: []), verdicts: [], skipped: reason, tier: tier,
                wasSetAside: reader.bool("setAside") ?? false)
            return (result, intended)
        }
        guard let duration = reader.integer("durationMs", in: 0...Self.maxInteger, required: true),
            reader.require("verdicts") != nil, let history = history(reader),
            isOf(name, specification, history.header, reader)
        else { return nil }
        let verdicts = members(of: reader, "verdicts")
        let read = verdicts.compactMap { verdict($0, events: history.events.count) }
        guard verdicts.count == read.count else { return nil }
        let result = ScenarioResult(
            name: name, history: history, verdicts: read, problems: texts(reader, "problems"),
            stoppedAt: reader.string("stoppedAt", isEmptyAllowed: true),
            failure: reader.string("failure", isEmptyAllowed: true), duration: .milliseconds(duration), tier: tier)
        return (result, intended)
    }

    private func history(_ reader: MemberReader) -> History? {
        guard let lines = reader.require("transcript") else { return nil }
        guard let lines = lines.arrayValue else { return reader.wrong("transcript", lines, "an array") }
        let pointer = reader.pointer.appending("transcript")
        var transcript = TranscriptReader(file: file)
        var line = pointer
        do throws(InputProblem) {
            for (place, value) in lines.enumerated() {
                line = pointer.appending(place)
                guard let object = value.objectValue else {
                    return wrong(
                        line, "found \(MemberReader.shown(value))", expected: "a line of a transcript, an object",
                        fix: Self.fix)
                }
                try transcript.append(object, at: file)
            }
            line = pointer
            return try transcript.finish()
        } catch {
            return wrong(line, error.what, expected: error.expected, fix: Self.fix)
        }
    }

    /// Whether a transcript is the one of its scenario, and of its run.
    private func isOf(
        _ name: String, _ specification: String, _ header: History.Header, _ reader: MemberReader
    ) -> Bool {
        let pointer = reader.pointer.appending("transcript").appending(0)
        // The second performance of a scenario has a name of its own, and the same stimulus.
        let scenario = name.prefix { $0 != "#" }
        if let other = header.scenario, other != scenario {
            wrong(
                pointer.appending("scenario"), "the transcript is of scenario '\(clipped(other))'",
                expected: "'\(scenario)'", fix: Self.fix)
            return false
        }
        if header.specification != specification {
            wrong(
                pointer.appending("specification"),
                "the transcript was made under specification '\(clipped(header.specification))'",
                expected: "'\(clipped(specification))', as the report", fix: Self.fix)
            return false
        }
        return true
    }

    private func verdict(_ reader: MemberReader, events: Int) -> Verdict? {
        guard let clause = id(reader, "clause"),
            let outcome = reader.choice("outcome", of: Outcome.self, required: true),
            let exercised = reader.integer("exercised", in: 0...Self.maxInteger, required: true)
        else { return nil }
        let findings = members(of: reader, "findings").compactMap { finding($0, events: events) }
        return Verdict(
            clause: clause, outcome: outcome, exercised: exercised, findings: findings,
            remarks: texts(reader, "remarks"))
    }

    private func finding(_ reader: MemberReader, events: Int) -> Finding? {
        guard let what = reader.string("what", required: true, isEmptyAllowed: true),
            let expected = reader.string("expected", required: true, isEmptyAllowed: true),
            let actual = reader.string("actual", required: true, isEmptyAllowed: true),
            let places = reader.array("events", required: true)
        else { return nil }
        let cited = places.compactMap { place -> Int? in
            if let event = place.value.intValue, (0..<events).contains(event) { return event }
            return wrong(
                place.pointer, "found \(MemberReader.shown(place.value))",
                expected: "the place of one of the \(events) events of the transcript, from 0", fix: Self.fix)
        }
        return Finding(what, expected: expected, actual: actual, at: cited)
    }

    // MARK: what has to follow from the verdicts

    private func check(_ report: RunReport, against root: JSONValue) {
        let writer = JSONReport(report)
        for (place, result) in report.clauses.enumerated() {
            let stored = root["clauses"]?[place]
            let computed = writer.clause(result)
            guard stored != computed else { continue }
            let pointer = JSONPointer(tokens: ["clauses", String(place)])
            let differing = computed.objectValue?.keys.first { stored?[$0] != computed[$0] }
            wrong(
                differing.map(pointer.appending) ?? pointer,
                "\(result.clause.id) is told otherwise than the verdicts of its scenarios make it",
                expected: differing.flatMap { computed[$0] }.map { clipped($0.text()) } ?? "what they make it",
                fix: Self.fix)
        }
        let exit = root["exit"]?["code"]?.intValue
        if collector.problems.isEmpty, exit != Int(report.exit.rawValue) {
            wrong(
                JSONPointer(tokens: ["exit"]), "the exit code is told otherwise than the clauses make it",
                expected: "\(report.exit.rawValue) (\(report.exit.meaning))", fix: Self.fix)
        }
    }

    // MARK: members

    private func members(of reader: MemberReader, _ key: String) -> [MemberReader] {
        (reader.array(key) ?? []).compactMap { MemberReader($0.value, at: $0.pointer, into: collector) }
    }

    private func texts(_ reader: MemberReader, _ key: String) -> [String] {
        reader.strings(key)?.map(\.text) ?? []
    }

    private func id(_ reader: MemberReader, _ key: String) -> ClauseID? {
        guard let text = reader.string(key, required: true) else { return nil }
        return ClauseID(text) ?? reader.wrong(key, .string(text), "a clause id such as SYNC-3")
    }

    private func ids(_ reader: MemberReader, _ key: String) -> [ClauseID] {
        (reader.strings(key) ?? []).compactMap { element in
            ClauseID(element.text)
                ?? wrong(
                    element.pointer, "found '\(clipped(element.text))'", expected: "a clause id such as SYNC-3",
                    fix: Self.fix)
        }
    }

    @discardableResult
    private func wrong<Value>(_ pointer: JSONPointer, _ what: String, expected: String, fix: String) -> Value? {
        collector.note(pointer, what, expected: expected, fix: fix)
        return nil
    }

    private func wrong(_ pointer: JSONPointer, _ what: String, expected: String, fix: String) {
        collector.note(pointer, what, expected: expected, fix: fix)
    }

    private static let fix = "take the report as it was written"
    private static let maxInteger = 9_007_199_254_740_991
}

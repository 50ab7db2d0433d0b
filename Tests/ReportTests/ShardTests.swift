import Holdfast
import HoldfastJudge
import HoldfastTranscript
import Testing

@testable import HoldfastReport

@Suite struct ShardTests {
    // MARK: flags

    private func problem(_ text: String, _ environment: [String: String] = [:]) -> InputProblem? {
        do {
            _ = try Shard(text, environment: environment)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a part is told by number, or by the index of a job`() throws {
        #expect(try Shard("2/3", environment: [:]).description == "2/3")
        #expect(try Shard("/3", environment: ["JOB_COMPLETION_INDEX": "0"]).description == "1/3")
        #expect(try Shard("/3", environment: ["JOB_COMPLETION_INDEX": "2"]).description == "3/3")
    }

    @Test(arguments: ["", "3", "0/3", "4/3", "1/0", "-1/3", "1/x", "1/2/3", "+1/3", "1/9999", "/3", " 1/3"])
    func `what names no part is refused`(text: String) {
        #expect(problem(text) != nil)
    }

    @Test(arguments: ["3", "-1", "x", ""])
    func `an index of no part is refused by the name of its variable`(index: String) {
        #expect(problem("/3", ["JOB_COMPLETION_INDEX": index])?.location == "JOB_COMPLETION_INDEX")
    }

    // MARK: shares

    @Test(arguments: [1, 2, 3, 7, 50])
    func `the shares are everything, once, in order, and alike`(count: Int) throws {
        let items = Array(0..<40)
        let kind = { (item: Int) in item % 10 == 0 ? 0 : 1 }
        let shares = try (1...count).map { try Shard("\($0)/\(count)", environment: [:]).share(of: items, kind: kind) }
        #expect(shares.flatMap(\.self).sorted() == items)
        #expect(shares.allSatisfy { $0 == $0.sorted() })
        let sizes = shares.map(\.count)
        #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) <= 1)
        let slow = shares.map { $0.count { kind($0) == 0 } }
        #expect((slow.max() ?? 0) - (slow.min() ?? 0) <= 1)
    }

    // MARK: parts and wholes

    private static let names = (0..<7).map { "server/SYNC/scenario-\($0)" }
    private static let clauses = [
        ClauseID(.SYNC, 3), ClauseID(.SYNC, 7), ClauseID(.SYNC, 4), ClauseID(.ENV, 1), ClauseID(.ENV, 2),
    ]

    /// A result for each scenario; outcomes differ from one to the next, so that parts see different things.
    private static func results(_ subject: History.Subject) throws -> [ScenarioResult] {
        let outcomes: [Outcome] = [.pass, .untested, .violation, .inconclusive, .pass, .untested, .untested]
        return try names.enumerated().map { place, name in
            let header = History.Header(scenario: name, subject: subject)
            var result = ScenarioResult(
                name: name, history: try NotationExpansion("A+ A>ping(n1) A<pong(n1)", header: header).history,
                verdicts: [
                    States.verdict(clauses[place % 2], outcomes[place]), States.verdict(clauses[2], .untested),
                    States.verdict(clauses[3], place == 4 ? .pass : .untested),
                    States.verdict(clauses[4], place < 5 ? .inconclusive : .pass),
                ], duration: .milliseconds(12))
            if place == 5 {
                result.skipped = "it needs a start command"
                result.verdicts = []
                result.history = History(header: header, events: [])
            }
            return result
        }
    }

    private func part(
        _ index: Int, of count: Int, name: String = "sample", tool: String = "0.1.0", isInterrupted: Bool = false,
        isStrict: Bool = false, leftOut: Set<ClauseID> = [], baseline: [Baseline.Entry]? = nil
    ) throws -> RunReport {
        let subject = History.Subject(name: name, role: .server, profiles: [.core, .sync])
        let all = try Self.results(subject)
        let shard = index == 0 ? nil : try Shard("\(index)/\(count)", environment: [:])
        let results = shard?.share(of: all) { _ in 0 } ?? all
        let intended = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, [Self.clauses[0], Self.clauses[2]]) })
        var report = RunReport(
            results, of: subject, at: "ws://127.0.0.1:8080/ws", under: try Sample.specification.get(),
            selection: Set(Self.clauses), intended: intended, leftOut: leftOut, isStrict: isStrict,
            startedAt: "2026-01-01T00:00:0\(index)Z",
            duration: .milliseconds(100 * index), wasInterrupted: isInterrupted,
            part: shard.map { Shard.Part($0, of: Self.names, holding: results.map(\.name)) })
        report.tool = tool
        if let baseline {
            report.compare(
                with: Baseline(file: "baseline.json", entries: baseline), on: try #require(States.day),
                clauses: Self.clauses.map(\.description), scenarios: Self.names)
        }
        return report
    }

    /// Parts as they are read from files.
    private func stored(_ parts: [RunReport]) throws -> [ReportMerge.File] {
        try parts.enumerated().map { place, part in
            let text = ReportFormat.json.text(of: part)
            return ("part-\(place + 1).json", try ReportReader.report(Array(text.utf8), file: "part-\(place + 1).json"))
        }
    }

    private func merged(_ parts: [RunReport]) throws -> RunReport {
        try ReportMerge.merge(stored(parts), under: Sample.specification.get(), scenarios: Self.names)
    }

    @Test(arguments: [1, 2, 3, 7])
    func `all parts together say what one run says`(count: Int) throws {
        let whole = try part(0, of: 1)
        let parts = try (1...count).map { try part($0, of: count) }
        let merged = try merged(parts.reversed())
        for key in [
            "headline", "exit", "summary", "tiers", "clauses", "pending", "excluded", "setAside", "gaps", "notes",
            "scenarios",
        ] {
            #expect(JSONReport(merged).value[key] == JSONReport(whole).value[key], "\(key)")
        }
        #expect(merged.part == nil)
    }

    @Test func `parts of different strictness are no run, nor are those that leave out different clauses`() throws {
        for odd in [try part(2, of: 2, isStrict: true), try part(2, of: 2, leftOut: [Self.clauses[2]])] {
            let problems = #expect(throws: InputProblems.self) { try merged([try part(1, of: 2), odd]) }
            #expect(problems?.problems.first?.location == "part-2.json", "\(String(describing: problems))")
        }
        let strict = try (1...2).map { try part($0, of: 2, isStrict: true) }
        #expect(try merged(strict).isStrict)
    }

    @Test func `a part calls nothing untested that others may decide`() throws {
        let part = try part(1, of: 7)
        #expect(part.exit == .conforms)
        #expect(part.headline == "shard 1 of 7, conforms so far: 1 pass, 4 left to the other shards")
        #expect(part.gaps.isEmpty)
        #expect(part.clauses(.untested).isEmpty)
        #expect(ConsoleReport(part).text.contains("left to the other 6 shards: 4 clauses"))
        #expect(try self.part(3, of: 7).exit == .violation)
    }

    @Test func `a part without a scenario conforms so far, and an interrupted one does not`() throws {
        #expect(try part(9, of: 9).headline == "shard 9 of 9, conforms so far: 5 left to the other shards")
        #expect(try part(1, of: 7, isInterrupted: true).exit == .incomplete)
    }

    @Test func `a part is read back as it was written`() throws {
        let part = try part(2, of: 3, baseline: [States.entry("SYNC-7", Self.names[1])])
        let text = ReportFormat.json.text(of: part)
        let read = try ReportReader.report(Array(text.utf8), file: "part.json")
        #expect(ReportFormat.json.text(of: read) == text)
        #expect(read.part == part.part)
        #expect(read.baseline == part.baseline)
    }

    @Test func `a baseline that the parts met is met by the whole`() throws {
        let entries = [
            try States.entry("SYNC-3", Self.names[2]), try States.entry("SYNC-3", "server/*/scenario-2"),
        ]
        let parts = try (1...3).map { try part($0, of: 3, baseline: entries) }
        #expect(parts.allSatisfy { $0.baseline?.stale.isEmpty ?? false })
        let whole = try merged(parts)
        #expect(whole.baseline?.results.map(\.state) == [.violated, .violated])
        #expect(whole.unexpected.isEmpty)
    }

    @Test func `a pattern that fails nowhere is stale in the whole only`() throws {
        let entries = [try States.entry("SYNC-4", "server/*")]
        let parts = try (1...3).map { try part($0, of: 3, baseline: entries) }
        #expect(parts.allSatisfy { $0.baseline?.stale.isEmpty ?? false })
        #expect(try merged(parts).baseline?.stale.count == 1)
    }

    private func refusals(_ parts: [RunReport]) throws -> [String] {
        do {
            _ = try merged(parts)
            return []
        } catch let error as InputProblems {
            return error.problems.map { "\($0.location): \($0.what)" }
        }
    }

    @Test func `missing, doubled and foreign parts are told`() throws {
        let parts = try (1...3).map { try part($0, of: 3) }
        #expect(try refusals([parts[0], parts[2]]) == ["report merge: a shard is missing: 2/3"])
        #expect(try refusals([parts[0]]) == ["report merge: 2 shards are missing: 2/3, 3/3"])
        #expect(try refusals(parts + [parts[1]]) == ["part-4.json: shard 2/3 is given twice"])
        #expect(
            try refusals([parts[0], part(2, of: 3, name: "other"), parts[2]])
                == ["part-2.json: the subject differs: other"])
        #expect(
            try refusals([parts[0], part(2, of: 3, tool: "0.2.0"), parts[2]])
                == ["part-2.json: the version of the program differs: 0.2.0"])
        #expect(try refusals([parts[0], part(2, of: 2)]).first == "part-2.json: the number of shards differs: 2")
        #expect(try refusals([part(0, of: 1)]) == ["part-1.json: this is a whole run"])
        #expect(try refusals([]) == ["report merge: no report"])
    }
}

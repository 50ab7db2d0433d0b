import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastJSONSchema
import HoldfastJudge
import HoldfastReport
import HoldfastTranscript
import TestSupport
import Testing

@Suite struct BaselineTests {
    private let day: CivilDate

    init() throws { day = try #require(States.day) }

    // MARK: judging

    @Test func `what is expected and fails lets a run conform, and says so`() throws {
        let report = try States.expected()
        #expect(report.exit == .conforms)
        #expect(report.headline == "conforms except for expected violations: 1 pass, 1 violated as expected")
        #expect(report.unexpected.isEmpty)
        let text = ConsoleReport(report).text
        #expect(
            text.contains("expected     SYNC-3 in server/SYNC/replay-after-cut is violated as expected:"), "\(text)")
        #expect(!text.contains("violation SYNC-3"))
    }

    @Test func `a violation nobody expects ends with 1, whatever is expected besides`() throws {
        let report = try Sample.report(
            [
                .init(States.null, [States.verdict(States.sync3, .violation)]),
                .init(States.replay, [States.verdict(States.sync3, .violation)]),
            ], selection: [States.sync3])
        let compared = try States.compared(report, [States.entry()])
        #expect(compared.exit == .violation)
        #expect(compared.unexpected.map(\.clause.id) == [States.sync3])
        let text = ConsoleReport(compared).text
        #expect(text.contains("in scenario server/ENV/null-frame\n"), "\(text)")
        #expect(!text.contains("also in"))
    }

    @Test func `one that holds, is over, or names nothing ends with 3 and says what to edit`() throws {
        func state(_ report: RunReport, _ entry: Baseline.Entry) throws -> BaselineResult.EntryResult {
            let compared = try States.compared(report, [entry])
            #expect(compared.exit == .staleBaseline)
            #expect(compared.headline.hasPrefix("the baseline is stale: "))
            return try #require(compared.baseline?.stale.first)
        }
        #expect(try state(States.green(), States.entry()).state == .passes)
        #expect(try state(States.violated(), States.entry(expires: "2026-11-21")).state == .expired)
        let clause = try state(States.green(), States.entry("SYNC-33"))
        #expect(clause.state == .unknownClause)
        #expect(clause.fix == "did you mean 'SYNC-3'?")
        let scenario = try state(States.green(), States.entry("SYNC-3", "server/SYNC/replay-after-cuts"))
        #expect(scenario.state == .unknownScenario)
        #expect(scenario.fix == "did you mean 'server/SYNC/replay-after-cut'?")
        #expect(try state(States.untested(), States.entry()).state == .notShown)
        let foreign = try Sample.report(
            [.init(States.replay, [States.verdict(States.env1, .pass)])], profiles: [.core],
            selection: [States.env1, States.sync3])
        #expect(try state(foreign, States.entry()).state == .notApplicable)
    }

    @Test func `the last day still counts, and what is over does not turn into a surprise`() throws {
        #expect(try States.compared(States.violated(), [States.entry(expires: "2026-11-22")]).exit == .conforms)
        let over = try States.compared(States.violated(), [States.entry(expires: "2026-11-21")])
        #expect(over.unexpected.isEmpty)
    }

    @Test func `what is not in the run is not stale`() throws {
        let other = try States.compared(States.green(), [States.entry("SYNC-3", "server/SYNC/other")])
        #expect(other.baseline?.results.map(\.state) == [.notInRun])
        #expect(other.exit == .conforms)
        let clause = try States.compared(States.green(), [States.entry("SYNC-7")])
        #expect(clause.baseline?.results.map(\.state) == [.notInRun])
    }

    @Test func `a pattern needs one scenario that fails`() throws {
        #expect(try States.compared(States.violated(), [States.entry("SYNC-3", "server/*")]).exit == .conforms)
        #expect(try States.compared(States.green(), [States.entry("SYNC-3", "server/*")]).exit == .staleBaseline)
    }

    /// SYNC-3 as it came out in each of a few scenarios, in each of their performances.
    private func spread(_ outcomes: [[Outcome]], _ entry: Baseline.Entry) throws -> RunReport {
        let names = [States.null, States.replay, "server/SYNC/other"]
        let scenarios = zip(names, outcomes).flatMap { name, outcomes in
            outcomes.enumerated().map { place, outcome in
                Sample.Scenario(
                    name + (place == 0 ? "" : "#\(place + 1)"), [States.verdict(States.sync3, outcome)])
            }
        }
        return try States.compared(try Sample.report(scenarios, selection: [States.sync3]), [entry])
    }

    @Test func `a pattern covers nothing that holds`() throws {
        let report = try spread([[.pass], [.violation], [.inconclusive]], States.entry("SYNC-3", "server/*"))
        let result = try #require(report.baseline?.stale.first)
        #expect(report.exit == .staleBaseline)
        #expect(result.state == .passesElsewhere)
        #expect(result.fix == "name the scenarios: server/SYNC/replay-after-cut")
        let text = BaselineWriter.text(report, on: day)
        let written = try Baseline(Array(text.utf8), file: "baseline.json", today: day)
        #expect(written.entries.map(\.scenario.text) == [States.replay])
        #expect(written.entries.map(\.reason) == ["the buffer is cut by count"])
        let bytes = Array((JSONReport(report).value.text(pretty: true) + "\n").utf8)
        #expect(try ReportReader.report(bytes, file: "report.json").baseline == report.baseline)
        let doubtful = try spread([[.inconclusive], [.violation]], States.entry("SYNC-3", "server/*"))
        #expect(doubtful.baseline?.results.map(\.state) == [.violated])
    }

    @Test func `what never breaks in twenty performances does not break now and then`() throws {
        func state(_ outcomes: [[Outcome]]) throws -> BaselineResult.State? {
            let report = try spread(outcomes, States.entry("SYNC-3", "server/*", isIntermittent: true))
            return report.baseline?.results.first?.state
        }
        let kept = [Outcome](repeating: .pass, count: 20)
        #expect(try state([kept]) == .neverViolated)
        #expect(try state([Array(kept.dropLast())]) == .intermittent)
        #expect(try state([Array(kept.dropLast()) + [.violation]]) == .intermittent)
        #expect(try state([kept, [.violation] + kept]) == .passesElsewhere)
        #expect(try state([[.pass], [.pass], [.violation]]) == .intermittent)
    }

    @Test func `the suite's failure goes before a stale baseline, a gap behind it`() throws {
        #expect(try States.compared(States.broken(), [States.entry("ENV-1", States.null)]).exit == .harness)
        let open = try States.compared(States.untested(), [States.entry("ENV-1", States.null)])
        #expect(open.exit == .staleBaseline)
    }

    // MARK: now and then

    private func repeated(_ outcomes: [Outcome], isIntermittent: Bool) throws -> RunReport {
        let report = try Sample.report(
            outcomes.enumerated().map { place, outcome in
                .init(States.replay + (place == 0 ? "" : "#\(place + 1)"), [States.verdict(States.sync3, outcome)])
            }, selection: [States.sync3])
        return try States.compared(report, [States.entry(isIntermittent: isIntermittent)])
    }

    @Test func `intermittent cases tell their rate over all performances`() throws {
        let report = try repeated([.pass, .violation, .pass, .violation, .pass], isIntermittent: true)
        #expect(report.exit == .conforms)
        let result = try #require(report.baseline?.results.first)
        #expect((result.state, result.violated, result.exercised) == (.intermittent, 2, 5))
        #expect(ConsoleReport(report).text.contains("is violated in 2 of 5"), "\(ConsoleReport(report).text)")
        #expect(try repeated([.pass, .pass], isIntermittent: true).exit == .conforms)
    }

    @Test func `what holds sometimes and is not called intermittent is stale`() throws {
        let report = try repeated([.violation, .pass], isIntermittent: false)
        #expect(report.baseline?.results.map(\.state) == [.passesSometimes])
        #expect(report.exit == .staleBaseline)
        #expect(try repeated([.violation, .violation], isIntermittent: false).exit == .conforms)
    }

    // MARK: files

    private let valid = """
        {
          "format": "holdfast-baseline",
          "version": 1,
          "expected": [
            {"clause": "SYNC-3", "scenario": "server/SYNC/*", "reason": "known", "expires": "2026-12-31"}
          ]
        }
        """

    private func problems(_ text: String) -> [InputProblem] {
        inputProblems(of: try Baseline(Array(text.utf8), file: "baseline.json", today: day))
    }

    @Test func `a baseline is read with the lines of its entries`() throws {
        let baseline = try Baseline(Array(valid.utf8), file: "baseline.json", today: day)
        #expect(baseline.entries.map(\.line) == [5])
        #expect(baseline.entries.map(\.clause) == ["SYNC-3"])
    }

    @Test(arguments: [
        ("\"reason\": \"known\"", "\"reason\": \"\"", "baseline.json:5:65 /expected/0/reason"),
        (
            "\"reason\": \"known\"", "\"reason\": \"\(BaselineWriter.placeholder)\"",
            "baseline.json:5:65 /expected/0/reason"
        ),
        ("\"reason\": \"known\", ", "", "baseline.json:5:5 /expected/0"),
        ("2026-12-31", "2026-02-30", "baseline.json:5:85 /expected/0/expires"),
        ("2026-12-31", "2027-11-24", "baseline.json:5:85 /expected/0/expires"),
        ("2026-12-31", "2026-12-31T00:00:00Z", "baseline.json:5:85 /expected/0/expires"),
        ("\"reason\"", "\"raeson\"", "baseline.json:5:65 /expected/0/raeson"),
        ("\"version\": 1", "\"version\": 2", "baseline.json:3:14 /version"),
        ("holdfast-baseline", "holdfast-report", "baseline.json:2:13 /format"),
        ("\"expires\": ", "\"link\": \"x\", \"expires\": ", "baseline.json:5:82 /expected/0/link"),
        ("\"version\": 1,", "\"version\": 1", "baseline.json:4:3"),
    ])
    func `a bad baseline is refused with its line`(part: String, changed: String, location: String) {
        let problems = problems(valid.replacing(part, with: changed))
        #expect(problems.contains { $0.location == location }, "\(problems)")
    }

    @Test func `the same clause and scenario twice is a problem`() {
        let line = #"{"clause": "SYNC-3", "scenario": "a", "reason": "known", "expires": "2026-12-31"}"#
        let text = #"{"format": "holdfast-baseline", "version": 1, "expected": [\#(line), \#(line)]}"#
        #expect(problems(text).count == 1)
    }

    @Test func `a written baseline asks for reasons and is refused until it has them`() throws {
        let text = BaselineWriter.text(try States.violated(), on: day)
        #expect(text.contains("\"clause\": \"SYNC-3\""))
        #expect(text.contains("\"expires\": \"2027-02-20\""))
        #expect(problems(text).map(\.what) == ["the reason is not filled in"])
        let filled = text.replacing(BaselineWriter.placeholder, with: "known")
        let baseline = try Baseline(Array(filled.utf8), file: "baseline.json", today: day)
        #expect(try States.compared(States.violated(), baseline.entries).exit == .conforms)
        try expectValid(filled)
    }

    @Test func `writing anew keeps what still fails and drops what holds`() throws {
        let report = try States.compared(
            States.violated(), [States.entry(), States.entry("ENV-1", States.null), States.entry("SYNC-7")])
        let text = BaselineWriter.text(report, on: day)
        let baseline = try Baseline(Array(text.utf8), file: "baseline.json", today: day)
        #expect(baseline.entries.map(\.clause) == ["SYNC-3", "SYNC-7"])
        #expect(baseline.entries.first?.link == "https://tracker.example/412")
    }

    private func expectValid(_ text: String) throws {
        let schema = try #require(SpecificationFiles.embedded.texts["schemas/files/baseline.json"])
        let violations = try Schema(JSONParser.value(schema)).violations(in: JSONParser.value(text))
        #expect(violations.map(\.description) == [])
    }

    @Test(arguments: [
        ("2024-02-29", true), ("2026-02-29", false), ("2100-02-29", false), ("2026-13-01", false),
        ("2026-1-01", false), ("0000-01-01", false), ("2026-11-22T10:00:00Z", true), ("2026-11-221", false),
    ])
    func `days are days of the calendar`(text: String, isDay: Bool) {
        #expect((CivilDate(text) != nil) == isDay)
    }

    @Test func `days are counted over the ends of months and years`() throws {
        #expect(try #require(CivilDate("2026-12-31")).advanced(by: 1).description == "2027-01-01")
        #expect(try #require(CivilDate("2028-02-28")).advanced(by: 2).description == "2028-03-01")
    }

    @Test(arguments: [
        ("server/*", "server/a", true), ("*", "", true), ("a*b*c", "a-b-b-c", true), ("a*b*c", "a-b-c-d", false),
        ("", "", true), ("", "a", false), ("a", "a#2", false),
    ])
    func `a star stands for anything`(pattern: String, name: String, matches: Bool) {
        #expect(NamePattern(pattern).matches(name) == matches)
    }

    @Test func `a hostile pattern takes no time`() {
        let pattern = NamePattern(String(repeating: "*a", count: 200) + "b")
        #expect(!pattern.matches(String(repeating: "a", count: 2_000)))
    }
}

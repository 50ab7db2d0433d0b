import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastTranscript
import Testing

@testable import HoldfastReport

/// What a set-up cannot show, in every form of a report.
@Suite struct OutOfReachTests {
    private let start = "it needs --start"
    private let agent = "it needs a scripted agent"

    private func skipped(_ name: String, _ lacks: [String]) throws -> ScenarioResult {
        let header = History.Header(scenario: name, subject: Sample.subject([.core]))
        var result = ScenarioResult(
            name: name, history: History(header: header, events: []), verdicts: [], lacks: lacks)
        result.skipped = lacks.joined(separator: ", and ")
        return result
    }

    private func report(isStrict: Bool = false) throws -> RunReport {
        let (env, crash, turn) = (ClauseID(.ENV, 1), ClauseID(.TURN, 2), ClauseID(.TURN, 4))
        let header = History.Header(scenario: "server/ENV/any", subject: Sample.subject([.core]))
        let seen = ScenarioResult(
            name: "server/ENV/any", history: try NotationExpansion("A+ A>ping(n1) A<pong(n1)", header: header).history,
            verdicts: [States.verdict(env, .pass)])
        var scenarios = [seen, try skipped("server/TURN/crash", [start]), try skipped("server/TURN/turn", [agent])]
        for index in scenarios.indices where isStrict { scenarios[index].isOutOfReach = false }
        return RunReport(
            scenarios, of: Sample.subject([.core]), at: "ws://127.0.0.1:8080/ws",
            under: try Sample.specification.get(), selection: [env, crash, turn],
            intended: ["server/ENV/any": [env], "server/TURN/crash": [crash], "server/TURN/turn": [turn]],
            isStrict: isStrict,
            startedAt: "2026-01-01T00:00:00Z", duration: .milliseconds(1))
    }

    @Test func `a pass by chance stays out of reach, and a violation does not`() throws {
        let (env, turn) = (ClauseID(.ENV, 1), ClauseID(.TURN, 4))
        for (outcome, isOut) in [(Outcome.pass, true), (.inconclusive, true), (.violation, false)] {
            let whole = try report()
            var scenarios = whole.scenarios
            scenarios[0].verdicts = [States.verdict(env, .pass), States.verdict(turn, outcome)]
            let report = RunReport(
                scenarios, of: whole.subject, at: whole.address, under: try Sample.specification.get(),
                selection: [env, turn], intended: whole.intended, startedAt: whole.startedAt, duration: .zero)
            #expect(report.outOfReach.flatMap(\.clauses) == (isOut ? [turn] : []), "\(outcome)")
            #expect(report.clauses(.violation).map(\.clause.id) == (isOut ? [] : [turn]), "\(outcome)")
        }
    }

    @Test func `a part of the proof of PERSIST-1 is no pass`() throws {
        let (env, stored) = (ClauseID(.ENV, 1), ClauseID(.PERSIST, 1))
        let whole = try report()
        var scenarios = Array(whole.scenarios.prefix(2))
        scenarios[0].verdicts = [States.verdict(env, .pass), States.verdict(stored, .pass)]
        let report = RunReport(
            scenarios, of: whole.subject, at: whole.address, under: try Sample.specification.get(),
            selection: [env, stored], intended: ["server/ENV/any": [env, stored], "server/TURN/crash": [stored]],
            startedAt: whole.startedAt, duration: .zero)
        #expect(report.outOfReach.flatMap(\.clauses) == [stored])
    }

    @Test func `cases of clauses out of reach have their sentence, and stand in the order of the clauses`() throws {
        let report = try report()
        let sentence = try #require(Sample.specification.get()[ClauseID(.TURN, 2)]?.sentence)
        let names = ReportFormat.tap.text(of: report).split(separator: "\n").filter { $0.hasPrefix("ok ") }
        try #require(names.count == 3)
        #expect(names[1].contains("- TURN-2 \(sentence) # SKIP out of reach: \(start)"), "\(names)")
        #expect(names[2].contains("- TURN-4 "))
        #expect(ReportFormat.junit.text(of: report).contains(#"<testcase name="TURN-2""#))
    }

    @Test func `tables and annotations count what is out of reach`() throws {
        let report = try report()
        #expect(ReportFormat.markdown.text(of: report).contains("| area | pass | out of reach |"))
        #expect(ReportFormat.markdown.text(of: report).contains("| TURN | 0 | 2 |"))
        #expect(ConsoleReport(report).text.contains("TURN      2 out of reach"))
        let lines = ReportFormat.github.text(of: report).split(separator: "\n")
        try #require(lines.count == 3)
        #expect(lines[2] == "::notice title=1 clause out of reach::1 clause needs a scripted agent: TURN-4")
    }

    @Test func `who saw nothing is told the way in`() throws {
        let fix = "fix: give the server a test mode that follows scripts"
        let id = ClauseID(.TURN, 4)
        let none = RunReport(
            [try skipped("server/TURN/turn", [agent])], of: Sample.subject([.core]),
            at: "ws://127.0.0.1:8080/ws", under: try Sample.specification.get(), selection: [id],
            intended: ["server/TURN/turn": [id]], startedAt: "2026-01-01T00:00:00Z", duration: .milliseconds(1))
        #expect(none.exit == .incomplete)
        #expect(ConsoleReport(none).text.contains(fix))
        #expect(!ConsoleReport(try report()).text.contains(fix))
    }

    @Test func `a report is read back with its sentences and its strictness`() throws {
        for isStrict in [false, true] {
            let report = try report(isStrict: isStrict)
            let text = ReportFormat.json.text(of: report)
            let read = try ReportReader.report(Array(text.utf8), file: "report.json")
            #expect(read.isStrict == isStrict)
            #expect(ReportFormat.json.text(of: read) == text)
            #expect(ReportFormat.junit.text(of: read) == ReportFormat.junit.text(of: report))
        }
    }

    @Test func `a clause that was left out by name is set aside, whatever was seen`() throws {
        let id = ClauseID(.ENV, 1)
        let whole = try report()
        let report = RunReport(
            whole.scenarios, of: whole.subject, at: whole.address, under: try Sample.specification.get(),
            selection: whole.inQuestion, intended: whole.intended, leftOut: [id], startedAt: whole.startedAt,
            duration: .zero)
        #expect(report.setAside == [id])
        #expect(report.clauses.isEmpty)
        let read = try ReportReader.report(Array(ReportFormat.json.text(of: report).utf8), file: "report.json")
        #expect(read.leftOut == [id] && read.setAside == [id])
    }

    // MARK: reasons

    private func reason(_ lacks: [[String]]) throws -> [String] {
        let scenarios = try lacks.enumerated().map { try skipped("s\($0.offset)", $0.element) }
        let clause = ClauseID(.TURN, 2)
        let intended = Dictionary(uniqueKeysWithValues: scenarios.map { ($0.name, [clause]) })
        return Gap.gaps(in: [clause], scenarios: scenarios, intended: intended).map(\.reason)
    }

    @Test func `what lacks the same and more explains nothing`() throws {
        #expect(try reason([[start], [start, agent]]) == [start])
        #expect(try reason([[start, agent]]) == ["\(start), and \(agent)"])
    }

    @Test func `where one of several is enough, the reason says so`() throws {
        #expect(try reason([[start], [agent]]) == ["it needs either --start, or a scripted agent"])
        #expect(
            try reason([[start], ["it waits for 90 s"]]) == ["it needs --start; or it waits for 90 s"])
    }

    @Test func `profiles that are not declared explain only what nothing else does`() throws {
        let push = "the subject does not declare push"
        #expect(try reason([[push], [start]]) == [start])
        #expect(try reason([[push]]) == [push])
    }
}

import Holdfast
import HoldfastJSON
import HoldfastJudge
import HoldfastTranscript
import Testing

@testable import HoldfastReport

@Suite struct TierTests {
    private let sync3 = ClauseID(.SYNC, 3)
    private let turn8 = ClauseID(.TURN, 4)

    private func results(
        _ tier1: Outcome?, _ tier2: Outcome?, skipped: String? = nil, wasSetAside: Bool = false
    ) throws -> [ScenarioResult] {
        func result(_ name: String, _ clause: ClauseID, _ outcome: Outcome?) throws -> ScenarioResult {
            let header = History.Header(scenario: name, subject: Sample.subject([.core, .sync]))
            var verdicts = [Verdict(clause: ClauseID(.ENV, 1), outcome: .pass, exercised: 1)]
            if let outcome {
                verdicts.append(Verdict(clause: clause, outcome: outcome, exercised: outcome == .untested ? 0 : 1))
            }
            return ScenarioResult(
                name: name, history: try NotationExpansion("A+", header: header).history, verdicts: verdicts)
        }
        var any = try result("any", sync3, tier1)
        any.tier = 1
        var scripted = try result("scripted", turn8, tier2)
        scripted.tier = 2
        scripted.skipped = skipped
        scripted.wasSetAside = wasSetAside
        return [any, scripted]
    }

    private func report(_ results: [ScenarioResult], profiles: Set<Profile> = [.core, .sync]) throws -> RunReport {
        RunReport(
            results, of: Sample.subject(profiles), at: "ws://127.0.0.1:8080/ws",
            under: try Sample.specification.get(), selection: [sync3, turn8],
            intended: ["any": [sync3], "scripted": [turn8]], startedAt: "2026-01-01T00:00:00Z",
            duration: .milliseconds(1))
    }

    @Test func `each tier is counted apart`() throws {
        let report = try report(results(.pass, .violation))
        #expect(report.tiers.map(\.tier) == [1, 2])
        #expect(report.tiers[0].counts == [.pass: 1])
        #expect(report.tiers[1].counts == [.violation: 1])
        #expect(!ConsoleReport(report).text.contains("tier 1 (any agent)"))
        let text = ConsoleReport(report, listsAll: true).text
        #expect(text.contains("tier 1 (any agent)       1 scenario: 1 pass"))
        #expect(text.contains("tier 2 (scripted agent)  1 scenario: 1 violated"))
    }

    @Test func `a clause that only a script can exercise is named as such and leaves the run incomplete`() throws {
        let reason = "it needs a scripted agent (tier 2) or the model endpoint (tier 3)"
        let report = try report(results(.pass, nil, skipped: reason))
        #expect(report.exit == .incomplete)
        #expect(report.gaps == [Gap(reason: reason, clauses: [turn8])])
        #expect(
            ConsoleReport(report, style: ConsoleStyle(width: 200)).text.contains(
                "untested: 1 clause needs a scripted agent (tier 2) or the model endpoint (tier 3): TURN-4"))
    }

    @Test func `what the set-up cannot show is out of reach, and the run can conform`() throws {
        var scenarios = try results(.pass, nil, skipped: "it needs --start")
        scenarios[1].isOutOfReach = true
        let reached = try report(scenarios)
        #expect(reached.exit == .conforms)
        #expect(reached.outOfReach == [Gap(reason: "it needs --start", clauses: [turn8])])
        #expect(reached.headline == "conforms, as far as this setup can test: 1 pass, 1 out of reach")
        #expect(
            ConsoleReport(reached, style: ConsoleStyle(width: 200)).text.contains(
                "out of reach: 1 clause needs --start: TURN-4"))
    }

    @Test func `nothing is out of reach of a scenario that was performed, and a violation stays one`() throws {
        var scenarios = try results(.untested, nil, skipped: "it needs --start")
        scenarios[1].isOutOfReach = true
        #expect(try report(scenarios).exit == .incomplete)
        scenarios = try results(.violation, nil, skipped: "it needs --start")
        scenarios[1].isOutOfReach = true
        #expect(try report(scenarios).exit == .violation)
        // What was skipped for another reason is no want of means.
        scenarios = try results(nil, nil, skipped: "the subject accepted no connection in 2 scenarios in a row")
        scenarios[0].isOutOfReach = true
        scenarios[0].skipped = "it needs --start"
        #expect(try report(scenarios).gaps.flatMap(\.clauses) == [turn8])
        // A run in which nothing at all was shown proves nothing.
        scenarios = try results(nil, nil, skipped: "it needs --start")
        scenarios[0].skipped = "it needs --start"
        scenarios[0].isOutOfReach = true
        scenarios[1].isOutOfReach = true
        #expect(try report(scenarios).exit == .incomplete)
    }

    @Test func `a tier left out on request sets its clauses aside, and the run can conform`() throws {
        let report = try report(results(.pass, nil, skipped: "tier 2 was not asked for", wasSetAside: true))
        #expect(report.exit == .conforms)
        #expect(report.setAside == [turn8])
        #expect(report.headline == "conforms: 1 pass, 1 set aside")
        // Nobody wanted to see it, so nothing got worse.
        let diff = ReportDiff(try self.report(results(.pass, .pass)), report)
        #expect(!diff.isWorse)
        #expect(diff.text().contains("went   TURN-4: pass → set aside"), "\(diff.text())")
        #expect(diff.markdown.contains("### Went\n\n- TURN-4: pass → set aside"), "\(diff.markdown)")
    }

    @Test func `a scenario of profiles that are not declared is no gap beside one left out on request`() throws {
        var results = try results(.pass, nil, skipped: "skipped (--skip-crashes)", wasSetAside: true)
        results.append(results[1])
        results[2].skipped = "the subject does not declare rate-limit"
        results[2].wasSetAside = false
        let report = try report(results)
        #expect(report.exit == .conforms)
        #expect(report.setAside == [turn8])
    }

    @Test func `a scenario that was performed and showed nothing is a gap, whatever was set aside`() throws {
        var results = try results(.untested, .untested)
        results.append(results[1])
        results[2].name = "any"
        results[2].skipped = "tier 2 was not asked for"
        results[2].wasSetAside = true
        let report = try report(results)
        #expect(report.exit == .incomplete)
        #expect(report.setAside.isEmpty)
        #expect(
            report.gaps.map(\.reason) == [
                "although any ran, which should exercise it",
                "although scripted ran, which should exercise it",
            ])
    }

    @Test func `a gap names what the scenario went on without`() throws {
        var results = try results(.untested, .pass)
        let details: JSONObject = ["step": "/steps/2", "reason": "the dialect odd has no 'sync'"]
        results[0].history = History(
            header: results[0].history.header,
            events: [Event(at: 1, lane: .server, kind: .act("leaveOut", details))])
        #expect(
            try report(results).gaps.map(\.reason) == ["because any ran without a step: the dialect odd has no 'sync'"])
    }

    @Test func `a declared profile of which nothing was seen is told in one line`() throws {
        let report = try report(results(.untested, .pass))
        #expect(report.unseen.map(\.profile) == [.sync])
        #expect(
            ConsoleReport(report, style: ConsoleStyle(width: 200)).text.contains(
                "nothing tested: profile 'sync' is declared, but its applicable clause was not exercised"))
    }

    @Test(arguments: [
        (#"A+(e1 #0)"#, "sync"), ("A+(messagesPerMinute=5)", "rate-limit"),
    ])
    func `what a server shows of an undeclared profile is noted and no verdict`(notation: String, profile: String)
        throws
    {
        let header = History.Header(scenario: "any", subject: Sample.subject([.core]))
        let history = try NotationExpansion(notation, header: header).history
        let notes = Announcements.notes(on: [history], declared: [.core])
        #expect(notes.count == 1)
        #expect(notes.first?.contains("profile '\(profile)'") == true, "\(notes)")
        let all = Profile.all(of: .server)
        #expect(Announcements.notes(on: [history], declared: Set(all)).isEmpty)
    }
}

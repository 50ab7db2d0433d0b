import Holdfast
import HoldfastJudge
import HoldfastTranscript
import TestSupport
import Testing

@testable import HoldfastReport

@Suite struct RunReportTests {
    @Test func `a broken MUST ends with 1 whatever else happened`() throws {
        let report = try Sample.report([
            .init("a", [Verdict(clause: ClauseID(.SYNC, 3), outcome: .violation, exercised: 1)], problems: ["harness"]),
            .init("b", [Verdict(clause: ClauseID(.SYNC, 3), outcome: .pass, exercised: 4)]),
        ])
        #expect(report.exit == .violation)
        #expect(report.clauses(.violation).map(\.clause.id.description) == ["SYNC-3"])
    }

    @Test func `nothing exercised is no pass`() throws {
        let report = try Sample.report([
            .init(
                "a",
                [
                    Verdict(clause: ClauseID(.ENV, 1), outcome: .pass, exercised: 1),
                    Verdict(clause: ClauseID(.SYNC, 3), outcome: .untested, exercised: 0),
                ])
        ])
        #expect(report.exit == .incomplete)
        #expect(report.clauses(.untested).contains { $0.clause.id == ClauseID(.SYNC, 3) })
    }

    @Test func `a scenario that ended early passes nothing that it is meant to exercise`() throws {
        let (meant, other) = (ClauseID(.LIVE, 3), ClauseID(.ENV, 1))
        let pass = [meant, other].map { Verdict(clause: $0, outcome: .pass, exercised: 2) }
        func outcomes(_ scenarios: [Sample.Scenario], by chance: String? = nil) throws -> [Outcome] {
            let own = scenarios.filter { $0.name != chance }
            let intended = Dictionary(uniqueKeysWithValues: own.map { ($0.name, [meant]) })
            let report = try Sample.report(scenarios, selection: [meant, other], intended: intended)
            return [meant, other].compactMap { id in report.clauses.first { $0.clause.id == id }?.outcome }
        }
        let cut = Sample.Scenario("cut", pass, stoppedAt: "/steps/3: no pong in time")
        #expect(try outcomes([cut]) == [.untested, .pass])
        #expect(try outcomes([cut, .init("whole", pass)]) == [.untested, .pass], "the rest might have broken it")
        #expect(try outcomes([cut, .init("other", pass)], by: "other") == [.untested, .pass])
        let broken = pass + [Verdict(clause: meant, outcome: .violation, exercised: 1)]
        #expect(try outcomes([.init("cut", broken, stoppedAt: cut.stoppedAt)]) == [.violation, .pass])
    }

    @Test func `a scenario that ended behind all of its evidence passes`() throws {
        let (name, clause) = ("server/LIVE/ping-during-a-turn", ClauseID(.LIVE, 1))
        let whole = try #require(ReachTable.exercised[name]?["\(clause)"]?.intValue)
        func outcomes(after exercised: Int) throws -> [Outcome] {
            let pass = Verdict(clause: clause, outcome: .pass, exercised: exercised)
            let report = try Sample.report(
                [.init(name, [pass], stoppedAt: "/steps/9: no pong in time"), .init("whole", [pass])],
                selection: [clause], intended: [name: [clause], "whole": [clause]])
            #expect(report.exit == .incomplete)
            return report.clauses.map(\.outcome)
        }
        #expect(try outcomes(after: whole) == [.pass])
        #expect(try outcomes(after: whole - 1) == [.untested])
    }

    @Test func `a late machine explains a wait that was too short, and no close by the server`() throws {
        let clause = ClauseID(.LIVE, 1)
        let pass = Verdict(clause: clause, outcome: .pass, exercised: 1)
        func outcomes(_ notation: String) throws -> [Outcome] {
            var cut = Sample.Scenario("cut", [pass], notation: notation, stoppedAt: "/steps/9: no pong in time")
            cut.missed = "pong"
            return try Sample.report(
                [cut, .init("whole", [pass])], selection: [clause], intended: ["cut": [clause], "whole": [clause]]
            ).clauses.map(\.outcome)
        }
        #expect(try outcomes("A+ A>ping") == [.pass])
        #expect(try outcomes("A+ A>ping A<close(4004)") == [.pass])
        #expect(try outcomes("A+ A>ping A<close(1013)") == [.untested])
        #expect(try outcomes("A+ A>ping A<close(1013) A+ A>ping") == [.pass])
    }

    @Test func `a run in which a server did not start again is incomplete`() throws {
        let kept = [Verdict(clause: ClauseID(.ENV, 1), outcome: .pass, exercised: 1)]
        func meaning(_ cut: ScenarioResult.Cut?) throws -> String {
            let scenarios: [Sample.Scenario] = [.init("a", kept), .init("b", [], stoppedAt: "no pong", cut: cut)]
            return try Sample.report(scenarios, selection: [ClauseID(.ENV, 1)], intended: ["b": []]).meaning
        }
        #expect(try meaning(nil) == "incomplete, 1 scenario ended early")
        #expect(try meaning(.interruption) == "conforms")
        #expect(try meaning(.start) == "incomplete, a server did not start")
    }

    @Test func `a scenario that ended early is no reason beside its own violation`() throws {
        let id = ClauseID(.ENV, 1)
        func report(_ outcome: Outcome, in question: ClauseID) throws -> RunReport {
            let verdicts = [States.verdict(id, .pass), Verdict(clause: question, outcome: outcome, exercised: 1)]
            let scenarios: [Sample.Scenario] = [
                .init("a", [States.verdict(id, .pass)]), .init("b", verdicts, stoppedAt: "/steps/3: no pong in time"),
            ]
            return try Sample.report(scenarios, selection: [id], intended: ["b": []])
        }
        let unseen = try report(.violation, in: ClauseID(.LIVE, 1))
        #expect(unseen.headline == "incomplete, 1 scenario ended early: 1 pass", "LIVE-1 is not in question")
        #expect(unseen.reason == "No violations. But 1 scenario ended early.")
        #expect(try report(.violation, in: id).exit == .violation)
    }

    @Test func `a life that the subject cut short does not conform`() throws {
        func report(_ cut: ScenarioResult.Cut?, _ outcome: Outcome = .pass) throws -> RunReport {
            let verdict = Verdict(clause: ClauseID(.ENV, 1), outcome: outcome, exercised: 1)
            return try Sample.report([.init("server/life/1", [verdict], cut: cut)], selection: [ClauseID(.ENV, 1)])
        }
        #expect(try report(nil).meaning == "conforms")
        #expect(try report(.life).meaning == "incomplete, the subject cut the life short")
        #expect(try report(.life).reason == "No violations. The subject cut the life short.")
        #expect(try report(.life, .violation).headline == "violation: 1 violated, the subject cut the life short")
        #expect(try report(.interruption).meaning == "conforms")
    }

    @Test func `what is repeated is where a clause was broken often, with the rate if it was kept too`() throws {
        let id = ClauseID(.SYNC, 3)
        func scenario(_ name: String, _ broken: Int, of all: Int) -> Sample.Scenario {
            let findings = (0..<broken).map { _ in Finding("gone", expected: "", actual: "", at: [0]) }
            let outcome: Outcome = broken > 0 ? .violation : .pass
            return .init(name, [Verdict(clause: id, outcome: outcome, exercised: all, findings: findings)])
        }
        func again(_ scenarios: Sample.Scenario...) throws -> [String?] {
            var report = try Sample.report(scenarios, selection: [id])
            report.rerun = RunReport.Rerun("run")
            let result = try #require(report.clauses.first)
            return [report.rerun(of: result), report.rate(of: result)]
        }
        #expect(try again(scenario("a", 1, of: 1)) == ["run --only SYNC-3@a", nil])
        #expect(try again(scenario("a", 2, of: 2), scenario("b", 9, of: 60)) == ["run --only SYNC-3@a", nil])
        #expect(
            try again(scenario("a", 0, of: 1), scenario("a#2", 1, of: 1), scenario("b", 0, of: 1))
                == ["run --only SYNC-3@a", "1 of 2 checks in a found it"])
        #expect(
            try again(scenario("a", 1, of: 6), scenario("b", 3, of: 9))
                == ["run --only SYNC-3@b", "3 of 9 checks in b found it"])
        #expect(try again(scenario("a", 1, of: 6), scenario("b", 9, of: 60)) == ["run --only SYNC-3@b", nil])
        #expect(
            try again(scenario("a", 1, of: 1), scenario("b", 2, of: 9), scenario("c", 0, of: 5))
                == ["run --only SYNC-3@a", "3 of 10 checks in 2 scenarios found it"])
    }

    @Test(arguments: ["A+ A<eof", "A>open A<refused('connection refused')", "1>GET(health) 1<failed('reset')"])
    func `a connection lost in two scenarios is looked for in all scenarios of its clause`(notation: String) throws {
        let id = ClauseID(.ENV, 5)
        func again(_ names: String..., losing last: Int) throws -> String? {
            let scenarios = names.map {
                let verdict = Verdict(
                    clause: id, outcome: .violation, exercised: 1,
                    findings: [Finding("gone", expected: "", actual: "", at: [last])])
                return Sample.Scenario($0, [verdict], notation: notation)
            }
            let intended = Dictionary(uniqueKeysWithValues: names.map { ($0, [id]) })
            var report = try Sample.report(scenarios, selection: [id], intended: intended)
            report.rerun = RunReport.Rerun("run")
            return report.rerun(of: try #require(report.clauses.first))
        }
        let header = History.Header(scenario: "a", subject: Sample.subject([.core]))
        let last = try NotationExpansion(notation, header: header).history.events.count - 1
        #expect(try again("a", "b", losing: last) == "run --only ENV-5")
        #expect(try again("a", losing: last) == "run --only ENV-5@a")
        #expect(try again("a", "b", losing: 0) == "run --only ENV-5@a")
    }

    @Test func `a scenario that was performed and exercised nothing is a failure of the suite`() throws {
        let report = try Sample.report([
            .init("a", [Verdict(clause: ClauseID(.SYNC, 3), outcome: .untested, exercised: 0)]),
            .init("b", [Verdict(clause: ClauseID(.ENV, 1), outcome: .pass, exercised: 3)]),
        ])
        #expect(report.exit == .harness)
        #expect(
            report.scenarios.first?.problems == [
                """
                a ran to its end and exercised nothing
                  expected: at least one clause exercised
                  fix: none on your side; this run proves nothing for its clauses
                """
            ])
        #expect(report.scenarios.last?.problems == [])
    }

    @Test func `a run without scenarios is incomplete`() throws {
        #expect(try Sample.report([]).exit == .incomplete)
    }

    @Test func `a warning alone conforms`() throws {
        let report = try Sample.report(
            [.init("a", [Verdict(clause: ClauseID(.ENV, 11), outcome: .warning, exercised: 1)])],
            selection: [ClauseID(.ENV, 11)])
        #expect(report.exit == .conforms)
        #expect(report.headline.hasPrefix("conforms: 1 warned"))
    }

    @Test func `a proof in one scenario stands beside doubt in another`() throws {
        let report = try Sample.report(
            [
                .init("a", [Verdict(clause: ClauseID(.SYNC, 3), outcome: .inconclusive, exercised: 1)]),
                .init("b", [Verdict(clause: ClauseID(.SYNC, 3), outcome: .pass, exercised: 2)]),
            ], selection: [ClauseID(.SYNC, 3)])
        #expect(report.exit == .conforms)
        #expect(report.clauses.first?.exercised == 3)
        #expect(report.clauses.first?.scenarios == ["a", "b"])
    }

    @Test func `the doubt of whoever came nearest to a proof is told first`() throws {
        let finding = { Finding($0, expected: "", actual: "", at: [0]) }
        let doubt = { (what: String, remarks: [String]) in
            Verdict(
                clause: ClauseID(.PERSIST, 1), outcome: .inconclusive, exercised: 1, findings: [finding(what)],
                remarks: remarks)
        }
        let report = try Sample.report(
            [
                .init("a", [doubt("no kills", [])]), .init("b", [doubt("1 of 20 kills", ["1 kill, none lost"])]),
                .init("c", [doubt("no kills", [])]),
            ], selection: [ClauseID(.PERSIST, 1)])
        #expect(report.clauses.first?.findings.map(\.scenario) == ["b", "a", "c"])
    }

    @Test func `doubt alone is incomplete`() throws {
        let report = try Sample.report(
            [.init("a", [Verdict(clause: ClauseID(.SYNC, 3), outcome: .inconclusive, exercised: 1)])],
            selection: [ClauseID(.SYNC, 3)])
        #expect(report.exit == .incomplete)
    }

    @Test func `a failure of the suite ends with 70`() throws {
        let report = try Sample.report(
            [
                .init(
                    "a", [Verdict(clause: ClauseID(.SYNC, 3), outcome: .pass, exercised: 1)], problems: ["lost a frame"]
                )
            ],
            selection: [ClauseID(.SYNC, 3)])
        #expect(report.exit == .harness)
    }

    @Test func `a clause only a failed scenario was meant to exercise blames the suite`() throws {
        let report = try Sample.report(
            [.init("a", [], problems: ["lost a frame"])], selection: [ClauseID(.SYNC, 3)],
            intended: ["a": [ClauseID(.SYNC, 3)]])
        #expect(report.clauses(.harnessError).count == 1)
    }

    @Test func `an undeclared profile is not applicable and no failure`() throws {
        let report = try Sample.report(
            [.init("a", [Verdict(clause: ClauseID(.ID, 3), outcome: .pass, exercised: 1)])],
            profiles: [.core], selection: [ClauseID(.ID, 3), ClauseID(.SYNC, 3)])
        #expect(report.exit == .conforms)
        #expect(report.clauses(.notApplicable).map(\.clause.id) == [ClauseID(.SYNC, 3)])
    }

    @Test func `an interrupted run is incomplete and says so`() throws {
        let report = try Sample.report(
            [.init("a", [Verdict(clause: ClauseID(.SYNC, 3), outcome: .pass, exercised: 1)])],
            selection: [ClauseID(.SYNC, 3)], wasInterrupted: true)
        #expect(report.exit == .incomplete)
        #expect(report.headline.contains("(interrupted)"))
    }

    @Test func `the exit codes are those of the specification`() {
        #expect(ExitStatus.allCases.map(\.rawValue) == [0, 1, 2, 3, 64, 69, 70])
    }
}

import Holdfast
import HoldfastJudge
import HoldfastReport
import HoldfastTranscript
import TestSupport
import Testing

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
        #expect(try outcomes([cut, .init("whole", pass)]) == [.pass, .pass])
        #expect(try outcomes([cut, .init("other", pass)], by: "other") == [.untested, .pass])
        let broken = pass + [Verdict(clause: meant, outcome: .violation, exercised: 1)]
        #expect(try outcomes([.init("cut", broken, stoppedAt: cut.stoppedAt)]) == [.violation, .pass])
    }

    @Test func `what selects a finding again names its scenario, and how often it shows`() throws {
        let id = ClauseID(.SYNC, 3)
        let finding = Finding("gone", expected: "", actual: "", at: [0])
        let found = [Verdict(clause: id, outcome: .violation, exercised: 1, findings: [finding])]
        let kept = [Verdict(clause: id, outcome: .pass, exercised: 1)]
        func again(_ scenarios: [Sample.Scenario]) throws -> String? {
            var report = try Sample.report(scenarios, selection: [id])
            report.again = RunReport.Again("conformance server ws://h")
            return report.clauses.first.flatMap(report.again(of:))
        }
        let line = "conformance server ws://h --only SYNC-3@server/SYNC/a"
        #expect(try again([.init("server/SYNC/a", found)]) == line)
        #expect(
            try again([.init("server/SYNC/a", kept), .init("server/SYNC/a#2", found), .init("server/SYNC/b", kept)])
                == "\(line)  # intermittent: 1 of 2 times")
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

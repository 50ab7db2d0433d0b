import Holdfast
import HoldfastJudge
import HoldfastReport
import Testing

@Suite struct ReportDiffTests {
    private func changes(_ old: RunReport, _ new: RunReport) -> [String] {
        ReportDiff(old, new).changes.map { "\($0.kind.rawValue) \($0.what)" }
    }

    @Test func `a report differs in nothing from itself`() throws {
        let diff = ReportDiff(try States.violated(), try States.violated())
        #expect(diff.changes.isEmpty)
        #expect(!diff.isWorse)
        #expect(diff.text() == "same: no verdict differs\n")
    }

    @Test func `what broke is worse, what was mended is better`() throws {
        let diff = ReportDiff(try States.green(), try States.violated())
        #expect(diff.isWorse)
        #expect(
            diff.text() == """
                worse: 1 worse
                worse  SYNC-3: pass → violation in server/SYNC/replay-after-cut

                """)
        #expect(changes(try States.violated(), try States.green()) == ["better SYNC-3: violation → pass"])
        #expect(changes(try States.green(), try States.untested()) == ["worse SYNC-3: pass → untested"])
    }

    @Test func `broken in one more scenario is worse though the clause was broken before`() throws {
        func report(_ outcomes: [Outcome]) throws -> RunReport {
            try Sample.report(
                outcomes.enumerated().map {
                    .init("server/SYNC/\($0.offset)", [States.verdict(States.sync3, $0.element)])
                },
                selection: [States.sync3])
        }
        #expect(
            changes(try report([.violation, .pass]), try report([.violation, .violation]))
                == ["worse SYNC-3: now also violated in server/SYNC/1"])
        #expect(
            changes(try report([.violation, .violation]), try report([.violation, .pass]))
                == ["better SYNC-3: no longer violated in server/SYNC/1"])
        #expect(changes(try report([.pass, .pass]), try report([.pass])) == ["went scenario server/SYNC/1"])
    }

    @Test func `clauses that come and go are told, and lost proof is worse`() throws {
        func report(_ clauses: Set<ClauseID>, _ outcome: Outcome) throws -> RunReport {
            try Sample.report([.init("a", clauses.sorted().map { States.verdict($0, outcome) })], selection: clauses)
        }
        let both: Set = [States.env1, States.sync3]
        #expect(changes(try report([States.env1], .pass), try report(both, .pass)) == ["came SYNC-3: new, pass"])
        #expect(
            changes(try report(both, .pass), try report([States.env1], .pass)) == [
                "worse SYNC-3: was pass, now missing"
            ])
        #expect(
            changes(try report(both, .violation), try report([States.env1], .violation))
                == ["went SYNC-3: was violation, now missing"])
    }

    @Test func `a violation that is expected by now is better, and one that no longer is, worse`() throws {
        #expect(
            changes(try States.violated(), try States.expected()) == [
                "better SYNC-3: violation → violated as expected in server/SYNC/replay-after-cut"
            ])
        #expect(ReportDiff(try States.expected(), try States.violated()).isWorse)
    }
}

import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastReport
import Testing

@Suite struct ConsoleReportTests {
    private let finding = Finding(
        "complete is true, but a frame this client was shown before is missing", expected: "seq 1, 2 in missed",
        actual: "seq 2", at: [5])

    @Test func `a violation shows sentence, expectation, event and the command to run again`() throws {
        var report = try Sample.report(
            [
                .init(
                    "server/SYNC/replay-after-cut",
                    [Verdict(clause: ClauseID(.SYNC, 3), outcome: .violation, exercised: 1, findings: [finding])])
            ], selection: [ClauseID(.SYNC, 3)])
        report.rerun = RunReport.Rerun("conformance server ws://127.0.0.1:8080/ws")
        let text = ConsoleReport(report).text
        for part in [
            "violation SYNC-3 (MUST, server) in scenario server/SYNC/replay-after-cut",
            "expected: seq 1, 2 in missed", "actual: seq 2",
            "again: conformance server ws://127.0.0.1:8080/ws --only SYNC-3",
        ] {
            #expect(text.contains(part), "\(part)\n\n\(text)")
        }
        #expect(text.hasPrefix("violation: 1 violated\n"))
        #expect(text.hasSuffix("violation: 1 violated\n"))
    }

    @Test func `a violation is drawn with the frames around it`() throws {
        let report = try Sample.report(
            [
                .init(
                    "a", [Verdict(clause: ClauseID(.SYNC, 3), outcome: .violation, exercised: 1, findings: [finding])])
            ], selection: [ClauseID(.SYNC, 3)])
        let drawn = """
                            A    server
                 +1 ms      │──────▶│     connect
                 +3 ms      │──────▶│     auth
                 +4 ms      │◀──────│     connected(e1)
                 +5 ms      │──────▶│     ping(n1)
              >> +6 ms      │◀━━━━━━│     pong(n1)  << SYNC-3

              text from the server at +6 ms
                {"type":"pong","nonce":"n1"}

            SYNC      1 violated  1 check
            """
        let text = ConsoleReport(report).text
        #expect(text.contains(drawn), "\(text)")
    }

    @Test func `each area is a line, and each clause only on request`() throws {
        let report = try Sample.report(
            [
                .init(
                    "a",
                    [
                        Verdict(clause: ClauseID(.SYNC, 3), outcome: .pass, exercised: 812),
                        Verdict(clause: ClauseID(.SYNC, 4), outcome: .pass, exercised: 1),
                        Verdict(clause: ClauseID(.LIVE, 1), outcome: .pass, exercised: 1),
                    ])
            ], selection: [ClauseID(.SYNC, 3), ClauseID(.SYNC, 4), ClauseID(.LIVE, 1)])
        let text = ConsoleReport(report).text
        #expect(text.contains("\n\nSYNC      2 pass  813 checks\nLIVE      1 pass    1 check\n\n"))
        #expect(!text.contains("\npass"))
        #expect(ConsoleReport(report, listsAll: true).text.contains("\npass         SYNC-3        812×  A server MUST"))
    }

    @Test(arguments: [30, 40, 80]) func `a console without Unicode gets ASCII, at any width`(width: Int) throws {
        let report = try Sample.report(
            [
                .init(
                    "a", [Verdict(clause: ClauseID(.SYNC, 3), outcome: .violation, exercised: 1, findings: [finding])])
            ], selection: [ClauseID(.SYNC, 3)])
        let text = ConsoleReport(report, style: ConsoleStyle(width: width, hasUnicode: false), listsAll: true).text
        #expect(text.utf8.allSatisfy { $0 < 0x80 })
    }

    @Test func `a remark stands under its clause, once, and only where its scenario decided`() throws {
        let clause = ClauseID(.SYNC, 3)
        func verdict(_ outcome: Outcome, _ remark: String) -> Verdict {
            Verdict(clause: clause, outcome: outcome, exercised: 1, remarks: [remark])
        }
        let report = try Sample.report(
            [
                .init("a", [verdict(.pass, "20 kills, none lost")]),
                .init("b", [verdict(.pass, "20 kills, none lost")]),
                .init("c", [verdict(.inconclusive, "3 kills, none lost")]),
            ], selection: [clause])
        let lines = ConsoleReport(report).text.split(separator: "\n")
        let place = try #require(lines.firstIndex { $0.hasPrefix("pass") && $0.contains("SYNC-3") })
        #expect(lines[place + 1] == "             20 kills, none lost")
        #expect(lines.count { $0.contains("kills") } == 1)
        let object = JSONReport(report).value["clauses"]?[0]
        #expect(object?["remarks"] == ["20 kills, none lost"])
    }

    @Test func `what can be repaired comes before what the wire cannot keep`() throws {
        let excuse = "\(Dialect.unkeepableRemark)odd: an error has no code"
        func verdict(_ number: Int, _ remarks: [String] = []) -> Verdict {
            Verdict(
                clause: ClauseID(.SYNC, number), outcome: .violation, exercised: 1, findings: [finding],
                remarks: remarks)
        }
        let report = try Sample.report(
            [
                .init("a", [verdict(3, [excuse]), verdict(4), verdict(9, [excuse])]), .init("b", [verdict(9)]),
            ], selection: [ClauseID(.SYNC, 3), ClauseID(.SYNC, 4), ClauseID(.SYNC, 9)])
        let parts = "(2 to repair, 1 that this wire format cannot keep)"
        #expect(report.headline == "violation: 2 causes, 3 clauses violated \(parts)")
        #expect(report.unexpected.map(\.clause.id.number) == [4, 9, 3])
        #expect(report.unexpected.map(\.isUnkeepable) == [false, false, true])
        #expect(report.unexpected[1].findings.map(\.scenario) == ["b", "a"])
    }

    @Test func `a death is told at the top, with what the server said last`() throws {
        let pass = Verdict(clause: ClauseID(.SYNC, 3), outcome: .pass, exercised: 1)
        let report = try Sample.report(
            [
                .init("a", [pass], notation: "A+ A<eof server!exit(code=1 said='TypeError: null') server!start"),
                .init("b", [pass], notation: "A+ A<eof server!exit(code=1 said='TypeError: null')"),
                .init(
                    "c", [pass], notation: "A+ server!stop A<close(1001) server!exit(code=0) server!start server!kill"),
            ], selection: [ClauseID(.SYNC, 3)])
        let lines = ConsoleReport(report, style: ConsoleStyle(width: 200)).text.split(separator: "\n")
        #expect(lines[1] == "the server exited by itself in 2 scenarios, exit code 1: TypeError: null (a, b)")
        #expect(lines.count { $0.contains("exited by itself") } == 1)
    }

    @Test func `plain style writes no escape, colored style does`() throws {
        let report = try Sample.report([.init("a", [Verdict(clause: ClauseID(.SYNC, 3), outcome: .pass, exercised: 1)])]
        )
        #expect(!ConsoleReport(report).text.contains("\u{1B}"))
        #expect(ConsoleReport(report, style: ConsoleStyle(hasColor: true)).text.contains("\u{1B}[32m"))
    }

    @Test func `a hostile frame cannot write to the terminal`() throws {
        let finding = Finding("what \u{1B}[1m", expected: "\u{1B}[2m", actual: "'\u{1B}[3m'", at: [5])
        let report = try Sample.report(
            [
                .init(
                    "a", [Verdict(clause: ClauseID(.SYNC, 3), outcome: .violation, exercised: 1, findings: [finding])],
                    notation: "A+ A<`{\"type\":\"\u{1B}[2J\"}` A<`x` A<`y`")
            ], selection: [ClauseID(.SYNC, 3)])
        #expect(!ConsoleReport(report).text.contains("\u{1B}"))
    }

    @Test(arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")])
    func `numbers have their thousands apart`(number: Int, text: String) {
        #expect(readable(number) == text)
    }
}

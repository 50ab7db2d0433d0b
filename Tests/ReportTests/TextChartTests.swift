import Holdfast
import HoldfastJudge
import HoldfastReport
import HoldfastTranscript
import Testing

@Suite struct TextChartTests {
    private static let gap =
        "A+(e1 #0) A>chat(c1) A<ack(c1) A<toolUse(t1 #1) A<done(t1 #2) A!cut B+(e1 #2) B>sync(e1 #0) "
        + "B<syncResult(e1 #2 complete)[done(t1 #2)]^"

    private func history(_ notation: String) throws -> (History, [Int]) {
        let header = History.Header(scenario: "x", subject: Sample.subject([.core, .sync]))
        let expansion = try NotationExpansion(notation, header: header)
        return (expansion.history, expansion.citations)
    }

    private func chart(_ notation: String, clause: ClauseID = ClauseID(.SYNC, 3)) throws -> SequenceChart {
        let (history, cited) = try history(notation)
        let finding = Finding("x", expected: "y", actual: "z", at: cited)
        return SequenceChart(history, marking: cited.isEmpty ? [] : [.init(clause, finding)])
    }

    @Test func `a lost frame is seen in one look`() throws {
        let drawn = TextChart(try chart(Self.gap), style: ConsoleStyle(width: 80)).excerpt()
        #expect(
            drawn.joined(separator: "\n") == """
                               A       B    server
                    +1 ms      │───────┼──────▶│     connect
                               ┊       ┊       ┊     5 rows
                    +8 ms      │◀──────┼───────│     done(t1 #2)
                    +9 ms      ●       │       │     cut
                   +10 ms      │       │──────▶│     connect
                   +12 ms      │       │──────▶│     auth
                   +13 ms      │       │◀──────│     connected(e1 #2)
                   +14 ms      │       │──────▶│     sync(e1 #0)
                >> +15 ms      │       │◀━━━━━━│     syncResult(e1 #2 complete)[done(t1 #2)]
                               │       │       │     << SYNC-3
                """)
    }

    @Test func `without Unicode everything is ASCII`() throws {
        let drawn = TextChart(try chart(Self.gap), style: ConsoleStyle(hasUnicode: false)).lines()
        #expect(drawn.allSatisfy { $0.unicodeScalars.allSatisfy(\.isASCII) })
        #expect(drawn[4] == "    +5 ms      |-------+------>|     chat(c1)")
        #expect(drawn[13] == ">> +15 ms      |       |<======|     syncResult(e1 #2 complete)[done(t1 #2)]")
    }

    @Test(arguments: [30, 40, 60, 80, 200])
    func `no line is wider than the console`(width: Int) throws {
        let notation = Self.gap.replacing("^", with: "") + " 1>GET(s1) 1<200(u1 a1) push<alert(a1) server!kill +5s^"
        for style in [ConsoleStyle(width: width), ConsoleStyle(width: width, hasUnicode: false)] {
            for line in TextChart(try chart(notation), style: style, indent: 2).lines() {
                #expect(TextWidth.columns(line) <= width - 2, "\(line)")
            }
        }
    }

    @Test func `in a narrow console what is said stands beside who said it`() throws {
        let drawn = TextChart(try chart(Self.gap + " 1>GET(s1) 1<200(u1 a1)"), style: ConsoleStyle(width: 36)).lines()
        #expect(drawn[1] == "    +3 ms  A>server: auth")
        #expect(drawn[2] == "    +4 ms  server>A: connected(e1 #…")
        #expect(drawn[3] == "    +5 ms  A>server: chat(c1)")
    }

    @Test func `heartbeats make room for what was said before`() throws {
        let beats = (1...9).map { _ in "A<pingFrame A>pongFrame" }.joined(separator: " ")
        let drawn = TextChart(
            try chart("A+ B+ A>chat(c1) B<done(t1) \(beats) A<pingFrame^ A>pongFrame"), style: ConsoleStyle()
        )
        .excerpt()
        #expect(drawn.contains { $0.hasSuffix("done(t1)") }, "\(drawn.joined(separator: "\n"))")
        #expect(drawn.contains { $0.hasSuffix("18 rows") }, "\(drawn.joined(separator: "\n"))")
    }

    @Test func `a long history is one beginning, what is cited, and counts`() throws {
        let many = (1...50).map { "A<toolUse(t1 #\($0))" }.joined(separator: " ")
        let drawn = TextChart(
            try chart(
                "A+(e1 #0) A>chat(c1) A<ack(c1) \(many) A<done(t1 #9)^ A>ping(n1) A<pong(n1) A>ping(n2) A<pong(n2) A>ping(n3)"
            ),
            style: ConsoleStyle()
        ).excerpt(before: 2, after: 1)
        #expect(drawn.count == 8)
        #expect(drawn[2].hasSuffix("52 rows"))
        #expect(drawn[5].hasPrefix(">>") && drawn[5].hasSuffix("<< SYNC-3"))
        #expect(drawn[7].hasSuffix("4 rows"))
    }
}

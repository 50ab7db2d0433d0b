import Holdfast
import HoldfastJSON
import HoldfastJSONSchema
import HoldfastJudge
import HoldfastReport
import HoldfastTranscript
import Testing

@Suite struct JSONReportTests {
    @Test func `the report is valid against its schema`() throws {
        let schema = try Sample.reportSchema()
        let finding = Finding("a frame is absent", expected: "seq 1, 2", actual: "seq 2", at: [3, 5])
        let report = try Sample.report([
            .init(
                "server/SYNC/a",
                [Verdict(clause: ClauseID(.SYNC, 3), outcome: .violation, exercised: 1, findings: [finding])]),
            .init("server/SYNC/b#2", [], problems: ["lost a frame"]),
            .init(
                "server/PERSIST/c",
                [Verdict(clause: ClauseID(.PERSIST, 2), outcome: .pass, exercised: 1, remarks: ["one is enough"])]),
        ])
        #expect(schema.violations(in: JSONReport(report).value).map(\.description) == [])
    }

    @Test func `the transcripts inside give the same verdicts again`() throws {
        let specification = try Sample.specification.get()
        let notation = "A+(e1 #0) A>chat(c1) A<ack(c1) A<toolUse(t1 #2) A<done(t1 #1)"
        let header = History.Header(scenario: "a", subject: Sample.subject([.core, .sync]))
        let verdicts = judge(try NotationExpansion(notation, header: header).history, under: specification)
        let report = JSONReport(try Sample.report([.init("a", verdicts, notation: notation)])).value
        let lines = report["scenarios"]?[0]?["transcript"]?.arrayValue ?? []
        let text = lines.map { $0.text() + "\n" }.joined()
        let history = try TranscriptReader.history(in: text, file: "report.json")
        #expect(judge(history, under: specification) == verdicts)
        #expect(verdicts.contains { $0.clause == ClauseID(.ORDER, 3) && $0.outcome == .violation })
    }
}

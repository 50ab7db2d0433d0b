import Holdfast
import HoldfastJSON
import HoldfastJudge
import HoldfastReport
import Testing

/// How far a run went, as reports tell it.
@Suite struct ReachTableTests {
    private func report(_ notation: String, profiles: Set<Profile> = [.core, .sync]) throws -> RunReport {
        try Sample.report([.init("server/SYNC/a", [], notation: notation)], profiles: profiles)
    }

    private func row(_ name: String, of value: JSONValue) -> JSONValue? {
        value["reach"]?["dimensions"]?.arrayValue?.first { $0["name"]?.stringValue == name }
    }

    @Test func `every dimension and every situation that is counted stands in the table of a side, in words`() throws {
        let counted = [
            "dimensions": Reach.Dimension.allCases.map(\.rawValue),
            "situations": Reach.Situation.allCases.map(\.rawValue),
        ]
        for (list, counted) in counted {
            var names: Set<String> = []
            for role in [Role.server, .client] {
                let rows = try #require(ReachTable(ofScenarios: role)).json[list]?.arrayValue ?? []
                let own = rows.compactMap { $0["name"]?.stringValue }
                #expect(Set(own).count == own.count && own.count > 20, "\(role)")
                #expect(rows.allSatisfy { (3...47).contains($0["what"]?.stringValue?.count ?? 0) })
                names.formUnion(own)
            }
            #expect(names == Set(counted))
        }
    }

    @Test func `a report holds it by its schema, and tells it after it was read`() throws {
        let report = try report("A+(messagesPerMinute=60) A>chat(c1) A>chat(c2) A<ack(c1) A<ack(c2) A!cut")
        let value = JSONReport(report).value
        #expect(try Sample.reportSchema().violations(in: value).map(\.description) == [])
        #expect(row("unacknowledged", of: value)?["reached"]?.intValue == 2)
        #expect(row("unacknowledged", of: value)?["goal"]?.intValue == 6)
        let met = value["reach"]?["situations"]?.arrayValue?.first { $0["name"]?.stringValue == "twoUnacknowledged" }
        #expect(met?["met"]?.arrayValue?.compactMap(\.stringValue) == ["twoUnacknowledged", "cutAmidTurn"])
        let again = try ReportReader.report(Array(JSONReport(report).text.utf8), file: "report.json")
        #expect(JSONReport(again).value["reach"] == value["reach"])
        let text = ConsoleReport(again, listsAll: true).text
        #expect(text.contains("questions before the first ack                                 2               6"))
        #expect(text.contains("situations of a person within 10 s: 1 of 210 pairs met"))
        #expect(!ConsoleReport(again).text.contains("pairs met"))
        #expect(HTMLReport(again).text.contains("never: a repeat\n"))
    }

    @Test func `a limit that prevented more is named with what would allow it`() throws {
        let value = JSONReport(try report("A+(messagesPerMinute=60 maxFrameBytes=65536) A>chat(c1)", profiles: [.core]))
            .value
        func prevented(_ name: String) -> String? { row(name, of: value)?["prevented"]?.stringValue }
        #expect(
            prevented("keys") == "questions of a person: 60 in 60 s (limits.messagesPerMinute; 100 would do)")
        #expect(prevented("textBytes") == "frames: 65,536 bytes (limits.maxFrameBytes; 310,000 would do)")
        #expect(prevented("restarts") == "a server that the suite did not start (--start)")
        #expect(prevented("pages") == "profile 'sync', which is not declared")
        #expect(prevented("clientPeople") == "1 person (one --token for each)")
        #expect(prevented("sessions") == nil && prevented("cuts") == nil)
        let free = JSONReport(
            try report(
                "A+ B+(p2) C+(p3) D+(p4) A>chat(c1) server!kill server!start", profiles: [.core, .sync, .push, .auth])
        ).value
        #expect(free["reach"]?["dimensions"]?.arrayValue?.contains { $0["prevented"] != nil } == false)
    }
}

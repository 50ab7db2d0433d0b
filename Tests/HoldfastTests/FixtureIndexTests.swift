import Holdfast
import Testing

struct FixtureIndexTests {
    private func index(_ text: String) throws -> FixtureIndex {
        try FixtureIndex(SpecificationFiles(texts: ["fixtures/index.json": text]))
    }

    @Test func `an entry says what is expected, in the order of the index`() throws {
        let entries = try index(
            """
            {"messages": [
              {"file": "messages/ack/valid/a.json", "verdict": "valid", "why": "A key is opaque."},
              {"file": "messages/ack/invalid/b.json", "verdict": "invalid", "clause": "ENV-2",
               "schemaLocation": "/required", "why": "It has an id."}],
             "transcripts": [
              {"file": "transcripts/violating/SYNC-3-gap.ndjson", "notation": "A+", "profiles": ["sync", "core"],
               "expected": {"SYNC-3": "violation", "ORDER-3": "pass", "ENV-1": "warning"}, "why": "A hole."}]}
            """
        ).entries
        #expect(
            entries.map(\.verdict) == ["valid", "invalid", "SYNC-3 violation, ORDER-3 pass, ENV-1 warning"])
        #expect(entries.map(\.rejectedAt) == [nil, "/required", nil])
        #expect(entries.map(\.why) == ["A key is opaque.", "It has an id.", "A hole."])
        let (sync, order, env) = (ClauseID(.SYNC, 3), ClauseID(.ORDER, 3), ClauseID(.ENV, 1))
        #expect(entries.map(\.clauses) == [[], [ClauseID(.ENV, 2)], [sync, order, env]])
        #expect(entries.map(\.broken) == [[], [ClauseID(.ENV, 2)], [sync, env]])
        #expect(entries[2].profiles == [.sync, .core] && entries[2].notation == "A+")
    }

    @Test func `a specification without an index of fixtures is told`() {
        #expect(throws: InputProblems.self) { try FixtureIndex(SpecificationFiles(texts: [:])) }
    }
}

import HoldfastJSON
import HoldfastJSONSchema
import TestSupport
import Testing

@Suite struct TranscriptSchemaTests {
    @Test func `every line of every transcript passes the schema of a transcript line`() throws {
        let base = "https://holdfast.example/spec/1/schemas/"
        var registry = SchemaRegistry()
        for path in ["common.json", "files/dialect.json", "files/transcript-event.json"] {
            try registry.add(try JSONParser.value(SourceTree.text("Spec/schemas/" + path)), at: base + path)
        }
        let schema = try Schema(uri: base + "files/transcript-event.json", registry: registry)
        let index = try JSONParser.value(SourceTree.text("Fixtures/index.json"))
        let files = (index["transcripts"]?.arrayValue ?? []).compactMap { $0["file"]?.stringValue }
        #expect(!files.isEmpty)
        for file in files {
            for line in try SourceTree.text("Fixtures/" + file).split(separator: "\n") {
                let violations = schema.violations(in: try JSONParser.value(String(line))).map(\.description)
                #expect(violations.isEmpty, "\(file): \(violations.joined(separator: "; ")): \(line)")
            }
        }
    }
}

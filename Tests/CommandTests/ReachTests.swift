import Foundation
import HoldfastJSON
import TestSupport
import Testing

/// How far the scenarios go: what is written of it holds.
@Suite struct ReachTests {
    private static let folder = "Sources/Report/Resources"
    private static let file = "\(folder)/reach.json"

    @Test func `the reference client conforms, and reaches what is written`() async throws {
        let folder = try TemporaryDirectory()
        let run = try await BuiltBinary.run(
            ["client", "--reference", "--jobs", "6", "--out", folder.path + "/out"])
        #expect(run.status == 0, "\(run.out)\n\(run.err)")
        try Self.check(JSONParser.value(folder.text(of: "out/report.json")), of: "client")
        try await Self.checkScriptedServer(folder)
    }

    /// Judges the scripted server by the transcripts of a client run: no scenario asks it to break one of these clauses.
    private static func checkScriptedServer(_ folder: TemporaryDirectory) async throws {
        let root = URL(fileURLWithPath: folder.path + "/out/transcripts")
        let paths = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?.allObjects ?? []
        for file in paths.compactMap({ $0 as? URL }) where file.pathExtension == "ndjson" {
            let text = try String(contentsOf: file, encoding: .utf8)
            let header = text.prefix { $0 != "\n" }
            let server = header.replacing("client-", with: "").replacing("\"client\"", with: "\"server\"")
            #expect(server != header)
            try (server + text.dropFirst(header.count)).write(to: file, atomically: true, encoding: .utf8)
        }
        let clauses = [
            "ENV-1", "ENV-2", "ENV-6", "ID-3", "ID-8", "ID-9", "TURN-1", "TURN-3", "ORDER-1", "ORDER-2", "ORDER-3",
            "SYNC-3", "SYNC-4", "SYNC-9", "IDEM-1", "REST-1", "REST-4",
        ]
        let verdicts = folder.path + "/verdicts.json"
        _ = try await BuiltBinary.run(["judge", root.path, "--format", "json=\(verdicts)"])
        let judgement = try JSONParser.value(folder.text(of: "verdicts.json"))
        let passed = (judgement["clauses"]?.arrayValue ?? []).filter { $0["outcome"]?.stringValue == "pass" }
        let ids = passed.compactMap { $0["id"]?.stringValue }
        #expect(Set(clauses).subtracting(ids) == [])
    }

    /// The counts of a report, one line for each scenario: `"NAME": {"AUTH-1":2}`.
    private static func exercised(_ report: JSONValue) -> [(name: String, counts: [(String, Int)])] {
        (report["scenarios"]?.arrayValue ?? []).compactMap { scenario in
            let verdicts = scenario["verdicts"]?.arrayValue ?? []
            guard !verdicts.isEmpty, let name = scenario["name"]?.stringValue else { return nil }
            let counts = (scenario["intended"]?.arrayValue ?? []).compactMap(\.stringValue).map { clause in
                (clause, max(1, verdicts.first { $0["clause"]?.stringValue == clause }?["exercised"]?.intValue ?? 0))
            }
            return (name, counts)
        }
    }

    /// Compares how often each scenario exercised its clauses, as loosely as the reach.
    private static func checkExercised(_ report: JSONValue, of role: String) throws {
        let path = "\(folder)/exercised.json"
        let stored = try JSONParser.value(SourceTree.text(path)).objectValue ?? [:]
        let now = exercised(report)
        #expect(now.map(\.name).sorted() == stored.map(\.key).filter { $0.hasPrefix(role) }.sorted())
        for (name, counts) in now {
            let written = stored[name]?.objectValue ?? [:]
            #expect(counts.map(\.0) == written.map(\.key), "\(name)")
            for (clause, count) in counts {
                let before = written[clause]?.intValue ?? 0
                // A person whose stream is long already exercises a clause hundreds of times; that proves no less.
                #expect(before - count <= max(25, before * 9 / 10), "\(clause) in \(name): \(count)")
            }
        }
        guard Golden.isRecording else { return }
        let ours = now.map { name, counts in
            (name, JSONValue.object(JSONObject(counts.map { ($0, JSONValue($1)) })))
        }
        let all = (ours + stored.filter { !$0.key.hasPrefix(role) }.map { ($0.key, $0.value) }).sorted { $0.0 < $1.0 }
        let lines = all.map { "  \(JSONValue.string($0).text()): \($1.text())" }
        try Golden.check("{\n" + lines.joined(separator: ",\n") + "\n}\n", against: path)
    }

    /// Compares loosely: which people share a server, and what meets within ten seconds, depends on the machine.
    ///
    /// How far a run goes past its goal depends on it too, and proves nothing more.
    ///
    /// With HOLDFAST_RECORD=1 the file is written from the run.
    static func check(_ report: JSONValue, of role: String) throws {
        // Recording ends with an error, so both are recorded before it is thrown.
        let recorded = Result { try checkExercised(report, of: role) }
        defer { if case .failure(let problem) = recorded { Issue.record(problem) } }
        let reach = try #require(report["reach"])
        let stored = try JSONParser.value(SourceTree.text(file))
        func rows(_ value: JSONValue?, _ name: String) -> [JSONValue] { value?[name]?.arrayValue ?? [] }
        if Golden.isRecording {
            // What prevented more depends on the subject.
            var free = reach
            free["dimensions"] = .array(
                rows(reach, "dimensions").map { row in
                    var row = row
                    row["prevented"] = nil
                    return row
                })
            let members = ["server", "client"].map { ($0, $0 == role ? free : stored[$0] ?? .null) }
            try Golden.check(JSONValue.object(JSONObject(members)).text(pretty: true) + "\n", against: file)
        }
        for (now, before) in zip(rows(reach, "dimensions"), rows(stored[role], "dimensions")) {
            #expect(now["name"] == before["name"])
            guard now["unit"]?.stringValue != "s" else { continue }
            let goal = now["goal"]?.intValue ?? .max
            let value = min(goal, now["reached"]?.intValue ?? 0)
            let written = min(goal, before["reached"]?.intValue ?? 0)
            #expect(
                abs(value - written) <= max(5, max(value, written) * 3 / 4),
                "\(now["name"]?.stringValue ?? ""): \(value)")
        }
        func pairs(_ value: JSONValue?) -> Set<String> {
            Set(
                rows(value, "situations").flatMap { row in
                    (row["met"]?.arrayValue ?? []).map { "\(row["name"]?.text() ?? "")-\($0.text())" }
                })
        }
        let (met, written) = (pairs(reach), pairs(stored[role]))
        #expect(met.symmetricDifference(written).count <= written.count / 4, "\(met.symmetricDifference(written))")
    }

    @Test func `it is listed beside the goals, with the pairs that never meet`() async throws {
        let run = try await BuiltBinary.run(["list", "--reach", "--pairs"])
        #expect(run.status == 0)
        let lines = run.out.split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("messages of a session") } == 2)
        #expect(lines.contains { $0.hasPrefix("never") && $0.contains(", ") })
        #expect(!run.out.contains("prevented by"))
        let json = try JSONParser.value(try await BuiltBinary.run(["list", "--reach", "--json"]).out)
        #expect((json["client"]?["situations"]?.arrayValue?.count ?? 0) > 20)
    }
}

import Foundation
import HoldfastJSON
import HoldfastJSONSchema
import Testing

/// The folder of public test suites, which is not part of this repository.
enum Suites {
    /// In the folder named by the environment variable HOLDFAST_SUITES, else in the one that `Tests/Suites/fetch.sh` makes, else beside the package.
    static let schema: URL? = {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let roots = [
            ProcessInfo.processInfo.environment["HOLDFAST_SUITES"].map { URL(filePath: $0) },
            package.appending(path: ".build/suites"),
            package.deletingLastPathComponent().appending(path: "shared/suites"),
        ]
        return roots.compactMap { $0?.appending(path: "json-schema") }.first {
            FileManager.default.fileExists(atPath: $0.appending(path: "tests/draft2020-12").path)
        }
    }()

    static let absence: Comment = "the json-schema suite is absent; fetch it with Tests/Suites/fetch.sh"
}

@Suite(.enabled(if: Suites.schema != nil, Suites.absence))
struct `Public schema suite` {
    /// Optional tests we do not pass, by file and description, and why.
    static let leftOut: [String: String] = [
        "optional/cross-draft.json: refs to historic drafts are processed as historic drafts":
            "only draft 2020-12 is implemented; a reference into another dialect is refused"
    ]

    /// What one folder of the suite came to.
    struct Tally {
        var passed = 0
        var failures: [String] = []
        var leftOut: [String] = []

        /// Says what was seen, so that a run shows its counts.
        func show(_ name: String) {
            print("public schema suite, \(name): \(passed) passed, \(failures.count) failed, left out: \(leftOut)")
        }
    }

    static func run(
        _ folder: String, formats: FormatMode, including isIncluded: (String) -> Bool = { _ in true }
    ) throws -> Tally {
        let root = try #require(Suites.schema)
        let registry = try remotes(root)
        let tests = root.appending(path: "tests/draft2020-12")
        let files = try FileManager.default.contentsOfDirectory(
            at: tests.appending(path: folder), includingPropertiesForKeys: nil
        )
        .filter { $0.pathExtension == "json" && isIncluded($0.deletingPathExtension().lastPathComponent) }.sorted {
            $0.path < $1.path
        }
        try #require(!files.isEmpty)
        var tally = Tally()
        for file in files {
            let name = (folder.isEmpty ? "" : folder + "/") + file.lastPathComponent
            let groups = try #require(try JSONParser.document(bytes: Data(contentsOf: file)).root.arrayValue)
            for group in groups { try run(group, name, registry, formats, &tally) }
        }
        return tally
    }

    private static func run(
        _ group: JSONValue, _ file: String, _ registry: SchemaRegistry, _ formats: FormatMode, _ tally: inout Tally
    ) throws {
        let description = group["description"]?.stringValue ?? ""
        let tests = group["tests"]?.arrayValue ?? []
        if let reason = leftOut["\(file): \(description)"] {
            tally.leftOut.append("\(file): \(description): \(reason)")
            var alone = Tally()
            try run(group, "known failure", registry, formats, &alone)
            // A known failure that passes has to leave the list.
            if alone.failures.isEmpty { tally.failures.append("\(file): \(description): left out, and yet it passes") }
            return
        }
        let schema: Schema
        do {
            schema = try Schema(
                try #require(group["schema"]), registry: registry, formats: formats, unknownKeywords: .ignore)
        } catch let problem as SchemaProblem {
            for test in tests {
                tally.failures.append("\(file): \(description): \(test["description"]?.stringValue ?? ""): \(problem)")
            }
            return
        }
        for test in tests {
            let data = try #require(test["data"])
            let expected = test["valid"]?.boolValue
            let violations = schema.violations(in: data)
            let isValidAsBytes = schema.isValid(bytes: Array(data.text().utf8))
            // The evaluation that explains, asked to decide.
            let isValidSlowly = schema.program.accepts(data, at: schema.program.root)
            if schema.isValid(data) == expected, violations.isEmpty == expected, isValidAsBytes == expected,
                isValidSlowly == expected
            {
                tally.passed += 1
            } else {
                tally.failures.append(
                    "\(file): \(description): \(test["description"]?.stringValue ?? ""): \(data) \(violations), as bytes \(isValidAsBytes)"
                )
            }
        }
    }

    private static func remotes(_ root: URL) throws -> SchemaRegistry {
        let folder = root.appending(path: "remotes")
        var registry = SchemaRegistry()
        let drafts = ["draft3", "draft4", "draft6", "draft7", "draft2019-09", "v1"]
        let names = try #require(FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String])
        for name in names.sorted()
        where name.hasSuffix(".json") && !drafts.contains(where: { name.hasPrefix($0 + "/") }) {
            let schema = try JSONParser.value(bytes: Data(contentsOf: folder.appending(path: name)))
            try registry.add(schema, at: "http://localhost:1234/" + name)
        }
        return registry
    }

    @Test func `all required tests pass`() throws {
        let tally = try Self.run("", formats: .annotate)
        tally.show("required")
        #expect(tally.failures == [])
        #expect(tally.passed >= 1299)
    }

    @Test func `the optional tests pass, but for those left out with a reason`() throws {
        let tally = try Self.run("optional", formats: .annotate)
        tally.show("optional")
        #expect(tally.failures == [])
        #expect(tally.passed >= 161)
        #expect(tally.leftOut.count == Self.leftOut.count)
    }

    @Test func `the tests of each format that is checked pass`() throws {
        let tally = try Self.run("optional/format", formats: .assert) { Format(rawValue: $0) != nil }
        tally.show("format")
        #expect(tally.failures == [])
        #expect(tally.passed >= 400)
    }
}

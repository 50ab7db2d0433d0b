import Foundation
import Holdfast
import HoldfastJSON
import TestSupport
import Testing

@Suite struct MessageFixtureTests {
    /// One entry of `Fixtures/index.json`.
    struct Entry {
        let file: String
        let type: String
        let schema: String
        let isValid: Bool
        let value: JSONValue
    }

    private func entries() throws -> [Entry] {
        let index = try JSONParser.value(SourceTree.text("Fixtures/index.json"))
        return try #require(index["messages"]?.arrayValue).map { value in
            Entry(
                file: try #require(value["file"]?.stringValue), type: try #require(value["type"]?.stringValue),
                schema: try #require(value["schema"]?.stringValue), isValid: value["verdict"] == "valid", value: value)
        }
    }

    private func bytes(_ file: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: SourceTree.root + "/Fixtures/" + file)))
    }

    private func schemas() throws -> MessageSchemas {
        try SourceTree.specification().messageSchemas(for: [])
    }

    /// A start of the program compiles none of them, because this does.
    @Test func `the schemas of the program compile for every set of profiles`() throws {
        var files = SpecificationFiles.embedded
        // Files that the program does not carry as they are get compiled at once.
        files.texts["schemas/files/other.json"] = "{}"
        for closesSets in [false, true] {
            for profiles in [[], [.core], Profile.all(of: .server), Profile.all(of: .client)] as [Set<Profile>] {
                #expect(!(try MessageSchemas(files, profiles: profiles, closesSets: closesSets).names.isEmpty))
            }
        }
        files.texts["schemas/messages/ack.json"] = #"{"type": 7}"#
        #expect(throws: InputProblems.self) { try MessageSchemas(files, profiles: [.core]) }
    }

    @Test func `valid messages are accepted`() throws {
        let schemas = try schemas()
        let valid = try entries().filter(\.isValid)
        #expect(!valid.isEmpty)
        for entry in valid {
            let problems = schemas.validate(bytes: try bytes(entry.file), as: entry.type)
            #expect(problems.isEmpty, "\(entry.file): \(problems.map(\.description).joined(separator: "\n"))")
        }
    }

    @Test func `invalid messages are rejected by the stated keyword and clause`() throws {
        let schemas = try schemas()
        let invalid = try entries().filter { !$0.isValid }
        #expect(!invalid.isEmpty)
        for entry in invalid {
            let stated = entry.value
            let place = stated["schemaLocation"]?.stringValue
            let keyword = place.map { $0.contains("#") ? $0 : "\(entry.schema)#\($0)" }
            let problems = schemas.validate(bytes: try bytes(entry.file), as: entry.type)
            let match = problems.contains { problem in
                problem.clause?.description == stated["clause"]?.stringValue
                    && problem.instance.description == stated["instanceLocation"]?.stringValue
                    && problem.keyword == keyword && problem.flaw?.rawValue == stated["flaw"]?.stringValue
            }
            #expect(
                match,
                "\(entry.file): stated \(stated.text())\nfound \(problems.map(\.description).joined(separator: "\n"))")
            #expect(problems.allSatisfy { $0.flaw == .syntax || $0.flaw == .encoding || $0.location != nil })
        }
    }

    @Test func `messages name their own type`() throws {
        let schemas = try schemas()
        for entry in try entries() where entry.isValid {
            let value = try JSONParser.document(bytes: bytes(entry.file)).root
            let expected = entry.type == "rateLimit" ? "error" : entry.type
            #expect(schemas.name(of: value) == expected, "\(entry.file)")
        }
    }

    @Test func `every file is in the index and every entry is a file`() throws {
        let listed = try entries().map(\.file)
        #expect(Set(listed).count == listed.count)
        var found: Set<String> = []
        for folder in ["messages", "rest", "push"] {
            let root = SourceTree.root + "/Fixtures/" + folder
            let walker = try #require(FileManager.default.enumerator(atPath: root))
            for case let path as String in walker where path.hasSuffix(".json") { found.insert("\(folder)/\(path)") }
        }
        #expect(found.subtracting(listed).sorted() == [])
        #expect(Set(listed).subtracting(found).sorted() == [])
    }

    /// Chapter 4.1: a server need not see what its parser does not.
    @Test func `the index says which flaws a server may overlook`() throws {
        let read = Set(try schemas().types(sentBy: .client) + ["chatRequest"])
        for entry in try entries() where !entry.isValid {
            let isOverlooked = read.contains(entry.type) && ![nil, "syntax"].contains(entry.value["flaw"]?.stringValue)
            #expect((entry.value["mayAccept"] == true) == isOverlooked, "\(entry.file)")
        }
    }

    @Test func `every message has five valid and eight invalid fixtures`() throws {
        let entries = try entries()
        for name in try schemas().names {
            let own = entries.filter { $0.type == name }
            #expect(own.filter(\.isValid).count >= 5, "\(name)")
            #expect(own.count { !$0.isValid } >= 8, "\(name)")
        }
    }

    @Test func `every clause named by a fixture exists`() throws {
        let specification = try SourceTree.specification()
        for entry in try entries() where !entry.isValid {
            let id = try #require(entry.value["clause"]?.stringValue.flatMap { ClauseID($0) }, "\(entry.file)")
            #expect(specification[id] != nil, "\(entry.file): \(id)")
        }
    }
}

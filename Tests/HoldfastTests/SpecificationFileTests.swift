import Foundation
import Holdfast
import HoldfastJSON
import HoldfastJSONSchema
import TestSupport
import Testing

/// The JSON files of `Spec/` and the index of `Fixtures/`, each against what it promises to be.
@Suite struct SpecificationFileTests {
    private static let base = "https://holdfast.example/spec/1/schemas/"

    private func jsonFiles() throws -> [String: JSONValue] {
        let files = try SpecificationFiles(folder: SourceTree.root + "/Spec")
        var values: [String: JSONValue] = [:]
        for (path, text) in files.texts where path.hasSuffix(".json") {
            do {
                values[path] = try JSONParser.value(text)
            } catch {
                Issue.record("Spec/\(path):\(error)")
            }
        }
        #expect(values.count > 20)
        return values
    }

    private func registry(_ files: [String: JSONValue]) throws -> SchemaRegistry {
        var registry = SchemaRegistry()
        for (path, value) in files.sorted(by: { $0.key < $1.key }) where path.hasPrefix("schemas/") {
            try registry.add(value, at: Self.base + path.dropFirst("schemas/".count))
        }
        return registry
    }

    @Test func `every schema says what it is, and its examples are valid`() throws {
        let files = try jsonFiles()
        let registry = try registry(files)
        for (path, value) in files.sorted(by: { $0.key < $1.key }) where path.hasPrefix("schemas/") {
            let uri = Self.base + path.dropFirst("schemas/".count)
            #expect(value["$id"]?.stringValue == uri, "Spec/\(path)")
            #expect(value["title"]?.stringValue?.isEmpty == false, "Spec/\(path): no title")
            #expect(value["description"]?.stringValue?.isEmpty == false, "Spec/\(path): no description")
            let schema = try Schema(uri: uri, registry: registry)
            if path == "schemas/common.json" { continue }
            let examples = value["examples"]?.arrayValue ?? []
            #expect(!examples.isEmpty, "Spec/\(path): no examples")
            for (index, example) in examples.enumerated() {
                let violations = schema.violations(in: example)
                #expect(
                    violations.isEmpty,
                    "Spec/\(path)#/examples/\(index): \(violations.map(\.description).joined(separator: "; "))")
            }
        }
    }

    @Test func `every x-clause names a clause and every x-profiles a profile`() throws {
        let specification = try SourceTree.specification()
        func walk(_ value: JSONValue, _ place: String) {
            switch value {
            case .object(let object):
                for (key, member) in object where key != "examples" {
                    if key == "x-clause" {
                        let names = member.objectValue.map { $0.values.map(\.stringValue) } ?? [member.stringValue]
                        for name in names {
                            #expect(
                                name.flatMap { ClauseID($0) }.flatMap { specification[$0] } != nil,
                                "\(place)/x-clause: \(member) names no clause")
                        }
                    } else if key == "x-profiles" {
                        for name in member.objectValue?.keys ?? [] {
                            #expect(Profile(rawValue: name) != nil, "\(place)/x-profiles: '\(name)' is no profile")
                        }
                    } else {
                        walk(member, "\(place)/\(key)")
                    }
                }
            case .array(let values):
                for (index, element) in values.enumerated() { walk(element, "\(place)/\(index)") }
            default: break
            }
        }
        for (path, value) in try jsonFiles() where path.hasPrefix("schemas/") { walk(value, "Spec/\(path)#") }
    }

    @Test(arguments: [
        ("scenarios/server/", "scenario"), ("scenarios/client/", "client-scenario"), ("dialects/", "dialect"),
        ("subjects/", "subject"), ("states/", "states"),
    ])
    func `every file of a kind passes the schema of its kind`(folder: String, kind: String) throws {
        let files = try jsonFiles()
        let schema = try Schema(uri: "\(Self.base)files/\(kind).json", registry: registry(files))
        let own = files.filter { $0.key.hasPrefix(folder) }
        if folder == "scenarios/server/" { #expect(!own.isEmpty) }
        for (path, value) in own.sorted(by: { $0.key < $1.key }) {
            let violations = schema.violations(in: value)
            #expect(violations.isEmpty, "Spec/\(path): \(violations.map(\.description).joined(separator: "; "))")
        }
    }

    @Test func `the fixture index passes its schema`() throws {
        let schema = try Schema(uri: "\(Self.base)files/index.json", registry: registry(jsonFiles()))
        let index = try JSONParser.value(SourceTree.text("Fixtures/index.json"))
        let violations = schema.violations(in: index)
        #expect(violations.isEmpty, "\(violations.map(\.description).joined(separator: "; "))")
    }

    @Test func `every scenario names existing clauses and profiles that hold them`() throws {
        let specification = try SourceTree.specification()
        for (path, value) in try jsonFiles() where path.hasPrefix("scenarios/") {
            let names = value["clauses"]?.arrayValue?.compactMap(\.stringValue) ?? []
            #expect(!names.isEmpty, "Spec/\(path): no clauses")
            for name in names {
                let clause = ClauseID(name).flatMap { specification[$0] }
                #expect(clause != nil, "Spec/\(path): '\(name)' is not a clause")
                #expect(
                    clause?.role.rawValue == value["role"]?.stringValue, "Spec/\(path): \(name) binds the other side")
            }
            let name = path.split(separator: "/").last.map { String($0.dropLast(5)) } ?? ""
            #expect(name.count <= 50 && name.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil, "Spec/\(path)")
        }
    }

    @Test func `every example of the API documents is valid`() throws {
        let files = try jsonFiles()
        let registry = try registry(files)
        var count = 0
        func walk(_ value: JSONValue, _ place: String) throws {
            guard let object = value.objectValue else {
                for (index, element) in (value.arrayValue ?? []).enumerated() { try walk(element, "\(place)/\(index)") }
                return
            }
            let reference = (value["schema"] ?? value["payload"])?["$ref"]?.stringValue
            if let reference, reference.hasPrefix("schemas/") {
                let schema = try Schema(uri: Self.base + reference.dropFirst("schemas/".count), registry: registry)
                let named = value["examples"]?.objectValue?.compactMap { $0.value["value"] } ?? []
                let listed = value["examples"]?.arrayValue?.compactMap { $0["payload"] } ?? []
                for example in named + listed {
                    count += 1
                    let violations = schema.violations(in: example)
                    #expect(violations.isEmpty, "\(place): \(violations.map(\.description).joined(separator: "; "))")
                }
            }
            for (key, member) in object { try walk(member, "\(place)/\(key)") }
        }
        for document in ["asyncapi.json", "openapi.json"] { try walk(#require(files[document]), "Spec/\(document)#") }
        #expect(count > 40)
    }

    @Test func `every reference of the API documents leads somewhere`() throws {
        let files = try jsonFiles()
        for document in ["asyncapi.json", "openapi.json"] {
            let root = try #require(files[document])
            var references: [String] = []
            func collect(_ value: JSONValue) {
                switch value {
                case .object(let object):
                    for (key, member) in object {
                        if key == "$ref", let text = member.stringValue {
                            references.append(text)
                        } else {
                            collect(member)
                        }
                    }
                case .array(let values): values.forEach(collect)
                default: break
                }
            }
            collect(root)
            #expect(!references.isEmpty)
            for reference in references {
                let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                var path = String(parts[0])
                if path.hasPrefix("./") { path.removeFirst(2) }
                let target = path.isEmpty ? root : files[path]
                let pointer = JSONPointer(parts.count > 1 ? String(parts[1]) : "")
                #expect(
                    pointer.flatMap { target?[$0] } != nil, "Spec/\(document): \(reference) leads nowhere")
            }
        }
    }
}

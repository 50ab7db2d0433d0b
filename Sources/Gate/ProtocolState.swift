import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastSchemaDiff

/// One state of a protocol: the files of `Spec/` and `Fixtures/` and the changelog, wherever they were read from.
package struct ProtocolState: Sendable {
    /// Its name in reports, such as `v1.0.0` or `.`.
    package let name: String
    package let specification: Specification
    package let version: ProtocolVersion
    /// The version on the wire; nil when `Spec/version.json` names none.
    let wireVersion: Int?
    let changelog: String?
    /// Clauses of profiles or areas that this program does not know.
    let foreignClauses: [ForeignClauses.Section]
    let fixtures: FixtureFiles

    /// The folders and files of a state, below its root.
    static let parts = ["Spec", "Fixtures", "CHANGELOG.md"]

    /// `files` has each file by its path below the root; those outside ``parts`` are ignored.
    package init(name: String, files: [String: [UInt8]]) throws(InputProblems) {
        var problems: [InputProblem] = []
        var texts: [String: String] = [:]
        for (path, bytes) in files where path.hasPrefix("Spec/") && (path.hasSuffix(".md") || path.hasSuffix(".json")) {
            guard let text = String(utf8: bytes) else {
                problems.note(path, "is not UTF-8", expected: "a text file in UTF-8", fix: "correct its encoding")
                continue
            }
            // Line ends in pages have no meaning.
            texts[String(path.dropFirst("Spec/".count))] =
                bytes.contains(13) ? text.replacing("\r\n", with: "\n") : text
        }
        for (path, text) in texts.sorted(by: { $0.key < $1.key }) where Self.holdsFacts(path) {
            do {
                _ = try JSONParser.value(text)
            } catch {
                problems.note(
                    "Spec/\(path):\(error.location)", error.sentence, expected: "a JSON document",
                    fix: "correct the file")
            }
        }
        if texts.isEmpty, problems.isEmpty {
            problems.note(
                "Spec", "there is no specification",
                expected: "a folder with Spec/clauses, Spec/schemas, Spec/version.json and Fixtures",
                fix: "choose a folder or revision that has them")
        }
        guard problems.isEmpty else { throw InputProblems(problems).in(name) }
        if let index = files["Fixtures/index.json"].flatMap({ String(utf8: $0) }) {
            texts["fixtures/index.json"] = index
        }
        foreignClauses = ForeignClauses.cut(from: &texts)
        do {
            specification = try Specification(SpecificationFiles(texts: texts))
            fixtures = try FixtureFiles(files)
        } catch {
            throw error.in(name)
        }
        guard let version = ProtocolVersion(specification.version) else {
            throw InputProblems([
                InputProblem(
                    location: "Spec/version.json", what: "'\(specification.version)' is not a version",
                    expected: "two numbers such as 1.0, or three such as 1.0.0", fix: "correct 'specification'")
            ]).in(name)
        }
        self.version = version
        wireVersion = specification.files.json("version.json")?["protocol"]?.intValue
        changelog = files["CHANGELOG.md"].map { String(decoding: $0, as: UTF8.self) }
        self.name = name
    }

    /// Whether a file below `Spec/` that is not a schema contains facts as JSON.
    private static func holdsFacts(_ path: String) -> Bool {
        [RequestDocument.file, OperationFacts.file].contains(path)
            || (path.hasPrefix("states/") && path.hasSuffix(".json"))
    }

    func text(_ path: String) -> String? { specification.files.texts[path] }

    func isShared(_ path: String) -> Bool { json(path)?.isSharedSchema ?? false }

    func json(_ path: String) -> JSONValue? { specification.files.json(path) }

    func location(_ path: String, _ pointer: JSONPointer) -> GateLocation {
        GateLocation(file: path, pointer: pointer, in: text(path))
    }

    /// A location with its line, which is computed if unknown.
    func located(_ location: GateLocation, at place: JSONPointer? = nil) -> GateLocation {
        if location.line != nil { return location }
        return GateLocation(file: location.file, pointer: location.pointer, in: text(location.file), at: place)
    }

    /// The files of a folder below `Spec/` with an ending, by path, sorted.
    func texts(below folder: String, _ ending: String) -> [(path: String, text: String)] {
        specification.files.texts.filter { $0.key.hasPrefix(folder) && $0.key.hasSuffix(ending) }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

extension InputProblems {
    /// The same problems, each with the state it is in.
    fileprivate func `in`(_ state: String) -> InputProblems {
        InputProblems(
            problems.map {
                InputProblem(location: "\(state): \($0.location)", what: $0.what, expected: $0.expected, fix: $0.fix)
            })
    }
}

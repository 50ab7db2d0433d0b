import Holdfast
import HoldfastJSON

/// The fixtures of one state, with their bytes.
struct FixtureFiles: Sendable {
    struct Message: Sendable {
        /// The file, below `Fixtures/`.
        let file: String
        /// The kind of message.
        let type: String
        let isValid: Bool
        let bytes: [UInt8]

        var content: Content { Content(type: type, bytes: bytes) }
    }

    struct Transcript: Sendable {
        /// The file, below `Fixtures/`.
        let file: String
        /// The expected verdicts by clause.
        let expected: [String: String]
        let bytes: [UInt8]
    }

    /// A fixture is its bytes under its type, wherever it stands; a transcript has no type.
    struct Content: Hashable {
        let type: String?
        let bytes: [UInt8]
    }

    /// A message or a transcript as a file.
    struct GoldenFile {
        let file: String
        let content: Content
        /// Its names in a changelog besides its file: its type, or its clauses.
        let names: [String]
    }

    /// Whether there is an index at all.
    let isThere: Bool
    let messages: [Message]
    let transcripts: [Transcript]

    var contents: [GoldenFile] {
        messages.map { GoldenFile(file: $0.file, content: $0.content, names: [$0.type]) }
            + transcripts.map {
                GoldenFile(
                    file: $0.file, content: Content(type: nil, bytes: $0.bytes), names: $0.expected.keys.sorted())
            }
    }

    /// Reads the index and the files it names.
    /// - Throws: An index that is no JSON, and every file that it names and that is not there.
    init(_ files: [String: [UInt8]]) throws(InputProblems) {
        guard let index = files["Fixtures/index.json"] else {
            (isThere, messages, transcripts) = (false, [], [])
            return
        }
        let root: JSONValue
        do {
            root = try JSONParser.document(bytes: index).root
        } catch {
            throw InputProblems([
                InputProblem(
                    location: "Fixtures/index.json:\(error.location)", what: error.sentence,
                    expected: "the index of the fixtures", fix: "restore the file")
            ])
        }
        var problems: [InputProblem] = []
        func entries<Entry>(_ list: String, _ entry: (JSONValue, String, [UInt8]) -> Entry?) -> [Entry] {
            (root[list]?.arrayValue ?? []).enumerated().compactMap { position, value in
                guard let file = value["file"]?.stringValue,
                    let made = entry(value, file, files["Fixtures/\(file)"] ?? [])
                else { return nil }
                if files["Fixtures/\(file)"] == nil {
                    let pointer = JSONPointer(tokens: [list, String(position), "file"])
                    let line = JSONParser.location(of: pointer, in: index)?.line ?? 1
                    problems.note(
                        "Fixtures/index.json:\(line)", "there is no file '\(file)'", expected: "a file for every entry",
                        fix: "restore the file or remove the entry")
                }
                return made
            }
        }
        messages = entries("messages") { entry, file, bytes in
            entry["type"]?.stringValue.map {
                Message(file: file, type: $0, isValid: entry["verdict"] == "valid", bytes: bytes)
            }
        }
        transcripts = entries("transcripts") { entry, file, bytes in
            entry["expected"]?.objectValue.map { expected in
                let verdicts = expected.compactMap { member in member.value.stringValue.map { (member.key, $0) } }
                return Transcript(
                    file: file, expected: Dictionary(verdicts, uniquingKeysWith: { first, _ in first }), bytes: bytes)
            }
        }
        guard problems.isEmpty else { throw InputProblems(problems) }
        isThere = true
    }
}

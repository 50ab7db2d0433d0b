import Holdfast
import HoldfastJSON

struct FixtureFiles: Sendable {
    struct Golden: Sendable {
        /// The file, below `Fixtures/`.
        let file: String
        let content: Content
        let isValid: Bool
        /// The expected verdicts of a transcript, by clause.
        let expected: [String: String]

        var type: String { content.type }
        var bytes: [UInt8] { content.bytes }
        /// Its names in a changelog besides its file: its type, or its clauses.
        var names: [String] { type.isEmpty ? expected.keys.sorted() : [type] }
    }

    /// A fixture is identified by its bytes and its type, wherever it is.
    struct Content: Hashable {
        /// The kind of message; empty for a transcript.
        let type: String
        let bytes: [UInt8]
    }

    let isThere: Bool
    let messages: [Golden]
    let transcripts: [Golden]

    var all: [Golden] { messages + transcripts }

    /// Reads the index and the files it names.
    /// - Throws: An index that is not JSON, and every file in it that is missing.
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
        func entries(_ list: String, _ member: String) -> [Golden] {
            (root[list]?.arrayValue ?? []).enumerated().compactMap { position, value in
                guard let file = value["file"]?.stringValue, let entry = value[member] else { return nil }
                if files["Fixtures/\(file)"] == nil {
                    let pointer = JSONPointer(tokens: [list, String(position), "file"])
                    let line = JSONParser.location(of: pointer, in: index)?.line ?? 1
                    problems.note(
                        "Fixtures/index.json:\(line)", "there is no file '\(file)'", expected: "a file for every entry",
                        fix: "restore the file or remove the entry")
                }
                let content = Content(type: entry.stringValue ?? "", bytes: files["Fixtures/\(file)"] ?? [])
                let verdicts = (entry.objectValue ?? [:]).map { ($0.key, $0.value.stringValue ?? "") }
                return Golden(
                    file: file, content: content, isValid: value["verdict"] == "valid",
                    expected: Dictionary(verdicts, uniquingKeysWith: { first, _ in first }))
            }
        }
        messages = entries("messages", "type")
        transcripts = entries("transcripts", "expected")
        guard problems.isEmpty else { throw InputProblems(problems) }
        isThere = true
    }
}

import Holdfast
import JSON

/// The fixtures of one state, with their bytes.
struct FixtureFiles: Sendable {
    /// A golden message.
    struct Message: Sendable {
        /// The file, below `Fixtures/`.
        let file: String
        /// The kind of message.
        let type: String
        /// Whether it is accepted.
        let isValid: Bool
        /// The file as it is.
        let bytes: [UInt8]
        /// The line of its entry in the index.
        let line: Int?
    }

    /// A golden transcript.
    struct Transcript: Sendable {
        /// The file, below `Fixtures/`.
        let file: String
        /// The expected verdicts by clause.
        let expected: [String: String]
        /// The file as it is.
        let bytes: [UInt8]
        /// The line of its entry in the index.
        let line: Int?
    }

    /// Whether there is an index at all.
    let isThere: Bool
    let messages: [Message]
    let transcripts: [Transcript]

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
                    place: "Fixtures/index.json:\(error.location)", what: error.sentence,
                    expected: "the index of the fixtures", fix: "restore the file")
            ])
        }
        var problems: [InputProblem] = []
        let lines = Self.lines(of: index)
        func bytes(_ file: String) -> [UInt8] {
            if let bytes = files["Fixtures/\(file)"] { return bytes }
            problems.append(
                InputProblem(
                    place: "Fixtures/index.json:\(lines[file] ?? 1)", what: "there is no file '\(file)'",
                    expected: "a file for every entry", fix: "restore the file or remove the entry"))
            return []
        }
        messages = (root["messages"]?.arrayValue ?? []).compactMap { entry in
            guard let file = entry["file"]?.stringValue, let type = entry["type"]?.stringValue else { return nil }
            return Message(
                file: file, type: type, isValid: entry["verdict"] == "valid", bytes: bytes(file), line: lines[file])
        }
        transcripts = (root["transcripts"]?.arrayValue ?? []).compactMap { entry in
            guard let file = entry["file"]?.stringValue, let expected = entry["expected"]?.objectValue else {
                return nil
            }
            return Transcript(
                file: file,
                expected: Dictionary(
                    expected.compactMap { member in member.value.stringValue.map { (member.key, $0) } },
                    uniquingKeysWith: { first, _ in first }),
                bytes: bytes(file), line: lines[file])
        }
        guard problems.isEmpty else { throw InputProblems(problems) }
        isThere = true
    }

    /// The line each file is named in; an index has one entry a line, or at least one member.
    private static func lines(of index: [UInt8]) -> [String: Int] {
        var lines: [String: Int] = [:]
        for (number, line) in index.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
        {
            let text = String(decoding: line, as: UTF8.self)
            guard let start = text.firstRange(of: "\"file\"")?.upperBound else { continue }
            let rest = text[start...].drop { $0 == ":" || $0.isWhitespace }
            guard rest.first == "\"" else { continue }
            lines[String(rest.dropFirst().prefix { $0 != "\"" })] = number + 1
        }
        return lines
    }
}

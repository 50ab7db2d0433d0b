import Holdfast
import HoldfastCaptures
import HoldfastJSON
import HoldfastJSONSchema
import HoldfastPlatform
import HoldfastSmallFoundation

/// One problem of a message, and its place in the text.
package struct ValidateFault {
    let location: JSONLocation?
    /// The problem and the expectation, without the place.
    let words: String

    /// The words after a place such as `frames.jsonl:17:5`; `line` is the first line of the message.
    package func text(in file: String, line: Int = 1) -> String {
        guard let location else { return "\(file): \(words)" }
        return "\(file):\(line + location.line - 1):\(location.column): \(words)"
    }
}

/// Judges messages one after another: first with a fast validator, and if that does not accept, with one that explains.
package final class MessageJudge {
    package private(set) var messages = 0
    package private(set) var invalid = 0
    private let judge: (UnsafeBufferPointer<UInt8>) -> [ValidateFault]

    package init(_ schema: Schema) {
        var validator = ByteValidator(schema)
        judge = { message in validator.isValid(message) ? [] : Self.explain(Array(message), by: schema) }
    }

    package init(_ schemas: MessageSchemas, as name: String?) {
        var validator = MessageValidator(schemas, as: name)
        judge = { message in
            guard !validator.isSurelyValid(message) else { return [] }
            return schemas.validate(bytes: Array(message), as: name).map { problem in
                let prefix = problem.location.map { "\($0): " } ?? ""
                let words = problem.description
                return ValidateFault(
                    location: problem.location,
                    words: words.hasPrefix(prefix) ? String(words.dropFirst(prefix.count)) : words)
            }
        }
    }

    /// The problems of a message, in text order; empty if it is valid.
    package func faults(in message: UnsafeBufferPointer<UInt8>) -> [ValidateFault] {
        let faults = judge(message)
        messages += 1
        if !faults.isEmpty { invalid += 1 }
        return faults
    }

    /// Judges every line of a file that is not blank, and gives each fault in words to `notify`.
    package func judgeLines(of file: String, as name: String, _ notify: (String) -> Void) throws {
        let limit = JSONLimits.standard.maxBytes
        let fix = "wait until no program writes to it, or validate a copy"
        var location = name
        var line = 0
        func take(_ lines: ArraySlice<UInt8>) {
            lines.withUnsafeBufferPointer { bytes in
                for text in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
                    line += 1
                    let message = UnsafeBufferPointer(rebasing: text)
                    guard !message.allSatisfy({ [0x20, 0x0D, 0x09].contains($0) }) else { continue }
                    for fault in faults(in: message) { notify(fault.text(in: name, line: line)) }
                }
            }
        }
        do throws(InputFile.Problem) {
            var input = try InputFile(file)
            location = "\(name):1"
            // The beginning of a line that is not yet complete.
            var rest: [UInt8] = []
            while case let more = try input.next(), !more.isEmpty {
                let known = rest.count
                rest += more
                if let end = rest[known...].lastIndex(of: 0x0A) {
                    take(rest[..<end])
                    rest.removeFirst(end + 1)
                    location = "\(name):\(line + 1)"
                } else if rest.count > limit {
                    break
                }
            }
            if rest.count <= limit { return rest.isEmpty ? () : take(rest[...]) }
        } catch {
            throw InputProblem(error, in: location, at: location, fix: fix)
        }
        throw InputProblem(
            "\(name):\(line + 1)", "the line has more than \(limit) bytes",
            expected: "one message per line, at most \(limit) bytes",
            fix: "remove the line, or end every message with a line break")
    }

    /// How to judge a file that is a capture, whose lines are not messages themselves; nil for other files.
    ///
    /// A pipe cannot be read a second time.
    package static func hint(at file: String) -> String? {
        guard file != "-", (try? FileStatus(of: file))?.kind == .regular, var input = try? InputFile(file),
            let opening = try? input.opening(CaptureForm.openingBytes),
            let form = try? CaptureForm.recognized(in: opening, file: file)
        else { return nil }
        let text = String(decoding: opening, as: UTF8.self)
        let first = text.prefix { !$0.isNewline }
        let isWrapped = (try? JSONParser.value(String(first))).map { $0["type"] == nil } ?? !text.hasPrefix("{")
        guard form != .frames || isWrapped && text.contains("\"type\"") else { return nil }
        return "\(file) looks like a capture (\(form.name)): conformance judge \(file)"
    }

    private static func explain(_ bytes: [UInt8], by schema: Schema) -> [ValidateFault] {
        let document: JSONDocument
        do {
            document = try JSONParser.document(bytes: bytes)
        } catch {
            return [ValidateFault(location: error.location, words: error.sentence)]
        }
        let flaws = document.flaws.map { ValidateFault(location: $0.location, words: $0.sentence) }
        return flaws
            + schema.violations(in: document.root).map { violation in
                let pointer = violation.instanceLocation
                return ValidateFault(
                    location: JSONParser.location(of: pointer, in: bytes),
                    words: """
                        \(pointer.isRoot ? "the message as a whole" : pointer.description): \(violation.message)
                          expected: \(violation.expected)
                          schema: \(violation.schemaURI)#\(violation.schemaLocation)
                        """)
            }
    }
}

extension Schema {
    package static func load(_ path: String) throws -> Schema {
        let root: JSONValue
        do {
            root = try JSONParser.value(bytes: Files.bytes(of: path))
        } catch let problem as JSONProblem {
            throw InputProblem(
                "\(path):\(problem.location)", problem.sentence, expected: "a JSON Schema, draft 2020-12",
                fix: "mend the file")
        }
        do {
            return try Schema(root, baseURI: URL(fileURLWithPath: path).absoluteString)
        } catch {
            throw InputProblem(
                path, error.description, expected: "a JSON Schema, draft 2020-12, that stands alone",
                fix: "mend the schema; custom keywords start with 'x-'")
        }
    }
}

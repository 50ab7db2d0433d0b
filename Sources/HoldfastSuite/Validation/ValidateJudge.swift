import Holdfast
import HoldfastJSON
import HoldfastJSONSchema
import HoldfastSmallFoundation

/// Judges messages one after another; every thread has one of its own.
package protocol ValidateJudge {
    /// The problems of a message, in text order; empty if it is valid.
    mutating func faults(in message: UnsafeBufferPointer<UInt8>) -> [ValidateFault]
}

/// One thing that is wrong with a message, and where in its text.
package struct ValidateFault: Sendable {
    let location: JSONLocation?
    /// The problem and the expectation, without the place.
    let words: String

    /// The words behind a place such as `frames.jsonl:17:5`; `line` is where the message starts.
    package func text(in file: String, line: Int = 1) -> String {
        guard let location else { return "\(file): \(words)" }
        return "\(file):\(line + location.line - 1):\(location.column): \(words)"
    }
}

/// Judges by any schema: the quick way first, and by words only what is not valid.
package final class SchemaJudge: ValidateJudge {
    private let schema: Schema
    private var validator: ByteValidator

    package init(_ schema: Schema) {
        self.schema = schema
        validator = ByteValidator(schema)
    }

    package func faults(in message: UnsafeBufferPointer<UInt8>) -> [ValidateFault] {
        validator.isValid(message) ? [] : explain(Array(message))
    }

    private func explain(_ bytes: [UInt8]) -> [ValidateFault] {
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

/// Judges by the schemas of the protocol: the quick way first, and by words only what is not surely valid.
package final class ProtocolJudge: ValidateJudge {
    private let schemas: MessageSchemas
    private let name: String?
    private var validator: MessageValidator

    package init(schemas: MessageSchemas, name: String?) {
        self.schemas = schemas
        self.name = name
        validator = MessageValidator(schemas, as: name)
    }

    package func faults(in message: UnsafeBufferPointer<UInt8>) -> [ValidateFault] {
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

extension Schema {
    /// A schema of the caller's own, out of a file.
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
                fix: "mend the schema; own keywords start with 'x-'")
        }
    }
}

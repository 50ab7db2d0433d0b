import JSON
import JSONSchema

/// Judges messages one after another; every thread has one of its own.
protocol ValidateJudge {
    /// What is wrong with a message, in the order of the text; empty when it is valid.
    mutating func faults(in message: UnsafeBufferPointer<UInt8>) -> [ValidateFault]
}

/// One thing that is wrong with a message, and where in its text.
struct ValidateFault: Sendable {
    let location: JSONLocation?
    /// What is wrong and what was expected, without the place.
    let words: String

    /// The words behind a place such as `frames.jsonl:17:5`; `line` is where the message starts.
    func text(in file: String, line: Int = 1) -> String {
        guard let location else { return "\(file): \(words)" }
        return "\(file):\(line + location.line - 1):\(location.column): \(words)"
    }
}

/// Judges by any schema: the quick way first, and by words only what is not valid.
final class SchemaJudge: ValidateJudge {
    private let schema: Schema
    private let limits: JSONLimits
    private var validator: ByteValidator

    init(_ schema: Schema, limits: JSONLimits = .standard) {
        self.schema = schema
        self.limits = limits
        validator = ByteValidator(schema, limits: limits)
    }

    func faults(in message: UnsafeBufferPointer<UInt8>) -> [ValidateFault] {
        validator.isValid(message) ? [] : explain(Array(message))
    }

    private func explain(_ bytes: [UInt8]) -> [ValidateFault] {
        let document: JSONDocument
        do {
            document = try JSONParser.document(bytes: bytes, limits: limits)
        } catch {
            return [ValidateFault(location: error.location, words: error.sentence)]
        }
        let flaws = document.flaws.map { ValidateFault(location: $0.location, words: $0.sentence) }
        return flaws
            + schema.violations(in: document.root).map { violation in
                let place = violation.instanceLocation
                return ValidateFault(
                    location: JSONParser.location(of: place, in: bytes),
                    words: """
                        \(place.isRoot ? "the message as a whole" : place.description): \(violation.message)
                          expected: \(violation.expected)
                          schema: \(violation.schemaURI)#\(violation.schemaLocation)
                        """)
            }
    }
}

import HoldfastJSON

/// Validates one text after another, in reused memory.
///
/// This is the fast way to judge many messages: most valid ones need no allocation. It only says valid or not; for the
/// errors in a text, use `JSONParser.value(bytes:limits:)` and ``Schema/violations(in:limit:)``.
public struct ByteValidator: ~Copyable {
    private let schema: Schema
    private var tape: JSONTape

    /// A validator for texts within these limits.
    public init(_ schema: Schema, limits: JSONLimits = .standard) {
        self.schema = schema
        tape = JSONTape(limits: limits)
    }

    /// Whether the bytes are valid JSON without duplicate keys and lone surrogates, and conform to the schema.
    public mutating func isValid(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { isValid($0) }
    }

    /// Whether the bytes are valid JSON without duplicate keys and lone surrogates, and conform to the schema.
    public mutating func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        tape.withTokens(of: bytes) { [schema] view in view.map { schema.isValid($0) } ?? false }
    }
}

extension Schema {
    /// Whether the bytes are valid JSON without duplicate keys and lone surrogates, and conform to the schema.
    ///
    /// For several texts, use a ``ByteValidator``, which reuses its memory.
    public func isValid(bytes: [UInt8], limits: JSONLimits = .standard) -> Bool {
        var validator = ByteValidator(self, limits: limits)
        return validator.isValid(bytes)
    }
}

import HoldfastJSON

/// Judges one text after another, in memory that it keeps.
///
/// This is the quick way to judge many messages: for a valid one nothing is allocated. It only says valid or not; what is wrong with a
/// text say `JSONParser.value(bytes:limits:)` and ``Schema/violations(in:limit:)``.
public struct ByteValidator: ~Copyable {
    private let schema: Schema
    private var tape: JSONTape

    /// A validator for texts within these limits.
    public init(_ schema: Schema, limits: JSONLimits = .standard) {
        self.schema = schema
        tape = JSONTape(limits: limits)
    }

    /// Whether the bytes are JSON, without duplicate keys and lone surrogates, and the value is valid.
    public mutating func isValid(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { isValid($0) }
    }

    /// Whether the bytes are JSON, without duplicate keys and lone surrogates, and the value is valid.
    public mutating func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        tape.withTokens(of: bytes) { [schema] view in view.map { schema.isValid($0) } ?? false }
    }
}

extension Schema {
    /// Whether the bytes are JSON, without duplicate keys and lone surrogates, and the value is valid.
    ///
    /// For more than one text make a ``ByteValidator``, which keeps its memory.
    public func isValid(bytes: [UInt8], limits: JSONLimits = .standard) -> Bool {
        var validator = ByteValidator(self, limits: limits)
        return validator.isValid(bytes)
    }
}

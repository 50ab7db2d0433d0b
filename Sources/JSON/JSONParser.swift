/// Reads JSON texts, strictly by RFC 8259.
///
/// Input may be hostile: any bytes result in a value or a ``JSONProblem``, with bounded stack and memory.
public enum JSONParser {
    /// Parses a text and also returns its flaws.
    public static func document(
        _ text: String,
        limits: JSONLimits = .standard
    ) throws(JSONProblem) -> JSONDocument {
        var text = text
        return try text.withUTF8 { bytes in
            Result { () throws(JSONProblem) in try parse(bytes, limits) }
        }.get()
    }

    /// Parses a text in a reusable tape.
    package static func document(_ text: String, in tape: inout JSONTape) throws(JSONProblem) -> JSONDocument {
        var text = text
        return try text.withUTF8 { bytes in
            Result { () throws(JSONProblem) in try tape.document(bytes) }
        }.get()
    }

    /// Parses UTF-8 bytes and also returns the flaws.
    public static func document(
        bytes: some Sequence<UInt8>,
        limits: JSONLimits = .standard
    ) throws(JSONProblem) -> JSONDocument {
        if let array = bytes as? [UInt8] { return try parse(array, limits) }
        // One byte over the limit is enough to show that there are too many.
        return try parse(Array(bytes.prefix(max(0, min(limits.maxBytes, .max - 1)) + 1)), limits)
    }

    /// Parses a text; flaws are errors too.
    public static func value(_ text: String, limits: JSONLimits = .standard) throws(JSONProblem) -> JSONValue {
        try strict(document(text, limits: limits))
    }

    /// Parses UTF-8 bytes; flaws are errors too.
    public static func value(
        bytes: some Sequence<UInt8>,
        limits: JSONLimits = .standard
    ) throws(JSONProblem) -> JSONValue {
        try strict(document(bytes: bytes, limits: limits))
    }

    private static func strict(_ document: JSONDocument) throws(JSONProblem) -> JSONValue {
        if let flaw = document.flaws.first { throw JSONProblem(.flaw(flaw.kind), at: flaw.location) }
        return document.root
    }

    /// The start of the value that a pointer refers to; nil if there is none, or the text ends before it.
    ///
    /// For error messages about a text that was already parsed.
    public static func location(of pointer: JSONPointer, in text: String) -> JSONLocation? {
        location(of: pointer, in: Array(text.utf8))
    }

    /// The start of the value that a pointer refers to, in UTF-8 bytes; nil if there is none.
    public static func location(of pointer: JSONPointer, in bytes: [UInt8]) -> JSONLocation? {
        var tape = JSONTape(limits: JSONLimits(maxDepth: .max, maxBytes: .max))
        return bytes.withUnsafeBufferPointer { tape.location(of: pointer, in: $0) }
    }

    private static func parse(_ bytes: [UInt8], _ limits: JSONLimits) throws(JSONProblem) -> JSONDocument {
        try bytes.withUnsafeBufferPointer { (bytes) throws(JSONProblem) in try parse(bytes, limits) }
    }

    private static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, _ limits: JSONLimits
    ) throws(JSONProblem) -> JSONDocument {
        var tape = JSONTape(limits: limits)
        return try tape.document(bytes)
    }
}

/// The limits of a parser for untrusted input.
public struct JSONLimits: Sendable, Hashable {
    /// The deepest nesting; values above 1,024 count as 1,024, because values are visited recursively.
    public var maxDepth: Int
    /// The largest text in bytes.
    public var maxBytes: Int
    /// The maximum number of flaws to list, so that a hostile text cannot use up memory.
    public var maxFlaws: Int

    /// 512 containers deep, 64 MiB, 100 flaws.
    public static let standard = JSONLimits()

    /// The standard limits, except for the given ones.
    public init(maxDepth: Int = 512, maxBytes: Int = 64 << 20, maxFlaws: Int = 100) {
        (self.maxDepth, self.maxBytes, self.maxFlaws) = (maxDepth, maxBytes, maxFlaws)
    }

    var depth: Int { min(maxDepth, 1024) }
}

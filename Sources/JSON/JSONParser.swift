/// Reads JSON texts, strictly by RFC 8259.
///
/// Input is hostile: whatever the bytes are, the answer is a value or a ``JSONProblem``, in bounded stack and memory.
public enum JSONParser {
    /// Parses a text and lists its flaws beside the value.
    public static func document(
        _ text: String,
        limits: JSONLimits = .standard
    ) throws(JSONProblem) -> JSONDocument {
        var text = text
        return try text.withUTF8 { bytes in
            Result { () throws(JSONProblem) in try parse(bytes, limits) }
        }.get()
    }

    /// Parses a text in a tape that is kept for the next one.
    package static func document(_ text: String, in tape: inout JSONTape) throws(JSONProblem) -> JSONDocument {
        var text = text
        return try text.withUTF8 { bytes in
            Result { () throws(JSONProblem) in try tape.document(bytes) }
        }.get()
    }

    /// Parses bytes, which have to be UTF-8, and lists the flaws beside the value.
    public static func document(
        bytes: some Sequence<UInt8>,
        limits: JSONLimits = .standard
    ) throws(JSONProblem) -> JSONDocument {
        if let array = bytes as? [UInt8] { return try parse(array, limits) }
        // One more than allowed shows that there are too many, however many there are.
        return try parse(Array(bytes.prefix(max(0, min(limits.maxBytes, .max - 1)) + 1)), limits)
    }

    /// Parses a text in which flaws are problems too.
    public static func value(_ text: String, limits: JSONLimits = .standard) throws(JSONProblem) -> JSONValue {
        try strict(document(text, limits: limits))
    }

    /// Parses bytes, which have to be UTF-8, and in which flaws are problems too.
    public static func value(
        bytes: some Sequence<UInt8>,
        limits: JSONLimits = .standard
    ) throws(JSONProblem) -> JSONValue {
        try strict(document(bytes: bytes, limits: limits))
    }

    private static func strict(_ document: JSONDocument) throws(JSONProblem) -> JSONValue {
        if let flaw = document.flaws.first {
            throw JSONProblem(.flaw(flaw.kind), at: flaw.location)
        }
        return document.root
    }

    /// Where the value a pointer leads to starts in a text; nil when it leads nowhere, or the text breaks off before.
    ///
    /// Meant for error messages about a text that was parsed before.
    public static func location(of pointer: JSONPointer, in text: String) -> JSONLocation? {
        location(of: pointer, in: Array(text.utf8))
    }

    /// Where the value a pointer leads to starts in UTF-8 bytes; nil when it leads nowhere.
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

/// What a parser takes from a stranger before it refuses.
public struct JSONLimits: Sendable, Hashable {
    /// The most containers inside one another; values above 1,024 count as 1,024, because values are walked recursively.
    public var maxDepth: Int
    /// The most bytes of a text.
    public var maxBytes: Int
    /// The most flaws a document lists; later ones are not listed, so that a hostile text cannot buy memory with them.
    public var maxFlaws: Int

    /// 512 containers deep, 64 MiB, 100 flaws.
    public static let standard = JSONLimits()

    /// Limits that differ from the standard ones where said.
    public init(maxDepth: Int = 512, maxBytes: Int = 64 << 20, maxFlaws: Int = 100) {
        (self.maxDepth, self.maxBytes, self.maxFlaws) = (maxDepth, maxBytes, maxFlaws)
    }

    /// The depth that is really kept.
    var depth: Int { min(maxDepth, 1024) }
}

/// Reads JSON texts, strictly by RFC 8259.
///
/// Input is hostile: whatever the bytes are, the answer is a value or a ``JSONProblem``, in bounded stack and memory.
public enum JSONParser {
    /// Parses a text and lists its flaws beside the value.
    public static func document(
        _ text: String,
        limits: JSONLimits = .standard
    ) throws(JSONProblem) -> JSONDocument {
        guard text.utf8.count <= limits.maxBytes else { throw tooLarge(limits) }
        return try parse(Array(text.utf8), limits)
    }

    /// Parses bytes, which have to be UTF-8, and lists the flaws beside the value.
    public static func document(
        bytes: some Sequence<UInt8>,
        limits: JSONLimits = .standard
    ) throws(JSONProblem) -> JSONDocument {
        try parse(gather(bytes, limits), limits)
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

    private static func gather(_ bytes: some Sequence<UInt8>, _ limits: JSONLimits) throws(JSONProblem) -> [UInt8] {
        var gathered: [UInt8]
        if let array = bytes as? [UInt8] {
            gathered = array
        } else {
            // One more than allowed shows that there are too many, however many there are.
            gathered = Array(bytes.prefix(max(0, limits.maxBytes) + 1))
        }
        guard gathered.count <= limits.maxBytes else { throw tooLarge(limits) }
        return gathered
    }

    private static func parse(_ bytes: [UInt8], _ limits: JSONLimits) throws(JSONProblem) -> JSONDocument {
        // At least one flaw is kept, so that a strict reader sees it.
        var builder = DocumentBuilder(bytes, depth: limits.depth, maxFlaws: max(1, limits.maxFlaws))
        let root = try builder.build()
        return JSONDocument(root: root, flaws: builder.flaws)
    }

    private static func tooLarge(_ limits: JSONLimits) -> JSONProblem {
        JSONProblem(.tooLarge(limit: limits.maxBytes), at: .start)
    }
}

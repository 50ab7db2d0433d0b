/// A text split into tokens, in memory that is reused for the next text.
///
/// This is the fast way to read many texts: once the tape fits the largest text, ordinary texts need no allocation.
public struct JSONTape: ~Copyable {
    let limits: JSONLimits
    /// The token memory; only the first `count` of `capacity` are set.
    private(set) var tokens: UnsafeMutablePointer<TapeToken>
    private var capacity: Int
    private(set) var count = 0
    /// One entry for each open container; there is room for `openCapacity`.
    private(set) var open: UnsafeMutablePointer<OpenContainer>
    private(set) var openCapacity: Int
    let maxDepth: Int
    /// Text that is not in the input: strings with their escapes decoded.
    var annex = TapeBytes()
    /// Whether the text has duplicate keys or lone surrogates.
    var isFlawed = false
    /// Lone surrogates in text order: their token and offset.
    var loneSurrogates: [(token: Int, offset: Int)] = []

    struct OpenContainer {
        var token: Int
        var members: UInt32
        var isObject: Bool
        /// One bit for each hash of a name, so that most new names are recognized without a search.
        var names: UInt64
    }

    /// An empty tape for texts within these limits.
    public init(limits: JSONLimits = .standard) {
        self.limits = limits
        maxDepth = max(0, limits.depth)
        // Most texts are messages, for which this is enough.
        capacity = 64
        tokens = .allocate(capacity: capacity)
        openCapacity = 8
        open = .allocate(capacity: openCapacity)
    }

    deinit {
        tokens.deallocate()
        open.deallocate()
    }

    /// Reads a new text, and returns whether it is JSON without flaws.
    public mutating func isSound(_ text: [UInt8]) -> Bool {
        text.withUnsafeBufferPointer { withTokens(of: $0) { $0 != nil } }
    }

    /// Reads a text and passes its tokens to `body`, or nil if it is not JSON without flaws.
    ///
    /// The view points into the tape and the text, and must not outlive the call.
    package mutating func withTokens<Result>(
        of text: UnsafeBufferPointer<UInt8>, _ body: (TapeView?) throws -> Result
    ) rethrows -> Result {
        let view = try? read(text)
        return try body(isFlawed ? nil : view)
    }

    /// Splits a value into tokens for `body`; the view must not outlive the call.
    package mutating func withTokens<Result>(
        of value: JSONValue, _ body: (TapeView) throws -> Result
    ) rethrows -> Result {
        clear()
        append(value)
        return try body(view(JSONText(start: annex.start, end: annex.end)))
    }

    mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONProblem) -> TapeView {
        clear()
        // Offsets have 32 bits.
        let limit = min(limits.maxBytes, Int(Int32.max) - 1)
        guard bytes.count <= limit else { throw JSONProblem(.tooLarge(limit: limit), at: .start) }
        guard let start = bytes.baseAddress else { throw JSONProblem(.empty, at: .start) }
        let text = JSONText(start: start, end: start + bytes.count)
        try parse(text)
        return view(text)
    }

    /// The tokens so far, even of a text with errors.
    @inline(__always)
    func view(_ text: JSONText) -> TapeView {
        TapeView(
            tokens: tokens, count: count, text: text.start, textEnd: text.end, annex: annex.start,
            annexEnd: annex.end, isFlawed: isFlawed)
    }

    private mutating func clear() {
        count = 0
        annex.removeAll()
        isFlawed = false
        loneSurrogates = []
    }

    /// Appends the tokens of a value; the annex serves as the text of its strings and numbers.
    private mutating func append(_ value: JSONValue) {
        switch value {
        case .null: append(.null, start: 0, length: 0)
        case .bool(let value): append(value ? .yes : .no, start: 0, length: 0)
        case .number(let number): append(.number, number.text, isPlain: number.isIntegerToken)
        case .string(let string): append(.string, string)
        case .array(let values):
            let token = count
            append(.array, start: 0, length: values.count)
            for value in values { append(value) }
            tokens[token].link = UInt32(truncatingIfNeeded: count)
        case .object(let object):
            let token = count
            append(.object, start: 0, length: object.count)
            for (name, value) in object {
                append(.string, name)
                hashName(JSONText(start: annex.start, end: annex.end))
                append(value)
            }
            tokens[token].link = UInt32(truncatingIfNeeded: count)
        }
    }
    private mutating func append(_ kind: TapeToken.Kind, _ text: String, isPlain: Bool? = nil) {
        var text = text
        let start = annex.count
        text.withUTF8 { bytes in
            guard let base = bytes.baseAddress else { return }
            annex.reserve(bytes.count)
            annex.append(base, bytes.count)
        }
        append(
            kind, start: start, length: annex.count - start, isPlain: isPlain ?? annex.isASCII(from: start),
            isInAnnex: true)
    }

    @inline(__always)
    mutating func append(
        _ kind: TapeToken.Kind, start: Int, length: Int, isPlain: Bool = true, isInAnnex: Bool = false
    ) {
        if count == capacity { Self.grow(&tokens, &capacity) }
        // The capacity was ensured above; offsets fit because texts of 2 GiB are rejected.
        tokens[count] = TapeToken(
            start: UInt32(truncatingIfNeeded: start), length: UInt32(truncatingIfNeeded: length),
            link: UInt32(truncatingIfNeeded: count + 1), kind: kind, isPlain: isPlain, isInAnnex: isInAnnex)
        count += 1
    }

    @inline(never)
    mutating func growOpen() { Self.grow(&open, &openCapacity) }

    @inline(never)
    private static func grow<Element>(_ memory: inout UnsafeMutablePointer<Element>, _ capacity: inout Int) {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: memory, count: capacity)
        memory.deallocate()
        memory = larger
        capacity *= 2
    }
}

/// One value or key of a text, in sixteen bytes without references.
///
/// Tokens are in text order. The contents of a container follow it, and the value of a key follows the key. Other
/// modules read only stored fields, which need no call.
package struct TapeToken: BitwiseCopyable, Sendable {
    /// The kinds of values, with `true` and `false` as separate ones.
    package enum Kind: BitwiseCopyable, Sendable, CaseIterable {
        case null, no, yes, number, string, array, object
    }

    /// The start of the value's bytes: after the quote of a string, at the bracket of a container.
    package var start: UInt32
    /// The number of bytes of a decoded string or a number; the number of elements or members of a container.
    package var length: UInt32
    /// The token after the value; for a key, its hash.
    package var link: UInt32
    package var kind: Kind
    /// Whether a string is ASCII, or a number has neither fraction nor exponent.
    package var isPlain: Bool
    /// Whether a string had escapes, so that its bytes are in the annex.
    package var isInAnnex: Bool
}

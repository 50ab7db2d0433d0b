/// A text taken apart into tokens, in memory that is kept for the next text.
///
/// This is the quick way to look at many texts: once the tape has grown to the largest text no memory is asked for.
public struct JSONTape: ~Copyable {
    let limits: JSONLimits
    /// Where tokens go; only the first `count` of `capacity` are set.
    private(set) var tokens: UnsafeMutablePointer<TapeToken>
    private var capacity: Int
    private(set) var count = 0
    /// One entry for each container that is open; there is room for `openCapacity`.
    private(set) var open: UnsafeMutablePointer<OpenContainer>
    private(set) var openCapacity: Int
    let maxDepth: Int
    /// What cannot stand in the text: strings without their escapes.
    var annex = TapeBytes()
    /// Whether the text has duplicate keys or lone surrogates.
    var isFlawed = false
    /// Lone surrogates in the order of the text: the token they stand in, and their offset.
    var loneSurrogates: [(token: Int, offset: Int)] = []

    /// A container that is still open, and which names it has had.
    struct OpenContainer {
        var token: Int
        var members: UInt32
        var isObject: Bool
        /// One bit for each hash of a name, so that most names are known to be new without a search.
        var names: UInt64
    }

    /// An empty tape for texts within these limits.
    public init(limits: JSONLimits = .standard) {
        self.limits = limits
        maxDepth = max(0, limits.depth)
        // Most texts are messages: a tape for one of them costs little.
        capacity = 64
        tokens = .allocate(capacity: capacity)
        openCapacity = 8
        open = .allocate(capacity: openCapacity)
    }

    deinit {
        tokens.deallocate()
        open.deallocate()
    }

    /// Reads a text in place of the one before, and tells whether it is sound, that is JSON without flaws.
    public mutating func isSound(_ text: [UInt8]) -> Bool {
        text.withUnsafeBufferPointer { withTokens(of: $0) { $0 != nil } }
    }

    /// Reads a text and hands its tokens to `body`, or nil when it is not sound.
    ///
    /// The view points into the tape and the text: it must not outlive the call.
    package mutating func withTokens<Result>(
        of text: UnsafeBufferPointer<UInt8>, _ body: (TapeView?) throws -> Result
    ) rethrows -> Result {
        let view = try? read(text)
        return try body(isFlawed ? nil : view)
    }

    /// Takes a value apart and hands its tokens to `body`; the view must not outlive the call.
    package mutating func withTokens<Result>(
        of value: JSONValue, _ body: (TapeView) throws -> Result
    ) rethrows -> Result {
        clear()
        append(value)
        return try body(view(JSONText(start: annex.start, end: annex.end)))
    }

    /// Reads a text in place of the one before.
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

    /// The tokens that have been set so far, of a text that is sound or not.
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

    /// Appends the tokens of a value; its strings and numbers stand in the annex, which is their text.
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
        if count == capacity { grow() }
        // The capacity has just been established; offsets fit because texts of 2 GiB are refused.
        tokens[count] = TapeToken(
            start: UInt32(truncatingIfNeeded: start), length: UInt32(truncatingIfNeeded: length),
            link: UInt32(truncatingIfNeeded: count + 1), kind: kind, isPlain: isPlain, isInAnnex: isInAnnex)
        count += 1
    }

    /// Makes room for one more open container.
    @inline(never)
    mutating func growOpen() {
        let larger = UnsafeMutablePointer<OpenContainer>.allocate(capacity: openCapacity * 2)
        larger.moveInitialize(from: open, count: openCapacity)
        open.deallocate()
        open = larger
        openCapacity *= 2
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<TapeToken>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: tokens, count: count)
        tokens.deallocate()
        tokens = larger
        capacity *= 2
    }
}

/// One value or one key of a text, in sixteen bytes without references.
///
/// Tokens stand in the order of the text. A container is followed by what it holds, a key by its value. Other modules read the stored
/// fields only: those cost no call.
package struct TapeToken: BitwiseCopyable, Sendable {
    /// The kinds of values; `true` and `false` are told apart.
    package enum Kind: BitwiseCopyable, Sendable, CaseIterable {
        case null, no, yes, number, string, array, object
    }

    /// Where the bytes of the value start: behind the quote of a string, at the bracket of a container.
    package var start: UInt32
    /// The bytes of a string without its escapes, or of a number; the elements or members of a container.
    package var length: UInt32
    /// The token behind the value; for a key, its hash.
    package var link: UInt32
    package var kind: Kind
    /// A string of ASCII; a number without fraction and exponent.
    package var isPlain: Bool
    /// A string that had escapes: its bytes stand in the annex.
    package var isInAnnex: Bool
}

/// A text taken apart into tokens, in memory that is kept for the next text.
///
/// This is the quick way to look at many texts: nothing is copied out of them, and once the tape has grown to the largest text no memory
/// is asked for. It answers only whether a text is sound, that is JSON without flaws, exactly as ``JSONParser/value(bytes:limits:)``
/// would; that parser says what is wrong with the others.
public struct JSONTape: ~Copyable {
    private let limits: JSONLimits
    /// Where tokens go; only the first `count` of `capacity` are set.
    private(set) var tokens: UnsafeMutablePointer<TapeToken>
    private var capacity: Int
    var count = 0
    /// One entry for each container that is open; as many as may be.
    let open: UnsafeMutablePointer<OpenContainer>
    let maxDepth: Int
    /// Keys that had escapes, without them.
    var annex: [UInt8] = []

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
        capacity = 256
        tokens = .allocate(capacity: capacity)
        open = .allocate(capacity: maxDepth + 1)
    }

    deinit {
        tokens.deallocate()
        open.deallocate()
    }

    /// Reads a text in place of the one before, and tells whether it is sound.
    public mutating func isSound(_ text: [UInt8]) -> Bool {
        text.withUnsafeBufferPointer { withTokens(of: $0) { $0 != nil } }
    }

    /// Reads a text and hands its tokens to `body`, or nil when it is not sound.
    ///
    /// The view points into the tape and the text: it must not outlive the call.
    package mutating func withTokens<Result>(
        of text: UnsafeBufferPointer<UInt8>, _ body: (TapeView?) throws -> Result
    ) rethrows -> Result {
        guard let base = text.baseAddress, text.count <= limits.maxBytes, text.count < Int(Int32.max) else {
            return try body(nil)
        }
        count = 0
        annex.removeAll(keepingCapacity: true)
        guard parse(base, base + text.count) else { return try body(nil) }
        let tokens = UnsafePointer(tokens)
        return try annex.withUnsafeBufferPointer { annex in
            try body(TapeView(tokens: tokens, text: base, textEnd: base + text.count, annex: annex))
        }
    }

    /// Appends a token.
    @inline(__always)
    mutating func append(
        _ kind: TapeToken.Kind, start: Int, length: Int, isPlain: Bool = true, _ isEscaped: Bool = false
    ) {
        if count == capacity { grow() }
        // The capacity has just been established; offsets fit because texts of 2 GiB are refused.
        tokens[count] = TapeToken(
            start: UInt32(truncatingIfNeeded: start), length: UInt32(truncatingIfNeeded: length),
            link: UInt32(truncatingIfNeeded: count + 1), kind: kind, isPlain: isPlain, isEscaped: isEscaped)
        count += 1
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

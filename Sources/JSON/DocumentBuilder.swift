/// Builds a value from bytes with a stack of its own, so that depth costs memory we count and never the thread's stack.
struct DocumentBuilder {
    private var reader: ByteReader
    private let depth: Int
    private let maxFlaws: Int
    private var stack: [Container] = []
    private(set) var flaws: [JSONFlaw] = []
    /// Flaws come in the order of the text: each place is found from the one before.
    private var lastFlaw = JSONLocation.start

    /// An array or object that is still open.
    private struct Container {
        let isObject: Bool
        var values: [JSONValue] = []
        var object = JSONObject()
        var key = ""
    }

    init(_ bytes: [UInt8], depth: Int, maxFlaws: Int) {
        reader = ByteReader(bytes)
        self.depth = depth
        self.maxFlaws = maxFlaws
    }

    mutating func build() throws(JSONProblem) -> JSONValue {
        if reader.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw reader.problem(.byteOrderMark, at: 0) }
        reader.skipSpace()
        if reader.current == nil { throw reader.problem(.empty, at: 0) }
        while true {
            guard var value = try openOrRead() else { continue }
            // A value is whole: hand it to its container, and close containers as long as they end here.
            while true {
                guard !stack.isEmpty else {
                    reader.skipSpace()
                    if reader.current != nil { throw trailing() }
                    return value
                }
                keep(value)
                guard let closed = try closeOrContinue() else { break }
                value = closed
            }
        }
    }

    /// Reads a scalar or an empty container; nil when a container was opened and its first value comes next.
    private mutating func openOrRead() throws(JSONProblem) -> JSONValue? {
        reader.skipSpace()
        switch reader.current {
        case UInt8(ascii: "{"):
            try open(isObject: true)
            reader.skipSpace()
            if reader.take(UInt8(ascii: "}")) { return close() }
            try readKey(expected: "a key in quotes or '}'")
            return nil
        case UInt8(ascii: "["):
            try open(isObject: false)
            reader.skipSpace()
            if reader.take(UInt8(ascii: "]")) { return close() }
            return nil
        case UInt8(ascii: "\""):
            let token = try reader.string()
            note(token.loneSurrogates)
            return .string(token.text)
        case .some(let byte) where byte == UInt8(ascii: "-") || NumberGrammar.isDigit(byte):
            return .number(try reader.number())
        case UInt8(ascii: "t"):
            try reader.word("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try reader.word("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try reader.word("null")
            return .null
        default:
            let isFirst = stack.last.map { !$0.isObject && $0.values.isEmpty } ?? false
            throw reader.unexpected(isFirst ? "a value or ']'" : "a value")
        }
    }

    private mutating func open(isObject: Bool) throws(JSONProblem) {
        guard stack.count < depth else { throw reader.problem(.tooDeep(limit: depth), at: reader.position) }
        stack.append(Container(isObject: isObject))
        reader.position += 1
    }

    private mutating func close() -> JSONValue {
        guard let container = stack.popLast() else { return .null }
        return container.isObject ? .object(container.object) : .array(container.values)
    }

    private mutating func readKey(expected: String) throws(JSONProblem) {
        reader.skipSpace()
        guard reader.current == UInt8(ascii: "\"") else { throw reader.unexpected(expected) }
        let start = reader.position
        let token = try reader.string()
        // The member does not exist yet: flaws of its name belong to the object.
        stack[stack.count - 1].key = ""
        note(token.loneSurrogates, isKey: true)
        stack[stack.count - 1].key = token.text
        if stack[stack.count - 1].object.contains(token.text) {
            note(.duplicateKey(token.text), at: start, isKey: false)
        }
        reader.skipSpace()
        guard reader.take(UInt8(ascii: ":")) else { throw reader.unexpected("':'") }
    }

    private mutating func keep(_ value: JSONValue) {
        let top = stack.count - 1
        if stack[top].isObject {
            stack[top].object.set(value, for: stack[top].key)
        } else {
            stack[top].values.append(value)
        }
    }

    /// After a value: the closed container, or nil when another value comes next.
    private mutating func closeOrContinue() throws(JSONProblem) -> JSONValue? {
        reader.skipSpace()
        let isObject = stack[stack.count - 1].isObject
        if reader.take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) { return close() }
        guard reader.take(UInt8(ascii: ",")) else {
            throw reader.unexpected(isObject ? "',' or '}'" : "',' or ']'")
        }
        if isObject { try readKey(expected: "a key in quotes") }
        return nil
    }

    private func trailing() -> JSONProblem {
        if UTF8Check.length(in: reader.bytes, at: reader.position) == 0 { return reader.unexpected("") }
        return reader.problem(.trailing(found: reader.found), at: reader.position)
    }

    private mutating func note(_ loneSurrogates: [Int], isKey: Bool = false) {
        for offset in loneSurrogates {
            note(.loneSurrogate, at: offset, isKey: isKey)
        }
    }

    private mutating func note(_ kind: JSONFlaw.Kind, at offset: Int, isKey: Bool) {
        guard flaws.count < maxFlaws else { return }
        // A duplicate key is found behind the surrogates in it.
        let base = offset < lastFlaw.byteOffset ? JSONLocation.start : lastFlaw
        lastFlaw = base.advanced(to: offset, in: reader.bytes)
        var tokens = stack.map { $0.isObject ? $0.key : String($0.values.count) }
        if isKey { tokens.removeLast() }
        flaws.append(JSONFlaw(kind: kind, location: lastFlaw, pointer: JSONPointer(tokens: tokens)))
    }
}

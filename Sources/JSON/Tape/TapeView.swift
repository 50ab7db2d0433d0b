/// The tokens of one text or value, valid as long as text and tape do not move.
package struct TapeView {
    package let tokens: UnsafePointer<TapeToken>
    let count: Int
    package let text: UnsafePointer<UInt8>
    package let textEnd: UnsafePointer<UInt8>
    package let annex: UnsafePointer<UInt8>
    package let annexEnd: UnsafePointer<UInt8>
    /// Whether an object may contain a name twice.
    let isFlawed: Bool

    /// The bytes of a number as in the text; of a string, decoded.
    func bytes(_ token: TapeToken) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: (token.isInAnnex ? annex : text) + Int(token.start), count: Int(token.length))
    }

    /// The elements of an array or the keys of an object, even if it is incomplete.
    func parts(of index: Int) -> TapeParts {
        let token = tokens[index]
        return TapeParts(
            tokens: tokens, position: index + 1, end: min(Int(token.link), count), step: token.kind == .object ? 1 : 0)
    }

    func isNamed(_ name: String, _ key: Int) -> Bool {
        guard Int(tokens[key].length) == name.utf8.count else { return false }
        let bytes = bytes(tokens[key])
        return name.utf8.withContiguousStorageIfAvailable {
            haveSameBytes(UnsafeRawBufferPointer($0), UnsafeRawBufferPointer(bytes))
        } ?? name.utf8.elementsEqual(bytes)
    }

    package func member(_ name: String) -> Int? {
        guard tokens[0].kind == .object else { return nil }
        return parts(of: 0).first { isNamed(name, $0) }.map { $0 + 1 }
    }

    /// Whether any integer is written with a point or an exponent, such as `1.0`.
    package var hasFractionToken: Bool {
        (0..<count).contains { index in
            let token = tokens[index]
            return token.kind == .number && !token.isPlain && number(token).isInteger
        }
    }

    /// The number of members of the outermost object; nil for other types.
    package var memberCount: Int? { tokens[0].kind == .object ? Int(tokens[0].length) : nil }

    /// A member of the outermost object if it is a string.
    package func text(of name: String) -> String? {
        guard let value = member(name), tokens[value].kind == .string else { return nil }
        return string(tokens[value])
    }

    package func isText(of name: String, _ text: String) -> Bool {
        member(name).map { tokens[$0].kind == .string && isNamed(text, $0) } ?? false
    }

    /// A member of the outermost object if it is an integer that fits.
    package func int(of name: String) -> Int? {
        guard let value = member(name), tokens[value].kind == .number else { return nil }
        return number(tokens[value]).int
    }

    package func string(_ token: TapeToken) -> String { String(decoding: bytes(token), as: UTF8.self) }

    package func number(_ token: TapeToken) -> JSONNumber { JSONNumber(checked: string(token)) }

    private struct Container {
        let isObject: Bool
        var left: UInt32
        var values: [JSONValue] = []
        var object = JSONObject()
        var key = ""

        init(isObject: Bool, parts: UInt32) {
            self.isObject = isObject
            left = parts
            if isObject { object = JSONObject(capacity: Int(parts)) } else { values.reserveCapacity(Int(parts)) }
        }
    }

    private func scalar(_ token: TapeToken) -> JSONValue {
        switch token.kind {
        case .null: .null
        case .no: .bool(false)
        case .yes: .bool(true)
        case .number: .number(number(token))
        case .string: .string(string(token))
        case .array: .array([])
        case .object: .object(JSONObject())
        }
    }

    /// The array or object at a token if it contains no containers, as most do.
    private func flat(_ token: TapeToken, at index: Int) -> JSONValue? {
        let isObject = token.kind == .object
        let (parts, first) = (Int(token.length), index + 1)
        guard !isFlawed, Int(token.link) - first == (isObject ? 2 * parts : parts) else { return nil }
        if isObject {
            var object = JSONObject(capacity: parts)
            for key in stride(from: first, to: first + 2 * parts, by: 2) {
                object.append(scalar(tokens[key + 1]), for: string(tokens[key]))
            }
            return .object(object)
        }
        return .array((first..<first + parts).map { scalar(tokens[$0]) })
    }

    /// The value at a token with all its contents, built without recursion.
    package func value(at index: Int = 0) -> JSONValue {
        var stack: [Container] = []
        var next = index
        while true {
            if let top = stack.indices.last, stack[top].isObject {
                stack[top].key = string(tokens[next])
                next += 1
            }
            let token = tokens[next]
            next += 1
            var value: JSONValue
            if token.kind == .array || token.kind == .object {
                if let whole = flat(token, at: next - 1) {
                    value = whole
                    next = Int(token.link)
                } else if token.length > 0 {
                    stack.append(Container(isObject: token.kind == .object, parts: token.length))
                    continue
                } else {
                    value = scalar(token)
                }
            } else {
                value = scalar(token)
            }
            // A value is complete: add it to its container, and close all containers that end here.
            while true {
                guard let top = stack.indices.last else { return value }
                stack[top].left -= 1
                if stack[top].isObject {
                    if isFlawed {
                        stack[top].object.set(value, for: stack[top].key)
                    } else {
                        stack[top].object.append(value, for: stack[top].key)
                    }
                } else {
                    stack[top].values.append(value)
                }
                guard stack[top].left == 0, let whole = stack.popLast() else { break }
                value = whole.isObject ? .object(whole.object) : .array(whole.values)
            }
        }
    }
}

/// The positions of the elements of an array, or of the keys of an object.
struct TapeParts: Sequence, IteratorProtocol {
    let tokens: UnsafePointer<TapeToken>
    var position: Int
    let end: Int
    /// The distance from a part to the token that links to the next one.
    let step: Int

    mutating func next() -> Int? {
        guard position + step < end else { return nil }
        defer { position = Int(tokens[position + step].link) }
        return position
    }
}

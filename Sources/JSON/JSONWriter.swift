struct JSONWriter {
    private let isPretty: Bool
    private let sortsKeys: Bool
    /// Writing stops soon after this many bytes.
    private let budget: Int
    private var bytes: [UInt8] = []

    init(isPretty: Bool, sortsKeys: Bool, budget: Int = .max) {
        (self.isPretty, self.sortsKeys, self.budget) = (isPretty, sortsKeys, budget)
    }

    static func text(_ value: JSONValue, isPretty: Bool, sortsKeys: Bool) -> String {
        var writer = JSONWriter(isPretty: isPretty, sortsKeys: sortsKeys)
        writer.write(value, depth: 0)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// At most `limit` scalars of the compact text, and whether that is all.
    static func text(_ value: JSONValue, limit: Int) -> (text: String, isWhole: Bool) {
        var writer = JSONWriter(isPretty: false, sortsKeys: false, budget: limit * 4 + 4)
        writer.write(value, depth: 0)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        guard text.unicodeScalars.count > limit else { return (text, true) }
        return (String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit))), false)
    }

    /// The escape of a character that must not be literal in a string.
    static func appendEscape(of byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        default:
            bytes.append(contentsOf: "u00".utf8)
            for digit in [byte >> 4, byte & 0xF] {
                bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
    }

    private mutating func write(_ value: JSONValue, depth: Int) {
        guard bytes.count <= budget else { return }
        switch value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let number): bytes.append(contentsOf: number.text.utf8)
        case .string(let string): write(string)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (position, value) in values.enumerated() where bytes.count <= budget {
                separate(position, depth: depth + 1)
                write(value, depth: depth + 1)
            }
            close(UInt8(ascii: "]"), isEmpty: values.isEmpty, depth: depth)
        case .object(let object): write(object, depth: depth)
        }
    }

    private mutating func write(_ object: JSONObject, depth: Int) {
        bytes.append(UInt8(ascii: "{"))
        if sortsKeys {
            writeMembers(object.sorted { ExactString($0.key) < ExactString($1.key) }, depth: depth + 1)
        } else {
            writeMembers(object, depth: depth + 1)
        }
        close(UInt8(ascii: "}"), isEmpty: object.isEmpty, depth: depth)
    }

    private mutating func writeMembers(_ members: some Sequence<JSONObject.Element>, depth: Int) {
        for (position, member) in members.enumerated() where bytes.count <= budget {
            separate(position, depth: depth)
            write(member.key)
            bytes.append(UInt8(ascii: ":"))
            if isPretty { bytes.append(UInt8(ascii: " ")) }
            write(member.value, depth: depth)
        }
    }

    private mutating func write(_ string: String) { Self.append(string, to: &bytes, budget: budget) }

    /// A string in quotes; stops soon after the budget is spent.
    static func append(_ string: String, to bytes: inout [UInt8], budget: Int = .max) {
        bytes.append(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { text in
            // A plain loop, so that strings of a megabyte are fast even without optimization.
            var start = text.startIndex
            while start < text.endIndex, bytes.count <= budget {
                let last = start + min(text.endIndex - start, budget - bytes.count + 1)
                let end = plainEnd(text, start, last)
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<end]))
                start = end
                guard end < last else { continue }
                appendEscape(of: text[end], to: &bytes)
                start += 1
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// The position of the first byte that needs an escape, from a start; examines eight bytes at a time.
    private static func plainEnd(_ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ last: Int) -> Int {
        let bytes = UnsafeRawBufferPointer(text)
        let (ones, highs) = (0x0101_0101_0101_0101 as UInt64, 0x8080_8080_8080_8080 as UInt64)
        var end = start
        /// Whether any of the eight bytes at the offset needs an escape: nonzero if so.
        func marked(_ offset: Int) -> UInt64 {
            let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            let controls = (word &- ones &* 0x20) & ~word
            return (controls | (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes) & highs
        }
        while end &+ 32 <= last, marked(end) | marked(end &+ 8) | marked(end &+ 16) | marked(end &+ 24) == 0 {
            end &+= 32
        }
        while end &+ 8 <= last, marked(end) == 0 { end &+= 8 }
        while end < last, !needsEscape(text[end]) { end += 1 }
        return end
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func separate(_ position: Int, depth: Int) {
        if position > 0 { bytes.append(UInt8(ascii: ",")) }
        breakLine(depth: depth)
    }

    private mutating func close(_ bracket: UInt8, isEmpty: Bool, depth: Int) {
        if !isEmpty { breakLine(depth: depth) }
        bytes.append(bracket)
    }

    private mutating func breakLine(depth: Int) {
        guard isPretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
    }
}

extension JSONValue {
    /// The JSON text of this value.
    ///
    /// Numbers keep their notation. Strings escape only what RFC 8259 requires: the quote, the backslash and control
    /// characters.
    /// - Parameters:
    ///   - pretty: One member or element per line, indented by two spaces.
    ///   - sortedKeys: Orders members by the code points of their keys.
    /// - Returns: The text, without a final line feed.
    public func text(pretty: Bool = false, sortedKeys: Bool = false) -> String {
        JSONWriter.text(self, isPretty: pretty, sortsKeys: sortedKeys)
    }

    /// At most `limit` scalars of the compact text, and whether that is all; the limit bounds the work.
    package func text(limit: Int) -> (text: String, isWhole: Bool) { JSONWriter.text(self, limit: limit) }
}

extension String {
    package func appendJSON(to bytes: inout [UInt8]) { JSONWriter.append(self, to: &bytes) }
}

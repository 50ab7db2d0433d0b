/// Dates and times of RFC 3339.
enum DateFormats {
    static func isDate(_ string: String) -> Bool {
        var reader = TextReader(string)
        return reader.date() && reader.isAtEnd
    }

    static func isTime(_ string: String) -> Bool {
        var reader = TextReader(string)
        return reader.time() && reader.isAtEnd
    }

    static func isDateTime(_ string: String) -> Bool {
        var reader = TextReader(string)
        return reader.date() && reader.take("Tt") != nil && reader.time() && reader.isAtEnd
    }
}

/// Walks over the bytes of a short text.
struct TextReader {
    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ string: String) {
        bytes = Array(string.utf8)
    }

    var isAtEnd: Bool {
        position == bytes.count
    }

    var current: UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    /// Takes one byte out of a few.
    mutating func take(_ choices: StaticString) -> UInt8? {
        guard let byte = current, choices.withUTF8Buffer({ $0.contains(byte) }) else { return nil }
        position += 1
        return byte
    }

    /// Takes ASCII digits, as many as there are.
    mutating func digits() -> [UInt8] {
        let start = position
        while let byte = current, (0x30...0x39).contains(byte) { position += 1 }
        return Array(bytes[start..<position])
    }

    /// Takes exactly so many ASCII digits.
    mutating func number(_ count: Int) -> Int? {
        guard position + count <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[position..<(position + count)] {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        position += count
        return value
    }

    fileprivate mutating func date() -> Bool {
        guard let year = number(4), take("-") != nil, let month = number(2), take("-") != nil, let day = number(2),
            (1...12).contains(month)
        else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...lengths[month - 1]).contains(day)
    }

    fileprivate mutating func time() -> Bool {
        guard let hour = number(2), take(":") != nil, let minute = number(2), take(":") != nil,
            let second = number(2), hour <= 23, minute <= 59, second <= 60
        else { return false }
        if take(".") != nil, digits().isEmpty { return false }
        guard let offset = offset() else { return false }
        // A leap second comes at the end of a day in UTC, wherever the clock hangs.
        return second < 60 || (hour * 60 + minute - offset + 2880) % 1440 == 1439
    }

    /// The offset from UTC in minutes.
    private mutating func offset() -> Int? {
        guard let sign = take("Zz+-") else { return nil }
        if sign | 0x20 == UInt8(ascii: "z") { return 0 }
        guard let hour = number(2), take(":") != nil, let minute = number(2), hour <= 23, minute <= 59 else {
            return nil
        }
        return (hour * 60 + minute) * (sign == UInt8(ascii: "-") ? -1 : 1)
    }
}

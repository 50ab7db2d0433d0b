/// Dates and times of RFC 3339.
enum DateFormats {
    static func isDate(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var reader = TextReader(bytes)
        return reader.date() && reader.isAtEnd
    }

    static func isTime(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var reader = TextReader(bytes)
        return reader.time() && reader.isAtEnd
    }

    static func isDateTime(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        if isPlainDateTime(bytes) { return true }
        var reader = TextReader(bytes)
        return reader.date() && reader.take("T", "t") && reader.time() && reader.isAtEnd
    }
}

extension DateFormats {
    /// Whether bytes are a date-time of the common kind: in UTC, not in the last days of a month, and no leap second.
    ///
    /// A quick yes; where it says no, the grammar decides.
    private static func isPlainDateTime(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count >= 20, bytes.count <= 30, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            bytes[bytes.count - 1] == UInt8(ascii: "Z")
        else { return false }
        // Two digits as a number, or 100.
        func pair(_ position: Int) -> Int {
            let (tens, ones) = (Int(bytes[position]) - 0x30, Int(bytes[position + 1]) - 0x30)
            return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : 100
        }
        let (month, day) = (pair(5), pair(8))
        guard pair(0) < 100, pair(2) < 100, month >= 1, month <= 12, day >= 1, day <= 28, pair(11) < 24,
            pair(14) < 60, pair(17) < 60
        else { return false }
        guard bytes.count > 20 else { return true }
        guard bytes[19] == UInt8(ascii: "."), bytes.count > 21 else { return false }
        for position in 20..<(bytes.count - 1) where bytes[position] &- 0x30 > 9 { return false }
        return true
    }
}

/// Walks over the bytes of a short text, which has to outlive it.
struct TextReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private(set) var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
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

    /// Takes one byte if it is one of two.
    mutating func take(_ byte: Unicode.Scalar, _ other: Unicode.Scalar) -> Bool {
        guard let current, current == UInt8(ascii: byte) || current == UInt8(ascii: other) else { return false }
        position += 1
        return true
    }

    /// Takes one byte if it is the one given.
    mutating func take(_ byte: Unicode.Scalar) -> Bool {
        take(byte, byte)
    }

    /// Skips ASCII digits; false when there is none.
    private mutating func skipDigits() -> Bool {
        let start = position
        while let byte = current, (0x30...0x39).contains(byte) { position += 1 }
        return position > start
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
        guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2),
            (1...12).contains(month)
        else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let length =
            switch month {
            case 2: isLeap ? 29 : 28
            case 4, 6, 9, 11: 30
            default: 31
            }
        return day >= 1 && day <= length
    }

    fileprivate mutating func time() -> Bool {
        guard let hour = number(2), take(":"), let minute = number(2), take(":"),
            let second = number(2), hour <= 23, minute <= 59, second <= 60
        else { return false }
        if take("."), !skipDigits() { return false }
        guard let offset = offset() else { return false }
        // A leap second comes at the end of a day in UTC, wherever the clock hangs.
        return second < 60 || (hour * 60 + minute - offset + 2880) % 1440 == 1439
    }

    /// The offset from UTC in minutes.
    private mutating func offset() -> Int? {
        guard let sign = take("Zz+-") else { return nil }
        if sign | 0x20 == UInt8(ascii: "z") { return 0 }
        guard let hour = number(2), take(":"), let minute = number(2), hour <= 23, minute <= 59 else {
            return nil
        }
        return (hour * 60 + minute) * (sign == UInt8(ascii: "-") ? -1 : 1)
    }
}

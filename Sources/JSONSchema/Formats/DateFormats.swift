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
        isPlainDateTime(bytes) || isAnyDateTime(bytes)
    }

    @inline(never)
    private static func isAnyDateTime(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var reader = TextReader(bytes)
        return reader.date() && reader.take("T", "t") && reader.time() && reader.isAtEnd
    }
}

extension DateFormats {
    /// Whether bytes are a common date-time: in UTC, not in the last days of February, and not a leap second.
    ///
    /// This is a shortcut for common values; the grammar decides about the others.
    private static func isPlainDateTime(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count >= 20, let base = bytes.baseAddress, bytes[bytes.count - 1] == UInt8(ascii: "Z") else {
            return false
        }
        let raw = UnsafeRawPointer(base)
        // XOR with `0000-00-`, `00T00:00` and `:00`: separators become 0, and digits their values.
        let date = raw.loadUnaligned(as: UInt64.self).littleEndian ^ 0x2D30_302D_3030_3030
        let time = raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self).littleEndian ^ 0x3030_3A30_3054_3030
        let second = raw.loadUnaligned(fromByteOffset: 16, as: UInt32.self).littleEndian ^ 0x0030_303A
        let seconds = UInt64(second & 0x00FF_FFFF)
        let separators = date & 0xFF00_00FF_0000_0000 | time & 0x0000_FF00_00FF_0000 | seconds & 0xFF
        guard separators == 0, areDigits(date), areDigits(time), areDigits(seconds) else { return false }
        let (month, day) = (pair(date, 40), pair(time, 0))
        // The long months are the odd ones up to July and the even ones from August on.
        guard month &- 1 < 12, day &- 1 < (month == 2 ? 28 : 30 + (month ^ month >> 3) & 1), pair(time, 24) < 24,
            pair(time, 48) < 60, pair(seconds, 8) < 60
        else { return false }
        if bytes.count == 20 { return true }
        guard bytes[19] == UInt8(ascii: "."), bytes.count > 21 else { return false }
        for position in 20..<(bytes.count - 1) where bytes[position] &- 0x30 > 9 { return false }
        return true
    }

    /// Whether no byte of a word is above 9.
    @inline(__always)
    private static func areDigits(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        return (word &+ ones &* (0x7F - 9) | word) & (ones &* 0x80) == 0
    }

    /// Two digits at a bit offset, as a number.
    @inline(__always)
    private static func pair(_ word: UInt64, _ bit: UInt64) -> UInt64 {
        (word >> bit & 0xFF) * 10 + word >> (bit + 8) & 0xFF
    }
}

/// Reads the bytes of a short text, which must outlive the reader.
private struct TextReader {
    let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Consumes one byte if it is either of two.
    mutating func take(_ byte: Unicode.Scalar, _ other: Unicode.Scalar) -> Bool {
        guard let current, current == UInt8(ascii: byte) || current == UInt8(ascii: other) else { return false }
        position += 1
        return true
    }

    mutating func take(_ byte: Unicode.Scalar) -> Bool { take(byte, byte) }

    /// Skips ASCII digits; false if there are none.
    private mutating func skipDigits() -> Bool {
        let start = position
        while let byte = current, (0x30...0x39).contains(byte) { position += 1 }
        return position > start
    }

    /// Reads a fixed number of ASCII digits.
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

    mutating func date() -> Bool {
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

    mutating func time() -> Bool {
        guard let hour = number(2), take(":"), let minute = number(2), take(":"),
            let second = number(2), hour <= 23, minute <= 59, second <= 60
        else { return false }
        if take("."), !skipDigits() { return false }
        guard let offset = offset() else { return false }
        // A leap second is the last second of a day in UTC, whatever the offset.
        return second < 60 || (hour * 60 + minute - offset + 2880) % 1440 == 1439
    }

    private mutating func offset() -> Int? {
        if take("Z", "z") { return 0 }
        let isWest = take("-")
        guard isWest || take("+"), let hour = number(2), take(":"), let minute = number(2), hour <= 23, minute <= 59
        else { return nil }
        return (hour * 60 + minute) * (isWest ? -1 : 1)
    }
}

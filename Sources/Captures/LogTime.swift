import HoldfastBasics

/// Finds the time in the text that a logger puts before a message.
enum LogTime {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// The microseconds of the first time of day in a text, or of the seconds since 1970 at its beginning.
    ///
    /// They count since 1970 if a day precedes the time, else since midnight. Nil if there is neither.
    static func microseconds(in text: some StringProtocol) -> Int? {
        let bytes = Array(text.utf8.prefix(400))
        func digits(_ start: Int, _ count: Int) -> Int? {
            guard start >= 0, start + count <= bytes.count else { return nil }
            return bytes[start..<start + count].reduce(Int?.some(0)) { value, byte in
                (0x30...0x39).contains(byte) ? value.map { $0 * 10 + Int(byte - 0x30) } : nil
            }
        }
        let colon = UInt8(ascii: ":")
        guard
            let start = bytes.indices.first(where: { index in
                digits(index, 2) != nil && digits(index - 1, 1) == nil && index + 7 < bytes.count
                    && bytes[index + 2] == colon && bytes[index + 5] == colon && digits(index + 3, 2) != nil
                    && digits(index + 6, 2) != nil && digits(index + 8, 1) == nil
            }), let hour = digits(start, 2), let minute = digits(start + 3, 2), let second = digits(start + 6, 2)
        else { return epoch(bytes) }
        var time = ((hour * 60 + minute) * 60 + second) * 1_000_000
        var index = start + 8
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") || bytes[index] == UInt8(ascii: ",") {
            var unit = 100_000
            index += 1
            while let digit = digits(index, 1) {
                time += digit * unit
                unit /= 10
                index += 1
            }
        }
        let rest = String(decoding: bytes[index...].prefix(7), as: UTF8.self)
        let zone = rest.first == " " ? rest.dropFirst() : rest[...]
        let offset = zone.dropFirst().prefix(5).filter(\.isNumber)
        if zone.first == "+" || zone.first == "-", zone.dropFirst().first?.isNumber == true, offset.count >= 4,
            let hours = Int(offset.prefix(2))
        {
            let minutes = Int(offset.dropFirst(2).prefix(2)) ?? 0
            time -= (hours * 60 + minutes) * 60_000_000 * (zone.first == "-" ? -1 : 1)
        }
        return time + (days(before: start, in: bytes) ?? 0) * 86_400_000_000
    }

    /// The day before a time: `2026-11-27T`, `2026/11/27 `, `11-27 `, `Nov 27 `, `Nov 27, 2026 @ `, `27/Nov/2026:`.
    private static func days(before end: Int, in bytes: [UInt8]) -> Int? {
        var before = bytes[max(0, end - 20)..<end]
        if let mark = before.last, mark | 0x20 == UInt8(ascii: "t") { before.removeLast() }
        let words = String(decoding: before, as: UTF8.self).lowercased().split { !$0.isLetter && !$0.isNumber }
        let last = words.suffix(3).map(String.init)
        func month(_ word: String) -> Int? { months.firstIndex(of: String(word.prefix(3))).map { $0 + 1 } }
        guard last.count >= 2 else { return nil }
        let pair = (last[last.count - 2], last[last.count - 1])
        // If the year is missing, any leap year will do: only differences between times count.
        if last.count == 3, let year = Int(last[0]), year > 1969, let month = Int(last[1]), let day = Int(last[2]),
            (1...12).contains(month)
        {
            return CivilDate.daysSince1970(year, month, day)
        }
        if last.count == 3, let year = Int(last[2]), year > 1969 {
            if let month = month(last[1]), let day = Int(last[0]) { return CivilDate.daysSince1970(year, month, day) }
            if let month = month(last[0]), let day = Int(last[1]) { return CivilDate.daysSince1970(year, month, day) }
        }
        if let month = month(pair.0), let day = Int(pair.1) { return CivilDate.daysSince1970(2000, month, day) }
        if let month = Int(pair.0), let day = Int(pair.1), (1...12).contains(month), (1...31).contains(day) {
            return CivilDate.daysSince1970(2000, month, day)
        }
        return nil
    }

    /// The microseconds since 1970 for the seconds at the beginning of a text, possibly in brackets.
    private static func epoch(_ bytes: [UInt8]) -> Int? {
        let text = String(decoding: bytes.drop { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "(") }, as: UTF8.self)
        let number = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        guard number.prefix(while: { $0 != "." }).count == 10, let seconds = Double(number) else { return nil }
        return Int(seconds * 1e6)
    }
}

/// A day of the calendar, as ISO 8601 writes it: `2026-12-31`.
package struct CivilDate: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The year, from 1.
    package let year: Int
    /// The month, from 1 to 12.
    package let month: Int
    /// The day of the month, from 1.
    package let day: Int

    /// Reads `YYYY-MM-DD`, also at the start of a longer time stamp; nil for a day that does not exist.
    package init?(_ text: String) {
        let isWritten = text.utf8.prefix(10).enumerated().allSatisfy { place, byte in
            place == 4 || place == 7
                ? byte == UInt8(ascii: "-") : (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard isWritten, text.utf8.count == 10 || text.utf8.dropFirst(10).first == UInt8(ascii: "T") else { return nil }
        let parts = text.prefix(10).split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3, case let (year, month, day) = (parts[0], parts[1], parts[2]), year > 0,
            (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day)
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    private init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// So many days later.
    package func advanced(by days: Int) -> CivilDate {
        var (year, month, day) = (year, month, day)
        for _ in 0..<days {
            day += 1
            if day > Self.days(in: month, of: year) { (month, day) = (month + 1, 1) }
            if month > 12 { (year, month) = (year + 1, 1) }
        }
        return CivilDate(year: year, month: month, day: day)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The earlier day first.
    package static func < (left: CivilDate, right: CivilDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    /// As ISO 8601 writes it.
    package var description: String {
        "\(String(10_000 + year).dropFirst())-\(String(100 + month).dropFirst())-\(String(100 + day).dropFirst())"
    }
}

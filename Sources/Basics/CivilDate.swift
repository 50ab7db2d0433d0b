/// A date of the Gregorian calendar, written as in ISO 8601: `2026-12-31`.
package struct CivilDate: Sendable, Hashable, Comparable, CustomStringConvertible {
    private let year: Int
    private let month: Int
    private let day: Int

    /// Reads `YYYY-MM-DD`, even at the start of a longer timestamp; nil for a nonexistent date.
    package init?(_ text: String) {
        let isDate = text.utf8.prefix(10).enumerated().allSatisfy { index, byte in
            index == 4 || index == 7
                ? byte == UInt8(ascii: "-") : (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard isDate, text.utf8.count == 10 || text.utf8.dropFirst(10).first == UInt8(ascii: "T") else { return nil }
        let parts = text.prefix(10).split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3, parts[0] > 0, (1...12).contains(parts[1]) else { return nil }
        self.init(daysSince1970: Self.daysSince1970(parts[0], parts[1], parts[2]))
        // The conversion maps a nonexistent date to another one.
        guard (year, month, day) == (parts[0], parts[1], parts[2]) else { return nil }
    }

    /// The date with this day number; eras of 400 years start on March 1, so that a leap day comes last.
    package init(daysSince1970 days: Int) {
        let (era, dayOfEra) = divided(days + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    }

    /// The day number of a date; `day` may exceed the length of the month.
    package static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let (era, yearOfEra) = divided(month <= 2 ? year - 1 : year, by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    package func advanced(by days: Int) -> CivilDate {
        CivilDate(daysSince1970: Self.daysSince1970(year, month, day) + days)
    }

    package static func < (left: CivilDate, right: CivilDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    package var description: String { "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))" }
}

/// The quotient, rounded down, and the remainder, which is never negative.
func divided(_ value: Int, by divisor: Int) -> (quotient: Int, rest: Int) {
    let rest = (value % divisor + divisor) % divisor
    return ((value - rest) / divisor, rest)
}

func padded(_ value: Int, _ width: Int) -> String {
    let digits = String(value)
    let missing = width - digits.utf8.count
    return missing > 0 ? String(repeating: "0", count: missing) + digits : digits
}

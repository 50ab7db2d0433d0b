/// Writes instants in the form of RFC 3339, in UTC and with microseconds unless asked otherwise, so that text order is time
/// order.
enum Timestamp {
    /// How an instant is written.
    enum Style: Sendable {
        case usual, wholeSeconds, otherZone
    }

    /// The text of a time in microseconds since 1970, in a style.
    static func text(_ micros: Int, _ style: Style) -> String {
        switch style {
        case .usual: text(micros)
        case .wholeSeconds: String(text(micros).prefix(19)) + "Z"
        case .otherZone: String(text(micros + (5 * 60 + 45) * 60_000_000).dropLast()) + "000+05:45"
        }
    }

    /// The text of a time in microseconds since 1970, such as `2026-03-01T09:30:00.000000Z`.
    static func text(_ micros: Int) -> String {
        let seconds = floorDivide(micros, 1_000_000)
        let days = floorDivide(seconds, 86_400)
        let date = civil(days)
        let clock = seconds - days * 86_400
        return padded(date.year, 4) + "-" + padded(date.month, 2) + "-" + padded(date.day, 2)
            + "T" + padded(clock / 3600, 2) + ":" + padded(clock / 60 % 60, 2) + ":" + padded(clock % 60, 2)
            + "." + padded(micros - seconds * 1_000_000, 6) + "Z"
    }

    /// The date of a day counted from 1970-01-01, in the Gregorian calendar; eras of 400 years begin on 1 March.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func floorDivide(_ value: Int, _ divisor: Int) -> Int {
        value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor)
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

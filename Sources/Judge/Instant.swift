/// A point in time as RFC 3339 writes it, exact to the last digit given.
struct Instant: Comparable {
    private let seconds: Int
    /// Digits after the point without trailing zeros; compared as text, they order like fractions.
    private let fraction: String

    /// Reads `2026-03-01T08:30:00.25+01:00`; nil for anything else.
    init?(_ text: String) {
        var rest = text[...]
        func number(_ count: Int) -> Int? {
            let digits = rest.prefix(count)
            guard digits.utf8.count == count,
                digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            else { return nil }
            rest = rest.dropFirst(count)
            return Int(digits)
        }
        func take(_ characters: String) -> Character? {
            guard let first = rest.first, characters.contains(first) else { return nil }
            rest = rest.dropFirst()
            return first
        }
        guard let year = number(4), take("-") != nil, let month = number(2), take("-") != nil, let day = number(2),
            take("Tt") != nil, let hour = number(2), take(":") != nil, let minute = number(2), take(":") != nil,
            let second = number(2), (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        var fraction = ""
        if take(".") != nil {
            while let digit = rest.first, digit.isASCII, digit.isNumber {
                fraction.append(digit)
                rest = rest.dropFirst()
            }
            guard !fraction.isEmpty else { return nil }
            while fraction.last == "0" { fraction.removeLast() }
        }
        var offset = 0
        if take("Zz") == nil {
            guard let sign = take("+-"), let hours = number(2), take(":") != nil, let minutes = number(2) else {
                return nil
            }
            offset = (hours * 60 + minutes) * (sign == "-" ? -60 : 60)
        }
        guard rest.isEmpty else { return nil }
        seconds = Self.days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
        self.fraction = fraction
    }

    /// Days since 1970 in the Gregorian calendar, counted from March so that a leap day comes last.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = year >= 0 ? year / 400 : (year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    static func < (left: Instant, right: Instant) -> Bool {
        left.seconds == right.seconds ? left.fraction < right.fraction : left.seconds < right.seconds
    }
}

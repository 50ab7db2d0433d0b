/// A point in time as in RFC 3339, with every digit of its fraction.
package struct Instant: Comparable, Sendable {
    /// Whole seconds since 1970.
    package let seconds: Int
    /// Digits after the decimal point without trailing zeros; as text, they sort like fractions.
    private let fraction: String

    /// Reads `2026-03-01T08:30:00.25+01:00`; nil for another form or a nonexistent day.
    ///
    /// The offset is not limited. `leniently` accepts common variants: a space instead of the T, a comma instead of the
    /// point, an offset without its colon, and UTC without an offset.
    package init?(_ text: String, leniently: Bool = false) {
        var rest = Array(text.utf8)[...]
        func number(_ count: Int) -> Int? {
            let digits = rest.prefix(count)
            guard digits.count == count, digits.allSatisfy(isDigit) else { return nil }
            rest = rest.dropFirst(count)
            return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
        func take(_ characters: String) -> UInt8? {
            guard let first = rest.first, characters.utf8.contains(first) else { return nil }
            rest = rest.dropFirst()
            return first
        }
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        guard let year = number(4), take("-") != nil, let month = number(2), take("-") != nil, let day = number(2),
            take(leniently ? "Tt " : "Tt") != nil, let hour = number(2), take(":") != nil, let minute = number(2),
            take(":") != nil, let second = number(2), (1...12).contains(month), day > 0, hour < 24, minute < 60,
            second <= 60, case let days = CivilDate.daysSince1970(year, month, day),
            days < CivilDate.daysSince1970(month < 12 ? year : year + 1, month % 12 + 1, 1)
        else { return nil }
        var fraction = rest.prefix(0)
        if take(leniently ? ".," : ".") != nil {
            fraction = rest.prefix(while: isDigit)
            rest = rest.dropFirst(fraction.count)
            guard leniently || !fraction.isEmpty else { return nil }
            while fraction.last == 0x30 { fraction.removeLast() }
        }
        var offset = 0
        if take("Zz") == nil {
            if let sign = take("+-") {
                guard let hours = number(2), take(":") != nil || leniently, let minutes = number(2) else { return nil }
                offset = (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -60 : 60)
            } else if !leniently {
                return nil
            }
        }
        guard rest.isEmpty else { return nil }
        seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset
        self.fraction = String(decoding: fraction, as: UTF8.self)
    }

    package var microseconds: Int { seconds * 1_000_000 + (Int((fraction + "000000").prefix(6)) ?? 0) }

    /// Microseconds since 1970 in UTC, with a number of fractional digits: `2026-03-01T09:30:00.000000Z`.
    ///
    /// Such texts sort by time.
    package static func text(_ microseconds: Int, digits: Int = 6) -> String {
        let (days, rest) = divided(microseconds, by: 86_400_000_000)
        let clock = rest / 1_000_000
        let time = [clock / 3600, clock / 60 % 60, clock % 60].map { padded($0, 2) }.joined(separator: ":")
        let fraction = digits == 0 ? "" : "." + padded(rest % 1_000_000, 6).prefix(digits)
        return "\(CivilDate(daysSince1970: days))T\(time)\(fraction)Z"
    }

    package static func < (left: Instant, right: Instant) -> Bool {
        left.seconds == right.seconds ? left.fraction < right.fraction : left.seconds < right.seconds
    }
}

import JSON

/// Turns the times of a capture, however they are written, into microseconds since its first event.
struct CaptureClock {
    private var first: Int?
    private var last = 0
    /// Whether every event so far had a time, and none ran back.
    private(set) var isSound = true

    init() {}

    /// The time of the next event; without one, or with one that runs back, the clock stands still and is no longer sound.
    mutating func next(_ microseconds: Int?) -> Int {
        guard let microseconds else {
            isSound = false
            return last
        }
        let start = first ?? microseconds
        first = start
        let (since, overflows) = microseconds.subtractingReportingOverflow(start)
        guard !overflows, since >= last else {
            isSound = false
            return last
        }
        last = since
        return last
    }

    /// The microseconds that a value stands for; nil when it is no time.
    ///
    /// A text is RFC 3339. A number from 10^14 on counts microseconds since 1970, from 10^11 milliseconds, from 10^9 seconds;
    /// a smaller one milliseconds since some beginning.
    static func microseconds(_ value: JSONValue) -> Int? {
        if let text = value.stringValue { return microseconds(text) }
        guard let number = value.doubleValue, number >= 0, number < 1e17 else { return nil }
        switch number {
        case 1e14...: return Int(number)
        case 1e11..<1e14: return Int(number * 1e3)
        case 1e9..<1e11: return Int(number * 1e6)
        default: return Int(number * 1e3)
        }
    }

    /// The microseconds since 1970 of a time as RFC 3339 writes it; nil for anything else.
    static func microseconds(_ text: String) -> Int? {
        var rest = Array(text.utf8)[...]
        func number(_ count: Int) -> Int? {
            guard rest.count >= count else { return nil }
            var value = 0
            for byte in rest.prefix(count) {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int(byte - 0x30)
            }
            rest = rest.dropFirst(count)
            return value
        }
        func take(_ characters: String) -> UInt8? {
            guard let byte = rest.first, characters.utf8.contains(byte) else { return nil }
            rest = rest.dropFirst()
            return byte
        }
        guard let year = number(4), take("-") != nil, let month = number(2), take("-") != nil, let day = number(2),
            take("Tt ") != nil, let hour = number(2), take(":") != nil, let minute = number(2), take(":") != nil,
            let second = number(2), (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        var fraction = 0
        if take(".,") != nil {
            var scale = 100_000
            while let byte = rest.first, (0x30...0x39).contains(byte) {
                fraction += Int(byte - 0x30) * scale
                scale /= 10
                rest = rest.dropFirst()
            }
        }
        var offset = 0
        if take("Zz") == nil, let sign = take("+-") {
            guard let hours = number(2) else { return nil }
            _ = take(":")
            guard let minutes = number(2) else { return nil }
            offset = (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -60 : 60)
        }
        guard rest.isEmpty else { return nil }
        let days = daysSince1970(year, month, day)
        return (days * 86_400 + hour * 3_600 + minute * 60 + second - offset) * 1_000_000 + fraction
    }

    /// Days in the Gregorian calendar, counted from March so that a leap day comes last.
    private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

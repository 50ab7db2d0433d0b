import HoldfastBasics
import HoldfastJSON

/// Converts the times of a capture, in any form, into microseconds since its first event.
struct CaptureClock {
    private var first: Int?
    private var last = 0
    /// Whether every event so far had a time, and times never went backwards.
    private(set) var isSound = true

    /// The time of the next event; if it has none, or an earlier one, the clock stands still and is no longer sound.
    mutating func next(_ microseconds: Int?) -> Int {
        guard let microseconds else {
            isSound = false
            return last
        }
        let start = first ?? microseconds
        first = start
        let (since, overflows) = microseconds.subtractingReportingOverflow(start)
        // Such a jump means that the file mixes two time formats.
        guard !overflows, since >= last, since - last < Self.longestPause else {
            isSound = false
            return last
        }
        last = since
        return last
    }

    private static let longestPause = 366 * 86_400_000_000

    /// The microseconds of a value; nil if it is not a time.
    ///
    /// A text is RFC 3339, a logger's variant of it, or a number. A number from 10^17 on counts nanoseconds since 1970,
    /// from 10^14 microseconds, from 10^11 milliseconds, from 10^9 seconds; a smaller one counts milliseconds since an
    /// unknown time.
    static func microseconds(_ value: JSONValue) -> Int? {
        if let text = value.stringValue, Double(text) == nil {
            return Instant(text, leniently: true)?.microseconds ?? LogTime.microseconds(in: text)
        }
        guard let number = value.doubleValue ?? value.stringValue.flatMap(Double.init), number >= 0, number < 1e20
        else { return nil }
        switch number {
        case 1e17...: return Int(number / 1e3)
        case 1e14...: return Int(number)
        case 1e11..<1e14: return Int(number * 1e3)
        case 1e9..<1e11: return Int(number * 1e6)
        default: return Int(number * 1e3)
        }
    }
}

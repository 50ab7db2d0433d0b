import HoldfastBasics
import HoldfastJSON

/// Turns the times of a capture, however they are written, into microseconds since its first event.
struct CaptureClock {
    private var first: Int?
    private var last = 0
    /// Whether every event so far had a time, and none ran back.
    private(set) var isSound = true

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
        if let text = value.stringValue { return Instant(text, leniently: true)?.microseconds }
        guard let number = value.doubleValue, number >= 0, number < 1e17 else { return nil }
        switch number {
        case 1e14...: return Int(number)
        case 1e11..<1e14: return Int(number * 1e3)
        case 1e9..<1e11: return Int(number * 1e6)
        default: return Int(number * 1e3)
        }
    }
}

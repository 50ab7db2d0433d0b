import HoldfastBasics

/// Writes instants in UTC and with microseconds unless asked otherwise.
enum Timestamp {
    /// How an instant is written.
    enum Style: Sendable {
        case usual, wholeSeconds, otherZone
    }

    /// The text of a time in microseconds since 1970, in a style.
    static func text(_ micros: Int, _ style: Style = .usual) -> String {
        switch style {
        case .usual: Instant.text(micros)
        case .wholeSeconds: Instant.text(micros, digits: 0)
        case .otherZone: Instant.text(micros + (5 * 60 + 45) * 60_000_000).dropLast() + "000+05:45"
        }
    }
}

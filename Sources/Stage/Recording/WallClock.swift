import HoldfastBasics
import HoldfastPlatform

/// The time of day, for the first line of a transcript and for answers of the push service; nothing is measured with it.
enum WallClock {
    static func now() -> String { Instant.text(SystemClock.microseconds, digits: 0) }

    /// A moment given in milliseconds since 1970, as servers write it.
    static func text(milliseconds: Int) -> String { Instant.text(milliseconds * 1000, digits: 3) }

    /// Milliseconds since 1970.
    static func milliseconds() -> Int { SystemClock.microseconds / 1000 }
}

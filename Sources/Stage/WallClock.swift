#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The time of day, for the first line of a transcript and for answers of the push service; nothing is measured with it.
enum WallClock {
    static func now() -> String {
        Date.now.formatted(.iso8601)
    }

    /// Milliseconds since 1970.
    static func milliseconds() -> Int {
        Int(Date.now.timeIntervalSince1970 * 1000)
    }
}

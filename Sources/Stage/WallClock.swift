#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The time of day, for the first line of a transcript; nothing is measured with it.
enum WallClock {
    static func now() -> String {
        Date.now.formatted(.iso8601)
    }
}

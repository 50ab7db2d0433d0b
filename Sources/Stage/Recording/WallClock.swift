import HoldfastBasics
import HoldfastPlatform
import HoldfastSmallFoundation

/// The time of day, for transcripts and for answers of the suite's own servers; never used to measure.
enum WallClock {
    static func now() -> String { Instant.text(SystemClock.microseconds, digits: 0) }

    /// In milliseconds since 1970, as servers write it.
    static func text(milliseconds: Int) -> String { Instant.text(milliseconds * 1000, digits: 3) }

    /// Without trailing zeros, as many libraries write it, so that times of one server differ in length.
    static func shortest(milliseconds: Int) -> String {
        let digits = (0...2).first { milliseconds % [1000, 100, 10][$0] == 0 } ?? 3
        return Instant.text(milliseconds * 1000, digits: digits)
    }

    static func milliseconds() -> Int { SystemClock.microseconds / 1000 }
}

enum UniqueName {
    static func uuid() -> String { UUID().uuidString.lowercased() }

    /// Eight random hex digits, for texts that people read.
    static func short() -> String { hexDigits((0..<4).map { _ in UInt8.random(in: .min ... .max) }) }
}

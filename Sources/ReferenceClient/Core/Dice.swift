import Basics

/// Where the client's randomness comes from: keys of messages and waits that differ from phone to phone.
struct Dice: Sendable {
    private var state: UInt64

    /// Seeded by the system, or by a test that wants the same throws again.
    init(seed: UInt64 = .random(in: .min ... .max)) { state = seed }

    /// SplitMix64.
    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Any number of the range.
    mutating func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.upperBound - range.lowerBound + 1))
    }

    /// A key that no other message on earth has.
    mutating func key() -> String {
        let digits = (0..<2).flatMap { _ in hexDigits(withUnsafeBytes(of: next().bigEndian, Array.init)) }.map(
            String.init)
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { digits[$0].joined() }.joined(separator: "-")
    }
}

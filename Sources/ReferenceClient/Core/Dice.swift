import HoldfastBasics

/// Makes message keys, and waits that differ between phones.
package struct Dice: Sendable {
    private var generator: SplitMix64

    /// Seeded by the system, or by a test that needs a reproducible sequence.
    package init(seed: UInt64 = .random(in: .min ... .max)) { generator = SplitMix64(seed: seed) }

    mutating func number(in range: ClosedRange<Int>) -> Int { generator.number(in: range) }

    mutating func key() -> String {
        let bytes = (0..<2).flatMap { _ in withUnsafeBytes(of: generator.next().bigEndian, Array.init) }
        let digits = hexDigits(bytes).map(String.init)
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { digits[$0].joined() }.joined(separator: "-")
    }
}

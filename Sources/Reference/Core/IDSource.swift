import HoldfastBasics

/// Draws ids: 24 letters and digits after a prefix that tells readers what the id names.
struct IDSource: Sendable {
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
    private var seeded: SplitMix64?
    /// Whether ids have the maximum length and use every allowed character.
    var isLong = false

    /// Random ids; a seed makes the sequence reproducible.
    init(seed: UInt64? = nil) { seeded = seed.map { SplitMix64(seed: $0) } }

    mutating func next(_ prefix: String) -> String {
        var letters = ""
        for _ in 0..<2 {
            var bits = draw()
            for _ in 0..<12 {
                letters.append(Self.alphabet[Int(bits & 31)])
                bits >>= 5
            }
        }
        let id = prefix + "_" + letters
        guard isLong else { return id }
        let rest = prefix == "ses" ? "-_AZaz09" : " /é{}\"\\%2F☂"
        return String(("-" + id + String(repeating: rest, count: 16)).unicodeScalars.prefix(128))
    }

    /// The push service's format for request ids.
    mutating func uuid() -> String {
        var rest = (0..<2).map { _ in hexDigits(withUnsafeBytes(of: draw().bigEndian, Array.init)) }.joined()[...]
        return [8, 4, 4, 4, 12].map { length in
            defer { rest = rest.dropFirst(length) }
            return String(rest.prefix(length))
        }.joined(separator: "-")
    }

    mutating func number(upTo bound: Int) -> Int { 1 + Int(draw() % UInt64(max(1, bound))) }

    private mutating func draw() -> UInt64 {
        guard var generator = seeded else {
            var system = SystemRandomNumberGenerator()
            return system.next()
        }
        defer { seeded = generator }
        return generator.next()
    }
}

extension Duration {
    /// Whole milliseconds, rounded toward zero.
    package var milliseconds: Int {
        Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
    }

    /// Whole microseconds, rounded toward zero.
    package var microseconds: Int {
        Int(components.seconds) * 1_000_000 + Int(components.attoseconds / 1_000_000_000_000)
    }
}

/// A human-readable duration: `250 ms`, `1.5 s`.
package func readable(_ duration: Duration) -> String {
    let milliseconds = duration.milliseconds
    return milliseconds < 1000 ? "\(milliseconds) ms" : "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
}

/// A number with thousands separators: `12,345`.
package func readable(_ number: Int) -> String {
    var digits = Array(String(number.magnitude))
    for index in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: index) }
    return (number < 0 ? "-" : "") + String(digits)
}

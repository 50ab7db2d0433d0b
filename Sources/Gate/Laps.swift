import HoldfastBasics

/// How long the parts of a comparison took.
package struct Laps: Sendable {
    private var last = ContinuousClock.now
    private var parts: [String: Duration] = [:]

    /// Starts to count.
    package init() {}

    /// Ends a part; those of one name count together.
    mutating func lap(_ name: String) {
        let now = ContinuousClock.now
        parts[name, default: .zero] += now - last
        last = now
    }

    /// Takes over what was counted elsewhere meanwhile.
    mutating func take(_ other: Laps) {
        parts.merge(other.parts, uniquingKeysWith: +)
        last = .now
    }

    /// The longest first.
    var words: String {
        let shown = parts.filter { $0.value >= .milliseconds(1) }.sorted { $0.value > $1.value }
            .map { "\($0.key) \(readable($0.value))" }
        return "time: " + shown.joined(separator: ", ")
    }
}

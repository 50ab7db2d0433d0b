/// The length of a life, as people write it: `90s`, `3m` or a number of seconds.
package struct LifeTime: Sendable, Equatable, CustomStringConvertible {
    package let seconds: Int

    package static let usual = LifeTime(seconds: 120)

    package init(seconds: Int) { self.seconds = seconds }

    /// A time of at most a day; nil if the text is invalid.
    package init?(_ text: String) {
        let factor = text.hasSuffix("m") ? 60 : text.hasSuffix("h") ? 3600 : 1
        let digits = text.last.map { "smh".contains($0) } ?? false ? text.dropLast() : text[...]
        guard let number = Int(digits), (1...86_400 / factor).contains(number) else { return nil }
        seconds = number * factor
    }

    package var duration: Duration { .seconds(seconds) }

    package var description: String { seconds % 60 == 0 ? "\(seconds / 60)m" : "\(seconds)s" }
}

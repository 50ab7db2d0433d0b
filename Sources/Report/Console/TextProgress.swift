/// The contents of a progress line: progress, problems, time left, and the current scenario.
package struct TextProgress: Sendable, Equatable {
    /// The progress, such as `57/105`.
    package var done: String
    /// The problems so far, such as `2 violations`; nil if there are none.
    package var flaws: String?
    package var left: TimeLeft.Estimate?
    /// The current scenarios; the first part of the line to be cut.
    package var running: [String]

    package init(done: String, flaws: String? = nil, left: TimeLeft.Estimate? = nil, running: [String] = []) {
        (self.done, self.flaws, self.left, self.running) = (done, flaws, left, running)
    }

    /// The line, at most as wide as the style.
    package func line(_ style: ConsoleStyle, width: Int) -> String {
        let dot = style.hasUnicode ? " · " : " - "
        var line = TextWidth.cut(done, to: width, mark: "")
        var used = TextWidth.columns(line)
        func add(_ text: String, painted: String? = nil) {
            let columns = TextWidth.columns(text) + dot.count
            guard used + columns <= width else { return }
            line += dot + (painted ?? text)
            used += columns
        }
        if let flaws { add(flaws, painted: style.red(flaws)) }
        if let left { add(Self.words(left)) }
        if let names = names(in: width - used - dot.count, style) { add(names, painted: style.dim(names)) }
        return line
    }

    /// The names that fit, and the number of others.
    private func names(in room: Int, _ style: ConsoleStyle) -> String? {
        guard let first = running.first else { return nil }
        for count in stride(from: running.count, to: 0, by: -1) {
            let rest = running.count - count
            let text = running.prefix(count).joined(separator: ", ") + (rest > 0 ? " +\(rest)" : "")
            if TextWidth.columns(text) <= room { return text }
        }
        let more = running.count > 1 ? " +\(running.count - 1)" : ""
        let firstRoom = room - more.count
        // A name cut to a few letters is useless.
        return firstRoom < 8 ? nil : TextWidth.cut(first, to: firstRoom, mark: style.hasUnicode ? "…" : "~") + more
    }

    private static func words(_ left: TimeLeft.Estimate) -> String {
        switch left {
        case .about(let duration): "about \(rounded(duration)) left"
        case .moreThan(let duration): "more than \(rounded(duration)) left"
        }
    }

    /// A duration, rounded to the precision of an estimate.
    private static func rounded(_ duration: Duration) -> String {
        let seconds = max(1, Int((duration / .seconds(1)).rounded(.up)))
        if seconds <= 10 { return "\(seconds) s" }
        if seconds <= 55 { return "\((seconds + 4) / 5 * 5) s" }
        return "\((seconds + 59) / 60) min"
    }
}

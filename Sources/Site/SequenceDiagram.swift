import HoldfastBasics

/// A sequence diagram between two peers, drawn from a `mermaid` fence.
struct SequenceDiagram {
    private enum Step {
        case message(from: Int, to: Int, isLost: Bool, String)
        case note(over: [Int], String)
        case part(String)
    }

    private var names: [String] = []
    private var steps: [Step] = []

    /// Nil if there is anything but participants, messages, notes, loops and alternatives; the source is then shown.
    init?(_ text: String) {
        var keys: [String] = []
        let lines = text.split(separator: "\n").map { String($0.drop { $0 == " " }) }
        guard lines.first == "sequenceDiagram" else { return nil }
        for line in lines.dropFirst() {
            if line.hasPrefix("participant "), let word = line.firstRange(of: " as ") {
                keys.append(String(line[line.index(line.startIndex, offsetBy: 12)..<word.lowerBound]))
                names.append(String(line[word.upperBound...]))
            } else if let word = ["loop ", "alt ", "else "].first(where: { line.hasPrefix($0) }) {
                let name = word == "loop " ? "again, \(line.dropFirst(word.count))" : String(line.dropFirst(word.count))
                steps.append(.part(name))
            } else if line == "end" {
                steps.append(.part(""))
            } else if line.hasPrefix("Note over "), let colon = line.firstRange(of: ": ") {
                let over = line[line.index(line.startIndex, offsetBy: 10)..<colon.lowerBound].split(separator: ",")
                let lanes = over.compactMap { keys.firstIndex(of: String($0)) }
                guard lanes.count == over.count, !lanes.isEmpty else { return nil }
                steps.append(.note(over: lanes, String(line[colon.upperBound...])))
            } else {
                let arrows = [("->>", false), ("--x", true)]
                guard let (arrow, isLost) = arrows.first(where: { line.contains($0.0) }),
                    let mark = line.firstRange(of: arrow), let colon = line[mark.upperBound...].firstRange(of: ": "),
                    let from = keys.firstIndex(of: String(line[..<mark.lowerBound])),
                    let to = keys.firstIndex(of: String(line[mark.upperBound..<colon.lowerBound]))
                else { return nil }
                steps.append(.message(from: from, to: to, isLost: isLost, String(line[colon.upperBound...])))
            }
        }
        guard !names.isEmpty, !steps.isEmpty else { return nil }
    }

    var html: String {
        let rowHeight = 36
        let width = 780
        let height = 50 + steps.count * rowHeight
        func middle(_ lane: Int) -> Int { width * (2 * lane + 1) / (2 * names.count) }
        var parts: [String] = []
        for (lane, name) in names.enumerated() {
            parts.append("<text x=\"\(middle(lane))\" y=\"18\" font-weight=\"bold\">\(escapedForMarkup(name))</text>")
            parts.append(
                "<line x1=\"\(middle(lane))\" y1=\"28\" x2=\"\(middle(lane))\" y2=\"\(height - 6)\" stroke-dasharray=\"3 4\"/>"
            )
        }
        for (index, step) in steps.enumerated() {
            let bottom = 50 + index * rowHeight + 20
            switch step {
            case .message(let from, let to, let isLost, let words):
                let direction = to > from ? 1 : -1
                let end = isLost ? (middle(from) + 3 * middle(to)) / 4 : middle(to) - direction * 3
                let head =
                    isLost
                    ? "M\(end - 5) \(bottom - 5)l10 10m0 -10l-10 10"
                    : "M\(end - direction * 8) \(bottom - 5)L\(end) \(bottom)L\(end - direction * 8) \(bottom + 5)"
                parts.append("<line x1=\"\(middle(from))\" y1=\"\(bottom)\" x2=\"\(end)\" y2=\"\(bottom)\"/>")
                parts.append("<path d=\"\(head)\" fill=\"none\"/>")
                let between = (middle(from) + middle(to)) / 2
                parts.append("<text x=\"\(between)\" y=\"\(bottom - 6)\">\(escapedForMarkup(words))</text>")
            case .part(let words):
                parts.append(
                    "<line x1=\"0\" y1=\"\(bottom)\" x2=\"\(width)\" y2=\"\(bottom)\" stroke-dasharray=\"8 4\"/>")
                parts.append(
                    "<text x=\"6\" y=\"\(bottom - 6)\" text-anchor=\"start\" font-style=\"italic\">"
                        + "\(escapedForMarkup(words))</text>")
            case .note(let lanes, let words):
                let center = lanes.map(middle).reduce(0, +) / lanes.count
                let half = min(width / 2, words.count * 33 / 10 + 14)
                let left = max(2, min(center - half, width - 2 * half - 2))
                parts.append(
                    "<rect x=\"\(left)\" y=\"\(bottom - 18)\" width=\"\(2 * half)\" height=\"24\" rx=\"4\"/>")
                parts.append(
                    "<text x=\"\(left + half)\" y=\"\(bottom - 2)\">\(escapedForMarkup(words))</text>")
            }
        }
        return """
            <figure><svg viewBox="0 0 \(width) \(height)" role="img" aria-label="\(escapedForMarkup(words))" \
            font-size="12" font-family="system-ui, sans-serif" text-anchor="middle" fill="currentColor">
            <style>line, path { stroke: currentColor; } rect { fill: var(--card); stroke: var(--line); }</style>
            \(parts.joined(separator: "\n"))
            </svg></figure>
            """
    }

    private var words: String {
        steps.compactMap { step in
            switch step {
            case .message(let from, let to, let isLost, let words):
                "\(names[from]) to \(names[to])\(isLost ? ", lost" : ""): \(words)"
            case .part(let words): words.isEmpty ? nil : words
            case .note(let lanes, let words): "\(lanes.map { names[$0] }.joined(separator: " and ")): \(words)"
            }
        }.joined(separator: ". ")
    }
}

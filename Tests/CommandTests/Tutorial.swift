import Foundation
import HoldfastSite

/// The commands of a tutorial with what it says they print.
///
/// In a fence of `console`, a line that begins with `$ ` is typed, and the lines below it are what is printed then. `…` stands for
/// any text within a line, and for any number of lines where it stands alone. A command that ends with `&` goes on beside the
/// others; the next one is typed once everything promised has been printed.
struct Tutorial {
    struct Step: Equatable {
        let line: Int
        let command: String
        let expected: [String]

        var isBeside: Bool { command.hasSuffix(" &") }
    }

    let steps: [Step]

    init(_ page: MarkdownPage) {
        var steps: [Step] = []
        for (line, block) in page.blocks {
            guard case .code("console", let text) = block else { continue }
            var command: (line: Int, text: String, expected: [String])?
            func taken() -> [Step] {
                command.map { [Step(line: $0.line, command: $0.text, expected: $0.expected)] } ?? []
            }
            for (offset, printed) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                if printed.hasPrefix("$ ") {
                    steps += taken()
                    command = (line + 1 + offset, String(printed.dropFirst(2)), [])
                } else if let last = command, last.expected.isEmpty, last.text.hasSuffix("\\") {
                    command?.text = last.text.dropLast() + String(printed)
                } else {
                    command?.expected.append(String(printed))
                }
            }
            steps += taken()
        }
        self.steps = steps
    }

    /// Why a text is not what was expected; nil when it is.
    static func difference(_ printed: String, from expected: [String]) -> String? {
        var lines = printed.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        while lines.last == "" { lines.removeLast() }
        var expected = expected
        while expected.last == "" { expected.removeLast() }
        var at = 0
        var isFree = false
        for wanted in expected {
            if wanted == "…" {
                isFree = true
                continue
            }
            guard let found = lines[at...].firstIndex(where: { matches($0, wanted) }), isFree || found == at else {
                let here = at < lines.count ? lines[at...].prefix(3).joined(separator: "\n") : "(nothing more)"
                return "expected\n\(wanted)\nafter \(at) lines, where there is\n\(here)"
            }
            at = found + 1
            isFree = false
        }
        return isFree || at == lines.count ? nil : "more was printed than expected:\n\(lines[at])"
    }

    /// Whether a line is the one wanted, where `…` stands for anything.
    private static func matches(_ line: String, _ wanted: String) -> Bool {
        let parts = wanted.split(separator: "…", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return line == wanted }
        guard line.hasPrefix(parts[0]), line.hasSuffix(parts[parts.count - 1]),
            line.count >= parts[0].count + parts[parts.count - 1].count
        else { return false }
        var rest = line.dropFirst(parts[0].count).dropLast(parts[parts.count - 1].count)
        for part in parts.dropFirst().dropLast() {
            guard let found = rest.firstRange(of: part) else { return part.isEmpty }
            rest = rest[found.upperBound...]
        }
        return true
    }
}

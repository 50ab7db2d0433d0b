import ArgumentParser
import HoldfastReport
import HoldfastSmallFoundation

/// The help of a command, with examples that can be pasted into a shell at any width of the terminal.
///
/// The parser would break an example in the middle, and the shell would run its first half.
enum HelpText {
    /// `parsed` is the help text of the parser; its table of arguments is kept.
    static func text(
        for words: [String], below root: any ParsableCommand.Type, parsed: String, style: ConsoleStyle = style
    ) -> String {
        let commands = ParserProblem.commands(of: words.filter { $0 != "help" }, below: root)
        guard let usage = parsed.firstRange(of: "\nUSAGE:"), let command = commands.last?.configuration else {
            return parsed
        }
        let overview = style.wrapped("OVERVIEW: " + command.abstract, indent: 0)
        let lines = Tool.addressed(command.discussion)
            .split(separator: "\n", omittingEmptySubsequences: false).map { wrapped(String($0), style) }
        return ([overview, ""] + lines).joined(separator: "\n") + "\n"
            + Tool.addressed(String(parsed[usage.lowerBound...]))
    }

    /// The style of help: as wide as the parser's lines; in a pipe, as wide as COLUMNS says.
    private static var style: ConsoleStyle {
        var style = Console.style
        let columns = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) }
        if !Console.isTerminal, let columns { style = ConsoleStyle(width: columns, hasUnicode: style.hasUnicode) }
        return style
    }

    /// A line of a discussion: prose in the width of the terminal, a row aligned to its second column, an example
    /// broken as a shell allows it.
    private static func wrapped(_ line: String, _ style: ConsoleStyle) -> String {
        let indent = line.prefix { $0 == " " }.count
        let text = line.dropFirst(indent)
        if indent > 0, text.contains("\(Tool.command) ") { return example(text, indent: indent, style) }
        let column = text.firstRange(of: "  ").map { gap in
            text.distance(from: text.startIndex, to: text[gap.lowerBound...].firstIndex { $0 != " " } ?? text.endIndex)
        }
        return style.wrapped(String(text), indent: indent, hanging: column ?? 0, keepingSpaces: column ?? 0)
    }

    /// A command on as many lines as it needs, each but the last ending with `\` after a whole word.
    private static func example(_ text: Substring, indent: Int, _ style: ConsoleStyle) -> String {
        let start = String(repeating: " ", count: indent)
        if indent + text.count <= style.width { return start + text }
        // A comment that does not fit beside its command goes above it.
        let gap = text.firstRange(of: "  ")
        let comment = gap.map { style.wrapped("# " + text[$0.upperBound...], indent: indent, hanging: 2) }
        var lines = [start]
        for word in words(of: gap.map { text[..<$0.lowerBound] } ?? text) {
            let line = lines[lines.count - 1]
            let isBlank = line.allSatisfy { $0 == " " }
            // Room for a space and the continuation sign.
            if !isBlank, line.count + 1 + word.count + 2 > style.width {
                lines[lines.count - 1] += " \\"
                lines.append(String(repeating: " ", count: indent + 2) + word)
            } else {
                lines[lines.count - 1] += (isBlank ? "" : " ") + word
            }
        }
        return ([comment].compactMap(\.self) + lines).joined(separator: "\n")
    }

    /// The words of a command as they are typed, quotes included.
    private static func words(of command: Substring) -> [String] {
        var words = [""]
        var quote: Character?
        for character in command {
            if character == quote { quote = nil } else if quote == nil, "'\"".contains(character) { quote = character }
            if character == " ", quote == nil { words.append("") } else { words[words.count - 1].append(character) }
        }
        return words.filter { !$0.isEmpty }
    }
}

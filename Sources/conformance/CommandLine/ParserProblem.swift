import ArgumentParser
import Holdfast
import HoldfastReport

/// A problem that the parser found, in the three lines of every error.
enum ParserProblem {
    /// The problem that an error of the parser tells; nil for every other error, and for a wish for help.
    static func problem(of error: any Error, in words: [String], below root: any ParsableCommand.Type) -> InputProblem?
    {
        guard !(error is ExitCode), !(error is InputProblem), !(error is InputProblems),
            root.exitCode(for: error) == ExitCode(.usage)
        else { return nil }
        let message = root.message(for: error)
        let parts = message.split(separator: "Did you mean ", maxSplits: 1).map(String.init)
        let command = path(of: words, below: root).joined(separator: " ")
        var what = String((parts.first ?? message).reversed().drop { ". \n".contains($0) }.reversed())
        if let first = what.first, !what.dropFirst().prefix(1).allSatisfy(\.isUppercase) {
            what = first.lowercased() + what.dropFirst()
        }
        return InputProblem(
            command, what.replacing("\n", with: " "), expected: "what '\(command) --help' shows",
            fix: parts.count > 1 ? "did you mean \(parts[1])" : fix(for: words) ?? "run '\(command) --help'")
    }

    /// A value that begins like an option is taken for one.
    private static func fix(for words: [String]) -> String? {
        zip(words, words.dropFirst()).first { option, value in
            option.hasPrefix("--") && !option.contains("=") && value.hasPrefix("-")
                && value.dropFirst().first?.isNumber == true
        }.map { "write \($0)=\($1) where a value begins with '-'" }
    }

    private static func path(of words: [String], below root: any ParsableCommand.Type) -> [String] {
        let commands = commands(of: words, below: root)
        let last = commands.last?.configuration.defaultSubcommand
        return (commands + [last].compactMap(\.self)).compactMap { $0.configuration.commandName }
    }

    /// The commands that the words begin with, from the root.
    static func commands(of words: [String], below root: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        var commands = [root]
        for word in words {
            let below = commands[commands.count - 1].configuration.subcommands
            guard let next = below.first(where: { $0.configuration.commandName == word }) else { break }
            commands.append(next)
        }
        return commands
    }
}

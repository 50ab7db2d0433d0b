import ArgumentParser
import Holdfast
import HoldfastReport

/// A problem that the parser found, in the three-line form of every error.
enum ParserProblem {
    /// The problem behind an error of the parser; nil for other errors and for requests for help.
    static func problem(of error: any Error, in words: [String], below root: any ParsableCommand.Type) -> InputProblem?
    {
        guard !(error is ExitCode), !(error is InputProblem), !(error is InputProblems),
            root.exitCode(for: error) == ExitCode(.usage)
        else { return nil }
        let message = root.message(for: error)
        let parts = message.split(separator: "Did you mean ", maxSplits: 1).map(String.init)
        let commands = commands(of: words, below: root)
        let last = commands.last?.configuration.defaultSubcommand
        let path = (commands + [last].compactMap(\.self)).compactMap { $0.configuration.commandName }
        let command = path.joined(separator: " ")
        var what = String((parts.first ?? message).reversed().drop { ". \n".contains($0) }.reversed())
        if let first = what.first, !what.dropFirst().prefix(1).allSatisfy(\.isUppercase) {
            what = first.lowercased() + what.dropFirst()
        }
        // An error about an option that takes a name lists the names, so this option takes a number.
        if let value = message.firstMatch(of: /^The value '(.*)' is invalid for '(--[a-z-]+)[^']*'$/) {
            return InputProblem(
                String(value.2), "'\(value.1)' is not a number", expected: "a number, as in \(value.2)=5",
                fix: "see '\(command) --help'")
        }
        let unexpected = message.firstMatch(of: /^(?:Unexpected argument|[0-9]+ unexpected arguments:) '(.*)'$/)?.1
        if command == "conformance client", let driver = unexpected?.replacing("', '", with: " ") {
            return InputProblem(
                command, what, expected: "a driver after '--'",
                fix: "put '--' before the command: conformance client -- \(driver)")
        }
        return InputProblem(
            command, what.replacing("\n", with: " "), expected: "what '\(command) --help' shows",
            fix: parts.count > 1 ? "did you mean \(parts[1])" : "run '\(command) --help'")
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

import ArgumentParser
import Basics
import Holdfast

/// A mistyped command: the parser calls it an unexpected argument, and names none that may have been meant.
enum CommandTypo {
    /// What is wrong with the commands that begin the words; nil when nothing is.
    static func problem(in words: [String], below root: any ParsableCommand.Type) -> InputProblem? {
        var command = root
        var path = ["conformance"]
        for word in words.first == "help" ? words.dropFirst() : words[...] {
            let commands = command.configuration.subcommands
            guard !word.hasPrefix("-"), !commands.isEmpty else { return nil }
            guard let next = commands.first(where: { $0.configuration.commandName == word }) else {
                // 'report help diff' asks for help too.
                if word == "help" { return nil }
                let names = commands.filter { $0.configuration.shouldDisplay }.compactMap {
                    $0.configuration.commandName
                }
                let place = path.joined(separator: " ")
                return InputProblem(
                    place: place, what: "there is no command '\(word)'", expected: names.joined(separator: ", "),
                    fix: nearestName(to: word, among: names).map { "did you mean '\(place) \($0)'?" }
                        ?? "see '\(place) --help'")
            }
            command = next
            path.append(word)
        }
        return nil
    }
}

import HoldfastJSON
import TestSupport

/// The commands and flags that the built binary knows, as it describes them itself.
struct CommandGrammar: Sendable {
    /// One command with those below it.
    struct Command: Sendable {
        var name: String
        var flags: Set<String> = []
        var options: Set<String> = []
        var positionals = 0
        var takesAnyNumber = false
        var commands: [Command] = []
        /// The command below it that is meant where none is named.
        var usual: String?
    }

    let root: Command

    /// Asks the binary.
    static func built() async throws -> CommandGrammar {
        let run = try await BuiltBinary.run(["--experimental-dump-help"])
        let description = try JSONParser.value(run.out)
        guard let command = description["command"] else { throw Unreadable(text: run.out) }
        return CommandGrammar(root: Self.command(command))
    }

    struct Unreadable: Error {
        let text: String
    }

    private static func command(_ value: JSONValue) -> Command {
        var command = Command(name: value["commandName"]?.stringValue ?? "")
        for argument in value["arguments"]?.arrayValue ?? [] {
            let names = (argument["names"]?.arrayValue ?? []).compactMap { name -> String? in
                let text = name["name"]?.stringValue ?? ""
                return name["kind"]?.stringValue == "long" ? "--\(text)" : "-\(text)"
            }
            switch argument["kind"]?.stringValue {
            case "flag": command.flags.formUnion(names)
            case "option": command.options.formUnion(names)
            default:
                command.positionals += 1
                if argument["isRepeating"] == .bool(true) { command.takesAnyNumber = true }
            }
        }
        command.commands = (value["subcommands"]?.arrayValue ?? []).map(Self.command)
        command.usual = value["defaultSubcommand"]?.stringValue
        return command
    }

    /// Why words are no command line of the binary; nil when they are.
    func refusal(of words: [String]) -> String? {
        var command = root
        var flags = root.flags
        var rest = words[...]
        var given = 0
        while let word = rest.popFirst() {
            if word == "--" { return nil }
            if word == "…" || word == "..." { continue }
            if let usual = command.commands.first(where: { $0.name == command.usual }),
                !command.commands.contains(where: { $0.name == word }), !["-h", "--help"].contains(word)
            {
                command = usual
                flags.formUnion(usual.flags)
            }
            if word.hasPrefix("-"), word.count > 1, word != "-" {
                let name = String(word.prefix { $0 != "=" })
                if command.flags.union(flags).contains(name) { continue }
                guard command.options.contains(name) else { return "'\(command.name)' has no flag \(name)" }
                if !word.contains("=") {
                    if rest.isEmpty { return "\(name) has no value" }
                    rest.removeFirst()
                }
                continue
            }
            if let next = command.commands.first(where: { $0.name == word }) {
                command = next
                flags.formUnion(next.flags)
                continue
            }
            if !command.commands.isEmpty, command.positionals == 0 {
                return "'\(word)' is no command of \(command.name)"
            }
            given += 1
        }
        if given > command.positionals, !command.takesAnyNumber {
            return "'\(command.name)' takes \(command.positionals) arguments, not \(given)"
        }
        return nil
    }
}

import ArgumentParser
import Holdfast
import HoldfastBasics
import HoldfastExplain
import HoldfastReport
import HoldfastStage
import HoldfastSuite
import Revision

/// The whole program, from the words of its command line to its exit code.
package func runConformance() async { await Conformance.main() }

struct Conformance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance",
        abstract:
            "Tests servers and clients of the Holdfast protocol: the session on the server is the source of truth.",
        discussion: """
            Examples:
              conformance serve                            a mock server to try things on
              conformance doctor ws://127.0.0.1:8080/ws    is my server ready?
              conformance init                             write a subject file and a CI file
              conformance server ws://127.0.0.1:8080/ws    test a server
              conformance client -- ./my-driver            test a client
              conformance judge capture.har                judge a capture
              conformance explain                          the protocol on one sheet
              conformance explain SYNC-3                   a clause and why it exists

            \(ExitStatus.table)
            """,
        version: version,
        groupedSubcommands: [
            CommandGroup(
                name: "Test",
                subcommands: [
                    DoctorCommand.self, ServerCommand.self, ClientCommand.self, ExploreCommand.self, LoadCommand.self,
                    ServeCommand.self, ChatCommand.self, InitCommand.self,
                ]),
            CommandGroup(
                name: "Look",
                subcommands: [
                    ExplainCommand.self, ListCommand.self, JudgeCommand.self, ReportCommand.self, ProxyCommand.self,
                    ValidateCommand.self, SiteCommand.self,
                ]),
            CommandGroup(name: "Change", subcommands: [GateCommand.self, DialectCommand.self, SelftestCommand.self]),
        ]
    )

    /// The version, and the commit it was built from.
    private static var version: String {
        let revision = String(cString: holdfastRevision())
        return revision.isEmpty ? toolVersion : "\(toolVersion) (\(revision.prefix(12)))"
    }

    @Flag(help: "Print the manual page, for 'man'.")
    var generateManual = false

    func run() async throws {
        if generateManual { return Console.write(ManualPage(help: Self._dumpHelp()).text) }
        StartScreen.show()
    }

    /// Handles the cases for which the parser has no good answer, and leaves the rest to it.
    static func main() async {
        Console.open()
        RunningSubjects.adoptOrphans()
        let words = joiningNegativeNumbers(CommandLine.arguments.dropFirst())
        if ["help", "-h", "--help"].contains(words.joined(separator: " ")) { return StartScreen.show() }
        do {
            if let problem = CommandTypo.problem(in: words, below: Self.self) { throw problem }
            var command = try parseAsRoot(words)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let message = exitCode(for: error).isSuccess ? message(for: error) : ""
            if message.hasPrefix("OVERVIEW:") {
                return Console.write(HelpText.text(for: words, below: Self.self, parsed: message) + "\n")
            }
            exit(withError: Tool.ending(ParserProblem.problem(of: error, in: words, below: Self.self) ?? error))
        }
        if Console.hasLostOutput { exit(withError: ExitCode(.harness)) }
    }
}

extension Conformance {
    /// The words with `--option -5` joined as `--option=-5`, so that the parser reads the number as a value.
    private static func joiningNegativeNumbers(_ words: ArraySlice<String>) -> [String] {
        var joined: [String] = []
        for word in words {
            let isNumber = word.hasPrefix("-") && word.dropFirst().first?.isNumber == true
            if isNumber, let option = joined.last, option.hasPrefix("--"), option.count > 2, !option.contains("="),
                !joined.contains("--")
            {
                joined[joined.count - 1] = "\(option)=\(word)"
            } else {
                joined.append(word)
            }
        }
        return joined
    }
}

/// The first screen for newcomers: every command and the first ones to try, in 24 lines and 80 columns.
enum StartScreen {
    static func show() { Console.write(Tool.addressed(text(Console.style))) }

    static func text(_ style: ConsoleStyle) -> String {
        let commands = Conformance.configuration.groupedSubcommands.flatMap { group in
            group.subcommands.map { $0.configuration }.enumerated().map { index, command in
                let columns = padded(index == 0 ? group.name : "", 8) + padded(command.commandName ?? "", 10)
                let line = style.wrapped(
                    columns + command.abstract, indent: 0, hanging: columns.count, keepingSpaces: columns.count)
                return style.bold(columns) + line.dropFirst(columns.count)
            }
        }
        let lines =
            ["conformance tests servers and clients of the Holdfast protocol"] + commands + [
                "", "Begin:  conformance server ws://127.0.0.1:8080/ws, conformance explain",
                "More:   conformance help COMMAND, conformance --version", style.wrapped(codes, indent: 0),
            ]
        return style.spelled(lines.joined(separator: "\n")) + "\n"
    }

    private static let codes = """
        Exit codes: 0 conforms · 1 violation · 2 incomplete · 3 stale baseline · 64 usage · 69 unreachable · 70 suite failure
        """
}

extension ExitStatus {
    static var table: String {
        "Exit codes: " + allCases.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: " · ")
    }
}

/// A mistyped command: the parser calls it an unexpected argument, without a suggestion.
enum CommandTypo {
    /// The first unknown command among the words; nil if all are known.
    static func problem(in words: [String], below root: any ParsableCommand.Type) -> InputProblem? {
        var command = root
        var path = ["conformance"]
        for word in words.first == "help" ? words.dropFirst() : words[...] {
            let commands = command.configuration.subcommands
            guard !word.hasPrefix("-"), !commands.isEmpty else { return nil }
            guard let next = commands.first(where: { $0.configuration.commandName == word }) else {
                // Any word may be the first argument of a default subcommand.
                if command.configuration.defaultSubcommand != nil { return nil }
                // 'report help diff' asks for help too.
                if word == "help" { return nil }
                let names = commands.filter { $0.configuration.shouldDisplay }.compactMap {
                    $0.configuration.commandName
                }
                let location = path.joined(separator: " ")
                return InputProblem(
                    location, "there is no command '\(word)'", expected: names.joined(separator: ", "),
                    fix: nearestName(to: word, among: names).map { "did you mean '\(location) \($0)'?" }
                        ?? "see '\(location) --help'")
            }
            command = next
            path.append(word)
        }
        return nil
    }
}

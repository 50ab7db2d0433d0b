import ArgumentParser
import Report
import Stage

@main
struct Conformance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance",
        abstract:
            "Tests servers and clients of the Holdfast protocol: the session on the server is the source of truth.",
        discussion: """
            Examples:
              conformance serve                            a server to play with
              conformance doctor ws://127.0.0.1:8080/ws    is a server ready for it
              conformance server ws://127.0.0.1:8080/ws    test a server
              conformance client -- ./my-driver            test a client
              conformance judge capture.har                judge what was recorded
              conformance explain                          the protocol in two screens
              conformance explain SYNC-3                   a clause, and why it is there

            \(ExitStatus.table)
            """,
        version: Tool.version,
        subcommands: [
            ServerCommand.self, ClientCommand.self, DoctorCommand.self, ServeCommand.self, ChatCommand.self,
            ProxyCommand.self, JudgeCommand.self, ReportCommand.self, GateCommand.self, DialectCommand.self,
            ValidateCommand.self, ListCommand.self, ExplainCommand.self, SiteCommand.self, SelftestCommand.self,
        ]
    )

    @Flag(help: "Print the manual page, for 'man'.")
    var generateManual = false

    func run() async throws {
        if generateManual { return Console.write(ManualPage(of: Self.self).text) }
        StartScreen.show()
    }

    /// Answers what the parser has no good answer for, and leaves the rest to it.
    static func main() async {
        Console.open()
        RunningSubjects.adoptOrphans()
        let words = Array(CommandLine.arguments.dropFirst())
        if ["help", "-h", "--help"].contains(words.joined(separator: " ")) { return StartScreen.show() }
        if let problem = CommandTypo.problem(in: words, below: Self.self) {
            exit(withError: Tool.refuse([problem]))
        }
        await main(words)
        if Console.hasLostOutput { exit(withError: Tool.end(.harness)) }
    }
}

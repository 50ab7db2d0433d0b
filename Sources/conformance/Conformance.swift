import ArgumentParser

@main
struct Conformance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance",
        abstract:
            "Tests servers and clients of the Holdfast protocol: the session on the server is the source of truth.",
        discussion: """
            Exit codes: 0 conforms · 1 violation · 2 incomplete (untested or inconclusive) · 3 baseline is stale \
            · 64 usage · 69 subject unreachable · 70 harness error

            Start here:
              conformance serve                            a server to play with
              conformance doctor ws://127.0.0.1:8080/ws    is a server of yours ready for it
              conformance server ws://127.0.0.1:8080/ws    test a server of yours
              conformance client -- ./my-driver            test a client of yours
              conformance judge capture.har                judge what was recorded
              conformance explain SYNC-3                   what a clause asks for, and why
            """,
        version: Tool.version,
        subcommands: [
            ServerCommand.self, ClientCommand.self, DoctorCommand.self, ServeCommand.self, ChatCommand.self,
            ProxyCommand.self, JudgeCommand.self, ReportCommand.self, GateCommand.self, DialectCommand.self,
            ValidateCommand.self, ListCommand.self, ExplainCommand.self, SiteCommand.self, SelftestCommand.self,
        ]
    )
}

import ArgumentParser
import Report

/// What somebody sees who knows nothing yet: every command and where to begin, on one screen of 24 lines and 80 columns.
enum StartScreen {
    static func show() { Console.write(text(Console.style)) }

    /// The screen, ending with a newline.
    static func text(_ style: ConsoleStyle) -> String {
        let commands = Conformance.configuration.subcommands.filter { $0.configuration.shouldDisplay }.map { command in
            "  \(style.bold(padded(command.configuration.commandName ?? "", 10)))\(command.configuration.abstract)"
        }
        let lines =
            ["conformance tests servers and clients of the Holdfast protocol", ""] + commands + [
                "", "Begin:  conformance explain                          the protocol in two screens",
                "        conformance serve                            a server to play with",
                "        conformance server ws://127.0.0.1:8080/ws    test it",
                "More:   conformance help COMMAND, conformance --version", style.wrapped(codes, indent: 0),
            ]
        return style.spelled(lines.joined(separator: "\n")) + "\n"
    }

    private static let codes = """
        Exit codes: 0 conforms · 1 violation · 2 incomplete · 3 stale baseline · 64 usage · 69 unreachable · 70 harness error
        """
}

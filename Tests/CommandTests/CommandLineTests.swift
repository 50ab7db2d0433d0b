import ArgumentParser
import HoldfastReport
import HoldfastSuite
import Testing

@testable import HoldfastConformance
@testable import HoldfastExplain

@Suite struct CommandLineTests {
    private static let commands: [(path: [String], type: any ParsableCommand.Type)] = walk([], Conformance.self)

    private static func walk(
        _ path: [String], _ type: any ParsableCommand.Type
    ) -> [(path: [String], type: any ParsableCommand.Type)] {
        [(path, type)]
            + type.configuration.subcommands.flatMap { walk(path + [$0.configuration.commandName ?? ""], $0) }
    }

    /// The lines below `Examples:`, without the comments beside them.
    private func examples(of type: any ParsableCommand.Type) -> [String] {
        let lines = type.configuration.discussion.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(of: "Examples:") else { return [] }
        return lines[(start + 1)...].prefix { $0.hasPrefix("  ") }.map { line in
            let text = line.dropFirst(2)
            let command = text.firstRange(of: "   ").map { text[..<$0.lowerBound] } ?? text
            return String(command.split(separator: "  ", maxSplits: 1).first ?? "")
        }
    }

    @Test func `every command has examples, and each of them can be typed`() throws {
        #expect(Self.commands.count > 18)
        for (path, type) in Self.commands {
            let examples = examples(of: type)
            #expect(!examples.isEmpty, "\(path) has none")
            #expect(examples.contains { $0.contains((["conformance"] + path).joined(separator: " ")) }, "\(path)")
            for example in examples {
                let command = try #require(example.firstRange(of: "conformance ").map { example[$0.upperBound...] })
                let words = try ShellWords(String(command.prefix { $0 != ">" })).words
                #expect(throws: Never.self, "\(example)") { _ = try Conformance.parseAsRoot(words) }
            }
        }
    }

    @Test func `no line of any help is wider than a screen`() {
        for (path, type) in Self.commands {
            for line in help(of: type, at: path, columns: 80).split(separator: "\n") where line.count > 80 {
                Issue.record("\(path): \(line)")
            }
        }
    }

    @Test(arguments: [40, 80])
    func `each example can be pasted as it stands, however wide the terminal`(columns: Int) throws {
        for (path, type) in Self.commands {
            let help = help(of: type, at: path, columns: columns)
            let joined = try help.replacing(Regex(#" \\\n +"#), with: " ")
            for example in examples(of: type) {
                #expect(["\n", "  "].contains { joined.contains("  \(example)\($0)") }, "\(path): \(example)\n\(help)")
            }
        }
    }

    private func help(of type: any ParsableCommand.Type, at path: [String], columns: Int) -> String {
        HelpText.text(
            for: path, below: Conformance.self, parsed: Conformance.helpMessage(for: type, columns: columns),
            style: ConsoleStyle(width: columns))
    }

    @Test func `the start fits a screen and names every command`() {
        let lines = StartScreen.text(ConsoleStyle()).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(lines.count <= 24)
        #expect(lines.allSatisfy { $0.count <= 80 })
        for command in Conformance.configuration.subcommands {
            let name = command.configuration.commandName ?? ""
            #expect(lines.contains { $0.dropFirst(8).hasPrefix("\(name) ") }, "\(name)")
        }
        let codes = lines.suffix(2).joined(separator: " ")
        for status in ExitStatus.allCases { #expect(codes.contains(" \(status.rawValue) "), "\(status)") }
    }

    @Test(arguments: [
        ("srver ws://h", "there is no command 'srver'", "did you mean 'conformance server'?"),
        ("report shwo x", "there is no command 'shwo'", "did you mean 'conformance report show'?"),
        ("help explian", "there is no command 'explian'", "did you mean 'conformance explain'?"),
        ("zzzzzz", "there is no command 'zzzzzz'", "see 'conformance --help'"),
    ])
    func `a mistyped command is answered with the nearest`(line: String, what: String, fix: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let problem = try #require(CommandTypo.problem(in: words, below: Conformance.self))
        #expect(problem.what == what)
        #expect(problem.fix == fix)
    }

    @Test(arguments: [
        "server ws://h", "report show results", "help report diff", "--version", "explain SYNC", "report --help",
    ])
    func `a command that exists is no typing error`(line: String) {
        let words = line.split(separator: " ").map(String.init)
        #expect(CommandTypo.problem(in: words, below: Conformance.self) == nil)
    }

    @Test func `the manual tells every command and option in ASCII`() {
        let page = ManualPage(help: Conformance._dumpHelp()).text
        #expect(page.hasPrefix(".TH CONFORMANCE 1 "))
        #expect(page.utf8.allSatisfy { $0 < 0x80 })
        #expect(!page.contains("?MAGIC"))
        for (path, _) in Self.commands where !path.isEmpty {
            #expect(page.contains(".SS \"conformance \(path.joined(separator: " "))\""), "\(path)")
        }
        #expect(page.contains("\\fB\\-\\-only\\fR \\fIpattern\\fR ..."))
    }

    @Test func `text stands in the manual letter for letter`() {
        #expect(ManualPage.escaped(".dot -x \\n “q” …") == "\\&.dot \\-x \\en \\(dqq\\(dq ...")
    }

    @Test func `what a shell completes is what there is`() {
        let server = CompletionWords.patterns(.server)
        for word in ["SYNC-3", "SYNC", "server/SYNC/evicted"] { #expect(server.contains(word), "\(word)") }
        #expect(!server.contains("CLIENT-36") && !server.contains { $0.hasPrefix("client/") })
        #expect(CompletionWords.patterns(.client).contains("CLIENT-36"))
        #expect(CompletionWords.dialects.contains("nami"))
        #expect(CompletionWords.schemas.contains("done"))
        #expect(CompletionWords.formats.contains("junit="))
        for word in ["syncResult", "persist_failed", "4001", "64", "Epoch"] {
            #expect(CompletionWords.topics.contains(word), "\(word)")
        }
    }
}

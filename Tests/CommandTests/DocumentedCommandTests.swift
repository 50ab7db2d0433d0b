import Foundation
import HoldfastSite
import HoldfastSuite
import TestSupport
import Testing

@testable import HoldfastConformance

/// Every command line that a document shows is one the binary takes.
@Suite struct DocumentedCommandTests {
    private static let documents =
        ["README.md", "CONTRIBUTING.md", "Spec/README.md"]
        + files(in: "Sources/conformance/Documentation.docc") + files(in: "Spec/chapters")
        + files(in: "Tests/Examples/python") + files(in: "Tests/Examples/python-client")
        + files(in: "Tests/Examples/node") + files(in: "Tests/Examples/typescript-client")
        + files(in: "Tests/Examples/kotlin-client")

    static func files(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(SourceTree.root)/\(folder)")) ?? []
        return names.filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
    }

    @Test func `commands quoted in documents exist, with their flags`() async throws {
        let grammar = try await CommandGrammar.built()
        var count = 0
        for path in Self.documents {
            let page = try MarkdownPage(SourceTree.text(path), file: path)
            for (line, block) in page.blocks {
                for text in block.commandLines {
                    count += 1
                    let refusal = try refusal(of: text, by: grammar)
                    #expect(refusal == nil, "\(path):\(line): \(text)\n  \(refusal ?? "")")
                }
            }
        }
        #expect(count > 60)
    }

    @Test func `the violation that the README shows is what its command prints`() async throws {
        let parts = try SourceTree.text("README.md").split(separator: "```").map(String.init)
        let sample = try #require(parts.first { $0.contains("violation TURN-3") })
        let command = try #require(sample.split(separator: "\n").first { $0.contains("again: conformance ") })
        let words = try ShellWords(String(command.drop { $0 == " " }.dropFirst("again: conformance ".count))).words
        let run = try await BuiltBinary.run(words)
        let printed = run.out.split(separator: "\n")
        // Times, ids and rows differ from run to run.
        let stable = sample.split(separator: "\n").filter { line in
            !["│", "┊", " ms", "…", "also in", "push   process"].contains(where: line.contains)
        }
        #expect(stable.count > 6)
        for line in stable { #expect(printed.contains(line), "\(line)\n\(run.out)") }
    }

    @Test func `what no command takes is refused`() async throws {
        let grammar = try await CommandGrammar.built()
        for line in [
            "conformance sever ws://127.0.0.1:8080", "conformance server --dialekt nami", "conformance gate A B C",
            "conformance server --dialect", "./conformance.sh --dialekt nami",
        ] {
            #expect(try refusal(of: line, by: grammar) != nil, "\(line)")
        }
        for line in [
            "conformance", "conformance client -- ./my-driver --any", "conformance judge a b c | head",
            "./conformance.sh --only SYNC --out results", "conformance explain SYNC-3   # a comment",
        ] {
            #expect(try refusal(of: line, by: grammar) == nil, "\(line)")
        }
    }

    private func refusal(of line: String, by grammar: CommandGrammar) throws -> String? {
        var words = try ShellWords(line.withoutComment).words
        if let end = words.firstIndex(where: { ["|", "||", ">", "2>", "&&", "&", ";", "<"].contains($0) }) {
            words.removeSubrange(end...)
        }
        // Options alone are for the suite against the reference server.
        let isScript = words.first == "./conformance.sh"
        var rest = Array(words.dropFirst())
        let forItself = ["-h", "--help", "--version"]
        if isScript, rest.first.map({ $0.hasPrefix("-") && !forItself.contains($0) }) ?? true {
            rest = ["server", "--reference"] + rest
        }
        return grammar.refusal(of: rest)
    }
}

extension MarkdownBlock {
    /// The lines of a block that begin with the program.
    fileprivate var commandLines: [String] {
        switch self {
        case .code(_, let text):
            return text.replacing("\\\n", with: " ").split(separator: "\n").map { line in
                var line = line.drop { $0 == " " }
                if line.hasPrefix("$ ") { line = line.dropFirst(2) }
                return String(line)
            }.filter(\.isCommandLine)
        case .heading(_, let words), .paragraph(let words), .quote(let words): return words.flatMap(\.commandLines)
        case .list(_, let items): return items.flatMap { $0 }.flatMap(\.commandLines)
        case .table(let header, let rows): return (header + rows.flatMap { $0 }).flatMap { $0 }.flatMap(\.commandLines)
        }
    }
}

extension MarkdownInline {
    fileprivate var commandLines: [String] {
        switch self {
        case .code(let text): text.isCommandLine ? [text] : []
        case .emphasis(let parts), .strong(let parts), .link(let parts, _): parts.flatMap(\.commandLines)
        case .text, .image: []
        }
    }
}

extension String {
    fileprivate var isCommandLine: Bool {
        ["conformance", "./conformance.sh"].contains { self == $0 || hasPrefix($0 + " ") }
    }

    /// What a shell reads of a line.
    fileprivate var withoutComment: String {
        guard let comment = firstRange(of: " #") else { return self }
        return String(self[..<comment.lowerBound])
    }
}

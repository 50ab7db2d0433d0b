import Foundation
import HoldfastPlatform
import TestSupport
import Testing

@testable import HoldfastTransport

@Suite struct ProgressLineTests {
    private static let wipe = "\r\u{1B}[2K"

    /// What was drawn each time, and what stands on the terminal in the end.
    private struct Screen {
        let drawn: [Substring]
        var rows: [String] = []

        init(_ seen: String) {
            // A carriage return and a line feed are one character to Swift.
            let text = seen.replacing("\r\n", with: "\n")
            drawn = text.split(separator: wipe, omittingEmptySubsequences: false).dropFirst().map {
                $0.prefix { $0 != "\n" }
            }
            for row in text.split(separator: "\n", omittingEmptySubsequences: false) {
                rows.append(String(row.split(separator: wipe, omittingEmptySubsequences: false).last ?? ""))
            }
        }
    }

    private enum Step { case wide, narrow, over }

    /// The server takes connections and says nothing, so the line stands for as long as it takes to look at it.
    @Test func `progress is as wide as the terminal, also when that changes, and is gone in the end`() async throws {
        let listener = try await RawListener.start { connection in
            guard (try? await connection.acceptWebSocket()) != nil else { return }
            while await connection.next() != nil {}
        }
        let step = Mutex((Step.wide, draws: 0))
        let seen = try await PseudoTerminal.run(["server", "ws://127.0.0.1:\(listener.port)/ws"], columns: 80) {
            seen, terminal in
            let drawn = Screen(seen).drawn
            step.withLock { step in
                switch step.0 {
                case .wide where drawn.contains(where: { $0.count > 40 }):
                    terminal.resize(columns: 40)
                    step = (.narrow, drawn.count)
                case .narrow where drawn.dropFirst(step.draws).contains(where: { (1..<40).contains($0.count) }):
                    terminal.interrupt()
                    step = (.over, drawn.count)
                default: break
                }
            }
        }
        await listener.stop()
        let screen = Screen(seen)
        #expect(step.withLock { $0.0 } == .over, "\(seen.suffix(2000))")
        let progress = screen.drawn.filter { $0.contains(/^\d+\/\d+/) }
        #expect(progress.allSatisfy { $0.count < 80 }, "\(progress)")
        #expect(progress.last.map { $0.count < 40 } == true, "\(progress)")
        #expect(screen.rows.first?.contains("(interrupted)") == true, "\(screen.rows)")
        #expect(!screen.rows.contains { $0.contains(/^\d+\/\d+/) }, "\(screen.rows)")
    }

    @Test func `the first command from source shows what it builds, and all of it where that fails`() async throws {
        let tools = try TemporaryDirectory()
        let swift = """
            #!/bin/sh
            case "$*" in
                *--show-bin-path) echo '\(tools.path)' ;;
                *) echo 'Building for production...'
                   echo '[4/10] Compiling Judge Judge.swift'
                   [ ! -e '\(tools.path)/broken' ] || { echo 'Judge.swift:1:1: error: no'; exit 1; } ;;
            esac

            """
        func writeProgram(_ text: String, to name: String) throws {
            try tools.write(text, to: name)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(tools.path)/\(name)")
        }
        try writeProgram(swift, to: "swift")
        try writeProgram("#!/bin/sh\necho \"ran $*\"\n", to: "conformance")
        // A copy, because what it builds depends on what stands beside it.
        try writeProgram(
            String(contentsOfFile: SourceTree.root + "/conformance.sh", encoding: .utf8), to: "conformance.sh")
        func output(_ arguments: String...) async throws -> String {
            try await PseudoTerminal.run(
                arguments, of: tools.path + "/conformance.sh", path: "\(tools.path):/usr/bin:/bin", columns: 80)
        }
        func shown(_ configuration: String, _ command: String) -> String {
            "\r\u{1B}[Kbuilding conformance (\(configuration)): step 4 of 10: Compiling Judge Judge.swift"
                + "\r\u{1B}[Kran \(command)\r\n"
        }
        #expect(try await output("--only", "TURN-3") == shown("debug", "server --reference --only TURN-3"))
        #expect(try await output("selftest") == shown("release", "selftest"))
        try FileManager.default.createDirectory(
            atPath: tools.path + "/.build/release", withIntermediateDirectories: true)
        try writeProgram("", to: ".build/release/conformance")
        #expect(try await output("list") == shown("release", "list"))
        try tools.write("", to: "broken")
        let failed = try await output("list")
        #expect(failed.contains("Judge.swift:1:1: error: no\r\nconformance.sh: the build failed\r\n"), "\(failed)")
    }
}

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
        let command = ["server", "ws://127.0.0.1:\(listener.port)/ws", "--jobs", "1"]
        let seen = try await PseudoTerminal.run(command, columns: 80) { seen, terminal in
            let drawn = Screen(seen).drawn
            step.withLock { step in
                switch step.0 {
                case .wide where drawn.contains(where: { $0.count > 24 }):
                    terminal.resize(columns: 24)
                    step = (.narrow, drawn.count)
                case .narrow where drawn.dropFirst(step.draws).contains(where: { (1..<24).contains($0.count) }):
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
        #expect(progress.last.map { $0.count < 24 } == true, "\(progress)")
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
                   echo '[0/10] Compiling Judge Judge.swift'
                   # A build that takes longer than its first step says.
                   sleep 3
                   [ ! -e '\(tools.path)/broken' ] || { echo 'Judge.swift:1:1: error: no'; exit 1; } ;;
            esac

            """
        func writeProgram(_ text: String, to name: String) throws {
            try tools.write(text, to: name)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(tools.path)/\(name)")
        }
        try writeProgram(swift, to: "swift")
        for program in ["conformance", "conformance-without-tls"] {
            try writeProgram("#!/bin/sh\necho \"${0##*/} $*\"\n", to: program)
        }
        // A copy, because what it builds depends on what stands beside it.
        try writeProgram(
            String(contentsOfFile: SourceTree.root + "/conformance.sh", encoding: .utf8), to: "conformance.sh")
        func output(_ arguments: [String], of program: String = "conformance.sh") async throws -> String {
            try await PseudoTerminal.run(
                arguments, of: "\(tools.path)/\(program)", path: "\(tools.path):/usr/bin:/bin", columns: 80)
        }
        func expect(_ arguments: String..., builds what: String, _ command: String) async throws {
            let output = try await output(arguments)
            let start = "\r\u{1B}[Kbuilding \(what), 0 min 0"
            #expect(output.hasPrefix(start) && output.contains(" s: [0/10] Compiling Judge Judge.swift"), "\(output)")
            #expect(output.hasSuffix("\r\u{1B}[K\(command)\r\n"), "\(output)")
        }
        try await expect(
            "--only", "TURN-2", builds: "conformance (debug)",
            "conformance-without-tls server --reference --only TURN-2")
        try await expect(
            "doctor", "wss://host/ws", builds: "conformance with TLS (debug)", "conformance doctor wss://host/ws")
        try await expect("selftest", builds: "conformance (release)", "conformance-without-tls selftest")
        try FileManager.default.createDirectory(
            atPath: tools.path + "/.build/release", withIntermediateDirectories: true)
        try writeProgram("", to: ".build/release/conformance")
        try await expect("list", builds: "conformance with TLS (release)", "conformance list")
        // Whoever closes standard error sees no progress, and gets the program all the same.
        try writeProgram("#!/bin/sh\nexec '\(tools.path)/conformance.sh' \"$@\" 2>&-\n", to: "closed.sh")
        #expect(try await output(["list"], of: "closed.sh") == "conformance list\r\n")
        try tools.write("", to: "broken")
        let failed = try await output(["list"])
        #expect(failed.contains("Judge.swift:1:1: error: no\r\nconformance.sh: the build failed\r\n"), "\(failed)")
    }
}

import Foundation
import Subprocess
import TestSupport
import Testing

/// What becomes of output that nobody takes, and of input that cannot be read.
@Suite struct OutputTests {
    /// Runs a line of the shell, in which `conformance` is the program.
    private func shell(_ line: String) async throws -> (status: String, err: String) {
        let folder = try TemporaryDirectory()
        let script = """
            cd '\(folder.path)'; conformance() { '\(BuiltBinary.path)' "$@"; }
            \(line)
            """
        let run = try await Subprocess.run(
            .path("/bin/sh"), arguments: ["-c", script], output: .string(limit: 1 << 20),
            error: .string(limit: 1 << 20))
        return (run.standardOutput, run.standardError)
    }

    @Test(arguments: ["list", "explain ENV-1", "--help", "explain NOTHING-1"])
    func `a reader that left is no fault of the command`(command: String) async throws {
        let wanted = command.hasSuffix("NOTHING-1") ? "64" : "0"
        let run = try await shell(
            """
            trap '' PIPE
            { until [ -e gone ]; do :; done; conformance \(command); echo $? >status; } | { exec <&-; : >gone; }
            cat status
            """)
        #expect(run.status == wanted + "\n")
        #expect(!run.err.contains("Fatal error"), "\(run.err.prefix(300))")
        #expect(run.err.isEmpty == (wanted == "0"))
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func `output that a full disk refuses is told`() async throws {
        let run = try await shell("conformance list >/dev/full; echo $?")
        #expect(run.status == "70\n")
        #expect(run.err.hasPrefix("standard output: cannot be written: No space left on device\n"))
    }

    @Test(arguments: ["validate -", "report show -"])
    func `standard input that cannot be read is told`(command: String) async throws {
        let run = try await shell("conformance \(command) </; echo $?")
        #expect(run.status == "64\n")
        #expect(run.err.hasPrefix("standard input: cannot be read: "), "\(run.err.prefix(300))")
    }

    @Test func `a pipe of the shell is read`() async throws {
        let run = try await shell("printf 'no json' | conformance validate /dev/fd/0 >&2; echo $?")
        #expect(run.status == "1\n")
        #expect(run.err.hasPrefix("NOT valid  /dev/fd/0:1:1:"), "\(run.err.prefix(300))")
    }

    @Test func `an output that is closed is told`() async throws {
        let run = try await shell("conformance list >&-; echo $?")
        #expect(run.status == "70\n")
        #expect(run.err.contains("standard output: cannot be written"), "\(run.err)")
    }

    @Test func `streams that are closed hurt nobody`() async throws {
        let run = try await shell("conformance validate --help <&- >&- 2>&-; code=$?; echo $code")
        #expect(run.status == "0\n")
    }
}

import Foundation
import Subprocess

/// Programs of other languages, which examples need and a machine may lack; `Tests/Examples/tools.sh` brings compilers.
public enum ExampleTool {
    /// Whether the whole client suite is asked of every example client, minutes each: `HOLDFAST_WHOLE=1`.
    public static let isWholeSuite = ProcessInfo.processInfo.environment["HOLDFAST_WHOLE"] == "1"

    private static let searchPath =
        SourceTree.root + "/.build/tools/bin:" + (ProcessInfo.processInfo.environment["PATH"] ?? "")

    /// Whether they all start: each tells its version, by one flag or the other.
    public static func has(_ programs: String...) async -> Bool {
        for program in programs {
            var statuses: [Int32] = []
            for flag in ["--version", "-version"] where !statuses.contains(0) {
                if let run = try? await run(program, [flag]) { statuses.append(run.status) }
            }
            guard statuses.contains(0) else { return false }
        }
        return true
    }

    /// Runs a program, by its name or its path, to its end: its exit code, and what it printed to both outputs.
    public static func run(_ program: String, _ arguments: [String]) async throws -> (status: Int32, output: String) {
        let outcome = try await Subprocess.run(
            program.contains("/") ? .path(.init(program)) : .name(program), arguments: Arguments(arguments),
            environment: .inherit.updating(["PATH": searchPath]), output: .string(limit: 1 << 20),
            error: .string(limit: 1 << 20))
        let output = outcome.standardOutput + outcome.standardError
        if case .exited(let code) = outcome.terminationStatus { return (code, output) }
        return (-1, output)
    }
}

import Foundation
import HoldfastJSON
import TestSupport
import Testing

/// The order of file write, synchronisation and sending, seen from outside.
struct TraceTests {
    private static let reference = "'\(BuiltBinary.path)' serve --port {port} --data {data} --end-with-input"
    private static let hasStrace = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/strace")
    }

    private func run(_ command: String, _ environment: [String: String] = [:]) async throws -> (
        BuiltBinary.Output, [String]
    ) {
        let folder = try TemporaryDirectory()
        let run = try await BuiltBinary.run(
            [
                "server", "--start", command, "--trace", "--only", "server/TURN/one-ending", "--out",
                folder.path + "/out",
            ], environment: environment)
        let report = try JSONParser.value(folder.text(of: "out/report.json"))
        // A machine that was late is told of in the same place.
        let diagnostics = report["diagnostics"]?.arrayValue?.compactMap(\.stringValue) ?? []
        return (run, diagnostics.filter { $0.hasPrefix("power loss") })
    }

    @Test(.enabled(if: hasStrace, "no strace here"))
    func `a server is traced, and neither verdict nor exit code depend on it`() async throws {
        let (run, diagnostics) = try await run(Self.reference)
        #expect([0, 2].contains(run.status), "\(run.out)\(run.err)")
        #expect(diagnostics.count == 1)
        let line = try #require(diagnostics.first)
        #expect(run.out.contains("diagnostic: power loss (PERSIST-8): "), "\(run.out)")
        // Where tracing is forbidden, that is said.
        if !line.hasSuffix("not allowed here") {
            #expect(
                line == "power loss (PERSIST-8): answer written, synced, then sent (the worst of five turns)")
        }
        let (early, said) = try await self.run(Self.reference + " --defect persist-writes-behind-by-a-second")
        if !line.hasSuffix("not allowed here") {
            #expect(
                said == [
                    "power loss (PERSIST-8): answer sent before it was written to a file (the worst of five turns)"
                ], "\(early.out)")
        }
    }

    @Test func `without strace that is said`() async throws {
        let (_, diagnostics) = try await run(Self.reference, ["PATH": "/no/such/folder"])
        #expect(diagnostics == ["power loss (PERSIST-8): skipped: strace is not installed"])
    }

    @Test func `a server that is not started cannot be traced`() async throws {
        let run = try await BuiltBinary.run(["server", "ws://127.0.0.1:1/ws", "--trace"])
        #expect(run.status == 64)
        #expect(run.err.hasPrefix("--trace: no start command given\n  expected: --start COMMAND"), "\(run.err)")
    }
}

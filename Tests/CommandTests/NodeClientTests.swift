import Foundation
import TestSupport
import Testing

/// Where a Node is.
private enum ExampleNode {
    /// A Node that knows WebSockets.
    static let path: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let found = folders.map { "\($0)/node" }.first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let found else { return nil }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: found)
        process.arguments = ["--experimental-websocket", "-e", "process.exit(typeof WebSocket === 'function' ? 0 : 1)"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        process.waitUntilExit()
        return process.terminationStatus == 0 ? found : nil
    }()
}

/// The driver kit for Node with the small app behind it: nothing but Node is needed, and what the app cannot do has its reason.
@Suite(.enabled(if: ExampleNode.path != nil, "no Node 20 or later on the PATH"))
struct NodeClientTests {
    private static let driver = SourceTree.root + "/Tests/Examples/node-client/driver.mjs"

    private func suite(_ scenarios: String..., flags: [String] = []) async throws -> BuiltBinary.Output {
        let only = scenarios.flatMap { ["--only", "client/" + $0] } + flags
        let command = [ExampleNode.path ?? "node", "--experimental-websocket", Self.driver]
        return try await BuiltBinary.run(["client"] + only + ["--"] + command)
    }

    @Test func `an app behind the kit keeps the clauses of its profile`() async throws {
        let run = try await suite(
            "AUTH/*", "ENV/*", "CLIENT/every-reconnect-recovers", "CLIENT/foreground-reconnects",
            "CLIENT/lost-question-comes-again", "CLIENT/missed-messages-are-read", "CLIENT/order-of-typing",
            "CLIENT/refusals-are-shown", "CLIENT/screen-stays-while-reading", "CLIENT/unknown-session-*",
            "CLIENT/unsent-and-ended", "CLIENT/waiting-ends-live")
        #expect(run.status == 0, "\(run.out)\n\(run.err)")
        #expect(run.out.contains("profiles client-core"), "\(run.out)")
    }

    @Test func `what the app cannot do is untested, for its reason`() async throws {
        let run = try await suite(
            "CLIENT/tap-from-the-background", flags: ["--profile", "client-core", "--profile", "client-push"])
        #expect(run.status == 2, "\(run.out)\n\(run.err)")
        #expect(run.out.contains("does not support openPush: this app has"), "\(run.out)")
    }
}

import Foundation
import TestSupport
import Testing

/// The example client in TypeScript, compiled in strict mode: one source, under Node and in a browser.
private struct TypeScriptClient: Sendable {
    let folder: TemporaryDirectory

    static let shared = Task { try await TypeScriptClient() }
    private static let source = SourceTree.root + "/Tests/Examples/typescript-client"

    private init() async throws {
        folder = try TemporaryDirectory()
        let compiled = try await ExampleTool.run("tsc", ["-p", Self.source, "--outDir", folder.path + "/out"])
        try #require(compiled.status == 0, "\(compiled.output)")
        for name in ["package.json", "page.html"] {
            try FileManager.default.copyItem(atPath: "\(Self.source)/\(name)", toPath: "\(folder.path)/\(name)")
        }
    }

    /// Runs the suite against the app under Node, which it starts for each scenario.
    func node(_ scenarios: [String]) async throws -> BuiltBinary.Output {
        let only = scenarios.flatMap { ["--only", "client/" + $0] }
        let command = ["node", "--experimental-websocket", folder.path + "/out/node.js"]
        return try await BuiltBinary.run(["client"] + only + ["--"] + command, within: .seconds(900))
    }

    /// Runs the suite against the page, which a browser opens.
    func page(_ scenarios: [String]) async throws -> BuiltBinary.Output {
        let address = "127.0.0.1:\(try await MockServerTests.freePort())"
        let only = scenarios.flatMap { ["--only", "client/" + $0] }
        let script = [Self.source + "/open_page.py", "ws://\(address)/", folder.path]
        let (page, run) = try await BuiltBinary.run(
            ["client", "--listen", address] + only, within: .seconds(1200), endsByItself: true
        ) { _ in try await ExamplePython.run(script) }
        #expect(page.status == 0, "\(page.output)")
        return run
    }

    /// Whether there is a Node that knows WebSockets, and a compiler.
    static func canRunUnderNode() async -> Bool {
        let check = ["--experimental-websocket", "-e", "process.exit(typeof WebSocket === 'function' ? 0 : 1)"]
        guard await ExampleTool.has("tsc") else { return false }
        return (try? await ExampleTool.run("node", check))?.status == 0
    }

    /// Whether there is a browser that `Tests/Browser/browser.py` finds, and a compiler.
    static func canRunInABrowser() async -> Bool {
        let folder = SourceTree.root + "/Tests/Browser"
        guard await ExampleTool.has("tsc") else { return false }
        let check = "import sys; sys.path.insert(0, '\(folder)'); import browser; browser.find()"
        return (try? await ExamplePython.run(["-c", check]))?.status == 0
    }
}

@Suite struct TypeScriptClientTests {
    @Test(.enabled("needs tsc, and a Node with WebSockets (20 or later)") { await TypeScriptClient.canRunUnderNode() })
    func `an app behind the kit keeps the clauses of all three profiles under Node`() async throws {
        let some = [
            "AUTH/*", "ENV/*", "CLIENT/foreground-reconnects", "CLIENT/gap-told-is-read",
            "CLIENT/lost-question-comes-again", "CLIENT/missed-messages-*", "CLIENT/pages-are-followed",
            "CLIENT/refusals-are-shown", "CLIENT/tap-from-the-background",
        ]
        let run = try await TypeScriptClient.shared.value.node(ExampleTool.isWholeSuite ? ["*"] : some)
        #expect(run.status == 0, "\(run.out)\n\(run.err)")
        #expect(run.out.contains("profiles client-core, client-sync, client-push"), "\(run.out)")
    }

    @Test(.enabled("needs tsc, and Chromium or Chrome") { await TypeScriptClient.canRunInABrowser() })
    func `the same app keeps them as a page in a browser`() async throws {
        let some = ["AUTH/*", "ENV/*", "CLIENT/missed-messages-are-replayed"]
        let run = try await TypeScriptClient.shared.value.page(ExampleTool.isWholeSuite ? ["*"] : some)
        #expect(run.status == 0, "\(run.out)\n\(run.err)")
        #expect(run.out.contains("Example page 1.0 at ws://127.0.0.1:"), "\(run.out)")
    }
}

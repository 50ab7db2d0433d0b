import ClientDriver
import Foundation
import Holdfast
import HoldfastReference
import ReferenceClient
import Testing

/// The client with its engine, against the reference server over real sockets.
@Suite(.serialized) struct LiveTests {
    @Test func `an answer comes, and is there after a return from the background`() async throws {
        try await withServer { server, folder in
            let app = ReferenceApp(storingIn: folder)
            try await app.launch(launch(server))
            try await app.send("hello")
            try await until(app) { $0.messages.count == 2 && !$0.isThinking }
            try await app.background()
            try await app.foreground()
            try await until(app) { $0.connection == .connected }
            let state = try await app.state()
            #expect(state.messages.map(\.status) == [.sent, .sent])
            #expect(state.messages.allSatisfy { $0.id != nil })
            #expect(state.sessionId != nil)
            try await app.quit()
        }
    }

    @Test func `what was asked before the end of the app is answered after its next start`() async throws {
        try await withServer { server, folder in
            let app = ReferenceApp(storingIn: folder)
            try await app.launch(launch(server))
            try await until(app) { $0.connection == .connected }
            try await app.send(#"{"script":[{"wait":600},{"reply":"late"}]}"#)
            try await until(app) { $0.messages.first?.status == .sent }
            try await app.quit()
            let next = ReferenceApp(storingIn: folder)
            try await next.launch(launch(server, fresh: false))
            try await until(next) { $0.messages.map(\.text).last == "late" && !$0.isThinking }
            try await next.quit()
        }
    }

    @Test func `what was typed without a network is sent with it, once`() async throws {
        try await withServer { server, folder in
            let app = ReferenceApp(storingIn: folder)
            try await app.launch(launch(server))
            try await until(app) { $0.connection == .connected }
            try await app.networkDown()
            try await app.send("hello")
            #expect(try await app.state().connection == .offline)
            #expect(try await app.state().messages.map(\.status) == [.sending])
            try await app.networkUp()
            try await until(app) { $0.messages.count == 2 && !$0.isThinking }
            try await app.quit()
        }
    }

    @Test func `a wrong token is the end, and said`() async throws {
        try await withServer(requiresAuth: true) { server, folder in
            let app = ReferenceApp(storingIn: folder)
            try await app.launch(launch(server, token: "wrong"))
            try await until(app) { $0.connection == .offline && $0.errors.contains { $0.code == "auth_failed" } }
            try await app.quit()
        }
    }

    @Test func `a failed turn is shown as failed`() async throws {
        try await withServer { server, folder in
            let app = ReferenceApp(storingIn: folder)
            try await app.launch(launch(server))
            try await app.send(#"{"script":[{"tool":"webFetch"},{"fail":"model exploded"}]}"#)
            try await until(app) { $0.messages.first?.status == .failed && !$0.isThinking }
            #expect(try await app.state().errors.contains { $0.code == "agent_failed" })
            try await app.quit()
        }
    }

    @Test(arguments: ClientVariation.allCases) func `every variation has a conversation`(variation: ClientVariation)
        async throws
    {
        try await withServer { server, folder in
            let app = ReferenceApp(variations: [variation], storingIn: folder)
            try await app.launch(launch(server))
            try await app.send("one")
            try await until(app) { $0.messages.count == 2 && !$0.isThinking }
            try await app.background()
            try await app.foreground()
            try await app.send("two")
            try await until(app) { $0.messages.count == 4 && !$0.isThinking && $0.connection == .connected }
            #expect(try await app.state().errors.isEmpty)
            try await app.quit()
        }
    }

    private func launch(_ server: ReferenceServer, token: String = "secret", fresh: Bool = true) throws -> Launch {
        Launch(
            url: try #require(URL(string: server.webSocketURL)), http: try #require(URL(string: server.httpURL)),
            token: token, timeScale: 10, fresh: fresh)
    }

    private func withServer(
        requiresAuth: Bool = false, _ body: (ReferenceServer, String) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("client-\(UUID().uuidString)")
        let phone = folder.appendingPathComponent("phone")
        try FileManager.default.createDirectory(at: phone, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let configuration = ReferenceConfiguration(
            dataFolder: folder.path, principals: [(name: "p1", token: "secret")], requiresAuth: requiresAuth)
        let server = try await ReferenceServer(configuration)
        do {
            try await body(server, phone.path)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    /// Waits until the screen is as described; a bound for a busy machine, not a measure.
    private func until(_ app: ReferenceApp, _ isTrue: (ClientState) -> Bool) async throws {
        var last: ClientState?
        for _ in 0..<1500 {
            let state = try await app.state()
            if isTrue(state) { return }
            last = state
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("never: \(String(describing: last))")
    }
}

import Foundation
import TestSupport
import Testing

@testable import HoldfastTransport

/// What `explore` says where nothing can be found, or was asked to end.
@Suite struct ExploreTests {
    private static let plan = """
        {
          "title": "Two devices", "summary": "One waits for what never comes.", "role": "server", "clauses": ["TURN-1"],
          "needs": { "agent": "scripted" }, "steps": [{ "do": "connect", "on": "A" }]
        }
        """

    @Test func `an interrupt ends the performance of a plan`() async throws {
        let folder = try TemporaryDirectory()
        try folder.write(Self.plan, to: "plan.json")
        let (connected, signal) = AsyncStream.makeStream(of: Void.self)
        let listener = try await RawListener.start { connection in
            guard (try? await connection.acceptWebSocket()) != nil else { return }
            signal.yield()
            while await connection.next() != nil {}
        }
        let url = "ws://127.0.0.1:\(listener.port)/ws"
        let began = ContinuousClock.now
        let (_, run) = try await BuiltBinary.run(
            ["explore", url, "--scripted-agent", "--plan", folder.path + "/plan.json"], endsByItself: true
        ) { running in
            var connections = connected.makeAsyncIterator()
            for _ in 0..<2 { _ = await connections.next() }
            try running.interrupt()
        }
        await listener.stop()
        #expect(run.status == 2, "\(run.out)\(run.err)")
        #expect(run.out == "interrupted\n", "\(run.err)")
        #expect(ContinuousClock.now - began < .seconds(25))
    }

    @Test(arguments: [["--runs", "5"], ["--plan", "plan.json"]])
    func `a server that does not start is told`(what: [String]) async throws {
        let folder = try TemporaryDirectory()
        try folder.write(Self.plan, to: "plan.json")
        let run = try await BuiltBinary.run(
            ["explore", "--start", "false --port {port}"]
                + what.map { $0.hasSuffix(".json") ? "\(folder.path)/\($0)" : $0 })
        #expect(run.status == 69, "\(run.out)\(run.err)")
        #expect(!run.err.isEmpty)
        #expect(!run.out.contains("nothing broken"), "\(run.out)")
    }

    @Test(arguments: [["--runs", "5"], ["--plan", "plan.json"]])
    func `another protocol is recognized`(what: [String]) async throws {
        let folder = try TemporaryDirectory()
        try folder.write(Self.plan, to: "plan.json")
        let listener = try await RawListener.start { connection in
            guard (try? await connection.acceptWebSocket()) != nil else { return }
            let text = Array(
                #"0{"sid":"lv_VI97HAXpY6yYWAAAC","upgrades":[],"pingInterval":25000,"pingTimeout":5000}"#.utf8)
            try? await connection.send(WebSocketFrame(.text, text).bytes(mask: nil))
            while await connection.next() != nil {}
        }
        let url = "ws://127.0.0.1:\(listener.port)/ws"
        let run = try await BuiltBinary.run(
            ["explore", url, "--scripted-agent"] + what.map { $0.hasSuffix(".json") ? "\(folder.path)/\($0)" : $0 })
        await listener.stop()
        #expect(run.status == 69, "\(run.out)\(run.err)")
        #expect(run.err.contains("this is not the Holdfast protocol; it looks like Socket.IO"), "\(run.out)\(run.err)")
    }

    @Test func `what cannot be written is found again by its seed`() async throws {
        let run = try await BuiltBinary.run([
            "explore", "--reference", "--skip-crashes", "--defect", "sync-tells-position-zero", "--seed", "1",
            "--runs", "4", "--out", "/dev/null/explored",
        ])
        #expect(run.status == 1, "\(run.out)\(run.err)")
        #expect(run.out.contains(/again: .* --seed [1-4] --runs 1\n/), "\(run.out)")
        #expect(!run.out.contains("--plan"))
    }
}

import Foundation
import HoldfastJSON
import TestSupport
import Testing

@testable import HoldfastTransport

@Suite struct InterruptTests {
    /// The server takes connections and then says nothing, so the run surely waits when it is interrupted.
    @Test func `an interrupt ends the run and keeps what was learnt`() async throws {
        let folder = try TemporaryDirectory()
        let out = folder.path + "/out"
        let (connected, signal) = AsyncStream.makeStream(of: Void.self)
        let listener = try await RawListener.start { connection in
            guard (try? await connection.acceptWebSocket()) != nil else { return }
            signal.yield()
            while await connection.next() != nil {}
        }
        let url = "ws://127.0.0.1:\(listener.port)/ws"
        let (_, run) = try await BuiltBinary.run(["server", url, "--out", out], endsByItself: true) { running in
            var connections = connected.makeAsyncIterator()
            // The first ones ask whether anybody is there, and for a greeting.
            for _ in 0..<5 { _ = await connections.next() }
            try running.interrupt()
            try await Serving.appears(out + "/report.json")
        }
        await listener.stop()
        // On a busy machine the interrupt may come so late that the missing greeting is a violation by then.
        #expect([1, 2].contains(run.status), "\(run.err)")
        #expect(run.out.split(separator: "\n").first?.contains("(interrupted)") == true, "\(run.out)")
        // In a pipe no progress is drawn.
        #expect(!(run.out + run.err).contains("\u{1B}"), "\(run.err)")
        let report = try JSONParser.value(folder.text(of: "out/report.json"))
        #expect(report["interrupted"]?.boolValue == true)
    }

    @Test func `serve ends in order on SIGTERM`() async throws {
        let folder = try TemporaryDirectory()
        let (_, run) = try await Serving.run(in: folder) { _ in }
        #expect(run.status == 0, "\(run.err)")
        #expect(run.out.hasPrefix("ws://127.0.0.1:"))
    }
}

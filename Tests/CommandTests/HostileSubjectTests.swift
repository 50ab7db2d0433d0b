import Foundation
import TestSupport
import Testing

@testable import HoldfastTransport

@Suite struct HostileSubjectTests {
    @Test func `nobody there ends with 69 and says what to do`() async throws {
        let run = try await BuiltBinary.run(["server", "ws://127.0.0.1:1/ws"])
        #expect(run.status == 69)
        #expect(run.err.hasPrefix("ws://127.0.0.1:1/ws: connection refused, 3 attempts in "))
        #expect(run.err.contains("expected: a server that accepts WebSocket upgrades on /ws"))
        #expect(run.out.isEmpty)
    }

    @Test func `a server that closes at once is not reached, and its path is the first suspect`() async throws {
        let run = try await judged { $0.cut(.fin) }
        #expect(run.status == 69 && run.out.isEmpty, "\(run.out)")
        #expect(
            run.err.contains("\n  fix: correct the path of the URL; if /ws is right, look for this request"),
            "\(run.err)")
    }

    @Test func `a server that does not speak HTTP is not reached`() async throws {
        let run = try await judged { connection in
            try? await connection.send(Array(repeating: 0xA5, count: 4096))
            connection.cut(.fin)
        }
        #expect(run.status == 69 && run.out.isEmpty, "\(run.out)")
        #expect(run.err.contains("it accepts connections, but does not answer in HTTP\n"), "\(run.err)")
    }

    @Test func `a server that floods is cut off`() async throws {
        let run = try await judged { connection in
            guard (try? await connection.acceptWebSocket()) != nil else { return }
            let text = Array((#"{"type":"noise","text":""# + String(repeating: "x", count: 60_000) + #""}"#).utf8)
            let frame = WebSocketFrame(.text, text).bytes(mask: nil)
            for _ in 0..<1700 {
                guard (try? await connection.send(frame)) != nil else { return }
            }
        }
        #expect(run.status == 1 || run.status == 2, "\(run.err)")
        #expect(!run.out.contains("suite failure in"))
    }

    /// The suite against a server made of raw sockets.
    private func judged(_ serve: @escaping @Sendable (RawConnection) async -> Void) async throws -> BuiltBinary.Output {
        let listener = try await RawListener.start { await serve($0) }
        let run = try await BuiltBinary.run(["server", "ws://127.0.0.1:\(listener.port)/ws"])
        await listener.stop()
        return run
    }
}

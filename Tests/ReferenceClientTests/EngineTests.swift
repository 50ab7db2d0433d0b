import HoldfastJSON
import Testing

@testable import ReferenceClient

/// The engine between the core and a network.
@Suite struct EngineTests {
    @Test func `CLIENT-3 a send that fails because the server closed does not hide the code`() async throws {
        let engine = ClientEngine(
            rules: ClientRules(url: "ws://server.invalid/ws", base: "http://server.invalid"), storage: nil,
            transport: ClosingTransport())
        await engine.handle(.launched(opened: nil))
        try await until { await engine.core.link.live != nil }
        await engine.handle(.typed("hello"))
        try await until { await engine.core.link.live == nil }
        #expect(await engine.core.link.phase == .refused)
        await engine.stop()
    }

    private func until(_ isTrue: @Sendable () async -> Bool) async throws {
        for _ in 0..<1500 where await !isTrue() { try await Task.sleep(for: .milliseconds(10)) }
    }
}

/// A network to a server that greets, and that closes with 4010 just before a question is sent.
private struct ClosingTransport: ClientTransport {
    func open(_ url: String, headers: [(String, String)], within limit: Duration) async throws -> any ClientSocket {
        ClosingSocket()
    }

    func perform(_ request: RESTRequest, within limit: Duration) async throws -> RESTAnswer { throw Gone() }

    struct Gone: Error {}
}

private struct ClosingSocket: ClientSocket {
    private let events: AsyncStream<ClientSocketEvent>
    private let source: AsyncStream<ClientSocketEvent>.Continuation

    init() { (events, source) = AsyncStream.makeStream() }

    func send(_ text: String) async throws {
        switch (try JSONParser.value(text)).type {
        case "auth": source.yield(.text(#"{"type":"connected","protocol":1,"connectionId":"k1"}"#))
        case "chat":
            // The reader gets the close frame a moment after the writer gets its error.
            Task {
                try await Task.sleep(for: .milliseconds(2))
                source.yield(.closed(code: 4010))
                source.finish()
            }
            throw ClosingTransport.Gone()
        default: break
        }
    }

    func next() async -> ClientSocketEvent? { await events.first { _ in true } }

    func close(code: UInt16?) async { source.finish() }
}

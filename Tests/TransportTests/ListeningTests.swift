import TestSupport
import Testing

@testable import HoldfastTransport

@Suite struct ListeningTests {
    private func problem(_ host: String, _ port: Int) async -> TransportProblem? {
        do {
            let listener = try await RawListener.start(host: host, port: port) { _ in }
            await listener.stop()
            return nil
        } catch {
            return error
        }
    }

    @Test func `why nothing can listen is told in words`() async throws {
        let listener = try await RawListener.start { _ in }
        let taken = await problem("127.0.0.1", listener.port)
        #expect(taken?.code == .cannotListen(.portTaken))
        #expect(taken?.address == "127.0.0.1:\(listener.port)" && taken?.causes.isEmpty == false)
        await listener.stop()
        // An address for examples, which no machine has.
        #expect(await problem("203.0.113.5", 0)?.code == .cannotListen(.foreignAddress))
    }

    @Test(arguments: [65_536, 99_999, -1])
    func `a number that is no port is refused, and never cut to one that is`(port: Int) async {
        #expect(await problem("127.0.0.1", port)?.code == .cannotListen(.badPort))
    }
}

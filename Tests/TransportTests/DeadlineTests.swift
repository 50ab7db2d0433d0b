import Testing

@testable import HoldfastTransport

@Suite struct DeadlineTests {
    private struct OwnError: Error, Equatable {}

    @Test func `a body in time returns its value and throws its own errors`() async throws {
        #expect(try await withDeadline(patience, "answer") { 42 } == 42)
        await #expect(throws: OwnError()) { try await withDeadline(patience, "answer") { throw OwnError() } }
    }

    @Test func `a late body is cancelled and named`() async throws {
        let (cancelled, report) = AsyncStream.makeStream(of: Bool.self)
        let found = await problem {
            try await withDeadline(.milliseconds(1500), "first byte", at: "ws://h/ws") {
                try? await Task.sleep(for: .seconds(3600))
                report.yield(Task.isCancelled)
            }
        }
        for await wasCancelled in cancelled.prefix(1) { #expect(wasCancelled) }
        #expect(
            found?.description == """
                ws://h/ws: timeout, no first byte within 1.5 s
                  expected: first byte in that time
                  fix: find out what the peer waits for, or allow more time
                """
        )
    }

    @Test func `a cancelled caller is not late`() async throws {
        let waiting = Task {
            try await withDeadline(.seconds(3600), "nothing") { try await Task.sleep(for: .seconds(3600)) }
        }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}

import Foundation
import HoldfastPlatform
import Testing

@testable import HoldfastStage

/// Credentials that expire are asked for again.
@Suite struct TokenSourceTests {
    /// A JSON Web Token that expires so many seconds from now.
    private func token(in seconds: Double, number: Int = 0) -> String {
        let claims = #"{"sub":"p\#(number)","exp":\#(Int(Date.now.timeIntervalSince1970 + seconds))}"#
        let payload = Data(claims.utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        return "eyJhbGciOiJub25lIn0.\(payload).signature"
    }

    @Test func `the end of a JSON Web Token is read, and nothing of another credential`() throws {
        let end = try #require(TokenSource.expiry(of: token(in: 600)))
        #expect(abs(end - Date.now.timeIntervalSince1970 - 600) < 5)
        for other in ["", "secret", "a.b.c", "..", "a.e30.c"] { #expect(TokenSource.expiry(of: other) == nil) }
    }

    private func source(lasting seconds: Double) -> (source: TokenSource, count: @Sendable () -> Int) {
        let asked = SharedCount()
        return (TokenSource { self.token(in: seconds, number: asked.next()) }, { asked.value })
    }

    private final class SharedCount: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func next() -> Int {
            count.withLock {
                $0 += 1
                return $0
            }
        }
    }

    @Test func `one that lasts is asked for once, and one that is about to expire each time`() async throws {
        let (lasting, asked) = source(lasting: 600)
        let first = try await lasting.current()
        #expect(try await lasting.current() == first && asked() == 1)
        let (ending, askedAgain) = source(lasting: 30)
        let before = try await ending.current()
        #expect(try await ending.current() != before && askedAgain() == 2)
    }

    private struct Refused: Error {}

    /// A source that gives one credential and no other one.
    private func source(givingOnce token: String) -> (source: TokenSource, count: @Sendable () -> Int) {
        let asked = SharedCount()
        let source = TokenSource {
            if asked.next() > 1 { throw Refused() }
            return token
        }
        return (source, { asked.value })
    }

    @Test func `a source that fails gives no credential that is over, and is not asked at once again`() async throws {
        let (source, asked) = source(givingOnce: token(in: 30))
        _ = try await source.current()
        for _ in 0..<3 {
            await #expect(throws: TokenProblem.self) { try await source.current() }
        }
        #expect(asked() == 2)
        let (lasting, _) = self.source(givingOnce: token(in: 600))
        let first = try await lasting.current()
        #expect(try await lasting.current() == first)
    }

    @Test func `a scenario without a token is left out, and the server not asked`() async throws {
        var subject = try subject("ws://127.0.0.1:9/ws")
        let (source, _) = source(givingOnce: token(in: 30))
        _ = try await source.current()
        subject.principals[0].source = source
        let performance = try await stage(subject).perform(scenario(#"{"do":"connect","on":"A"}"#))
        #expect(performance.skipped?.hasPrefix("it needs a valid token, and there is none: ") == true)
        #expect(performance.history.events.isEmpty)
    }
}

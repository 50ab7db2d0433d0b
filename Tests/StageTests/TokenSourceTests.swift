import Foundation
import Synchronization
import Testing

@testable import Stage

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
        let first = await lasting.current()
        #expect(await lasting.current() == first && asked() == 1)
        let (ending, askedAgain) = source(lasting: 30)
        let before = await ending.current()
        #expect(await ending.current() != before && askedAgain() == 2)
    }

    @Test func `a source that fails leaves the last credential in use`() async {
        struct Refused: Error {}
        let isOver = SharedCount()
        let end = token(in: 30)
        let source = TokenSource {
            if isOver.next() > 1 { throw Refused() }
            return end
        }
        #expect(await source.current() == end)
        #expect(await source.current() == end && isOver.value == 2)
    }
}

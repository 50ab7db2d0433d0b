import HoldfastBasics
import Testing

@testable import HoldfastTransport

@Suite struct HandshakeTests {
    @Test func `the example of RFC 6455 section 1.3 comes out`() {
        #expect(Handshake.accept(for: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test(arguments: [
        ("", "2jmj7l5rSw0yVb/vlWAYkK/YBwk="),
        ("abc", "qZk+NkcGgWq6PiVxeFDCbJzQ2J0="),
        ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "hJg+RBw70m66rkqh+VEp5eVGcPE="),
        (String(repeating: "a", count: 64), "AJi6gktcFkJ716ESKlpEKiXsZE0="),
    ])
    func `SHA-1 agrees with the published values`(_ text: String, _ digest: String) {
        #expect(base64(Handshake.sha1(Array(text.utf8))) == digest)
    }

    @Test func `a key is sixteen bytes and never the same`() {
        let (one, other) = (Handshake.newKey(), Handshake.newKey())
        #expect(one.utf8.count == 24)
        #expect(one.hasSuffix("=="))
        #expect(one != other)
    }
}

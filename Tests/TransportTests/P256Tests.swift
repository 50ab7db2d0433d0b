import HoldfastBasics
import Testing

@testable import HoldfastTransport

@Suite struct P256Tests {
    /// RFC 6979, appendix A.2.5.
    private let privateKey = "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"

    private func key(_ digits: String) throws -> P256 {
        let key = try #require(bytes(ofHexDigits: digits))
        return try #require(P256(privateKey: key))
    }

    @Test func `a public key is the point of RFC 6979`() throws {
        let key = try self.key(privateKey)
        #expect(
            hexDigits(key.publicKey) == "04"
                + "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
                + "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299")
    }

    @Test(arguments: [
        (
            "sample", "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716",
            "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
        ),
        (
            "test", "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367",
            "019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083"
        ),
    ])
    func `signatures are those of RFC 6979`(_ message: String, _ r: String, _ s: String) throws {
        let key = try self.key(privateKey)
        let signature = key.signature(of: Array(message.utf8))
        #expect(hexDigits(signature.r) == r)
        #expect(hexDigits(signature.s) == s)
    }

    /// The smallest key is the generator itself, the largest its mirror image.
    @Test func `keys reach from 1 to the order less 1`() throws {
        let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
        let one = try key(String(repeating: "0", count: 63) + "1")
        let last = try key(order.dropLast() + "0")
        #expect(one.publicKey[1...32] == last.publicKey[1...32])
        #expect(one.publicKey[33...] != last.publicKey[33...])
        #expect(P256(privateKey: [UInt8](repeating: 0, count: 32)) == nil)
        let tooLarge = try #require(bytes(ofHexDigits: order))
        #expect(P256(privateKey: tooLarge) == nil)
        #expect(P256(privateKey: [1]) == nil)
    }

    @Test func `two keys differ`() {
        #expect(P256().privateKey != P256().privateKey)
    }
}

import HoldfastBasics
import HoldfastSmallFoundation

/// A certificate authority that is made for one run, signs one certificate, and forgets its key.
///
/// Clients that trust ``certificate`` trust the server; no other certificate can be signed with the key.
public struct ThrowAwayAuthority: Sendable {
    /// The authority's certificate in PEM, for clients to trust.
    public let certificate: String
    /// The server's certificate and its key, which exists only in memory.
    public let identity: TLSIdentity

    /// Makes the authority and the server's certificate.
    ///
    /// - Parameter host: A further name or address of the server beside localhost, 127.0.0.1 and ::1.
    /// - Throws: `tls` if a certificate cannot contain the host.
    public init(for host: String = "localhost") throws(TransportProblem) {
        let names = try Self.names(with: host)
        let (authorityKey, serverKey) = (P256(), P256())
        let issuer = Self.name("Holdfast, for one run")
        let authority = Self.certificate(
            of: authorityKey, called: issuer, signedBy: authorityKey, called: issuer,
            [
                Self.basicConstraints(DER.boolean(true) + DER.integer([0])),
                Self.keyUsage([0x04], unusedBits: 2),  // keyCertSign
            ])
        let server = Self.certificate(
            of: serverKey, called: Self.name("localhost"), signedBy: authorityKey, called: issuer,
            [
                Self.basicConstraints([]),
                Self.keyUsage([0x80], unusedBits: 7),  // digitalSignature
                Self.extension(DER.identifier(2, 5, 29, 37), DER.sequence(DER.identifier(1, 3, 6, 1, 5, 5, 7, 3, 1))),
                Self.extension(DER.identifier(2, 5, 29, 17), names),
            ])
        certificate = DER.pem("CERTIFICATE", authority)
        identity = TLSIdentity(
            chain: DER.pem("CERTIFICATE", server) + "\n" + certificate,
            key: DER.pem("EC PRIVATE KEY", Self.privateKey(serverKey)))
    }

    // MARK: RFC 5280

    private static func certificate(
        of key: P256, called subject: [UInt8], signedBy authority: P256, called issuer: [UInt8], _ extensions: [[UInt8]]
    ) -> [UInt8] {
        // The clocks of two machines differ, for example of a phone and this one.
        let validity = DER.sequence(time(.now - 86_400), time(.now + 30 * 86_400))
        let serial = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        let identifiers = [
            self.extension(DER.identifier(2, 5, 29, 14), DER.octetString(identifier(of: key))),
            self.extension(DER.identifier(2, 5, 29, 35), DER.sequence(DER.value(0x80, identifier(of: authority)))),
        ]
        let signed = DER.sequence(
            DER.tagged(0, DER.integer([2])),  // version 3
            DER.integer([0x40 | serial[0] & 0x3F] + serial[1...]), ecdsaWithSHA256, issuer, validity, subject,
            DER.sequence(publicKeyAlgorithm, DER.bitString(key.publicKey)),
            DER.tagged(3, DER.value(0x30, (identifiers + extensions).flatMap(\.self))))
        let signature = authority.signature(of: signed)
        return DER.sequence(
            signed, ecdsaWithSHA256,
            DER.bitString(DER.sequence(DER.integer(signature.r), DER.integer(signature.s))))
    }

    private static let ecdsaWithSHA256 = DER.sequence(DER.identifier(1, 2, 840, 10045, 4, 3, 2))
    private static let curve = DER.identifier(1, 2, 840, 10045, 3, 1, 7)
    private static let publicKeyAlgorithm = DER.sequence(DER.identifier(1, 2, 840, 10045, 2, 1), curve)

    /// A distinguished name with a common name only.
    private static func name(_ text: String) -> [UInt8] {
        DER.sequence(DER.set(DER.sequence(DER.identifier(2, 5, 4, 3), DER.utf8String(text))))
    }

    /// `YYMMDDhhmmssZ`: certificates write years before 2050 with two digits.
    private static func time(_ date: Date) -> [UInt8] {
        let digits = Array(date.formatted(.iso8601).utf8).filter {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
        return DER.value(0x17, digits.dropFirst(2) + [UInt8(ascii: "Z")])
    }

    /// Distinguishes two keys of one name (RFC 7093, method 1); strict clients refuse a certificate without it.
    private static func identifier(of key: P256) -> [UInt8] { Array(SHA256.digest(key.publicKey).prefix(20)) }

    private static func `extension`(_ identifier: [UInt8], isCritical: Bool = false, _ value: [UInt8]) -> [UInt8] {
        DER.sequence(identifier, isCritical ? DER.boolean(true) : [], DER.octetString(value))
    }

    private static func basicConstraints(_ content: [UInt8]) -> [UInt8] {
        self.extension(DER.identifier(2, 5, 29, 19), isCritical: true, DER.sequence(content))
    }

    private static func keyUsage(_ bits: [UInt8], unusedBits: UInt8) -> [UInt8] {
        self.extension(DER.identifier(2, 5, 29, 15), isCritical: true, DER.bitString(bits, unusedBits: unusedBits))
    }

    private static func names(with host: String) throws(TransportProblem) -> [UInt8] {
        func name(_ text: String) -> [UInt8] { DER.value(0x82, Array(text.utf8)) }
        func address(_ bytes: [UInt8]) -> [UInt8] { DER.value(0x87, bytes) }
        var names = name("localhost") + address([127, 0, 0, 1]) + address([UInt8](repeating: 0, count: 15) + [1])
        let parts = host.split(separator: ".").map { UInt8($0) }
        if parts.count == 4, parts.allSatisfy({ $0 != nil }) {
            names += address(parts.compactMap(\.self))
        } else if host != "localhost" {
            guard host.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw TransportProblem(.tls(reason: "host names in a certificate are ASCII"), at: host)
            }
            names += name(host)
        }
        return DER.sequence(names)
    }

    /// A private key with its curve (RFC 5915).
    private static func privateKey(_ key: P256) -> [UInt8] {
        DER.sequence(
            DER.integer([1]), DER.octetString(key.privateKey), DER.tagged(0, curve),
            DER.tagged(1, DER.bitString(key.publicKey)))
    }
}

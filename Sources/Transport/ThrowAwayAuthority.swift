import Crypto
import X509

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A certificate authority that is made for one run, signs one certificate, and forgets its key.
///
/// Clients that trust ``certificate`` believe the server; nobody can sign anything else in its name.
public struct ThrowAwayAuthority: Sendable {
    /// The certificate of the authority in PEM, for clients that want to trust it.
    public let certificate: String
    /// What the server shows: a certificate for its hosts, and its key, which is in memory alone.
    public let identity: TLSIdentity

    /// Makes both.
    ///
    /// - Parameter host: A further name or address of the server beside localhost, 127.0.0.1 and ::1.
    /// - Throws: `tls` when the host has no place in a certificate.
    public init(for host: String = "localhost") throws(TransportProblem) {
        do {
            let name = try DistinguishedName { CommonName("Holdfast, for one run") }
            let authorityKey = Certificate.PrivateKey(P256.Signing.PrivateKey())
            let serverKey = P256.Signing.PrivateKey()
            let authority = try Self.certificate(
                of: authorityKey.publicKey, name: name, signedBy: authorityKey, name: name,
                try Certificate.Extensions {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                    Critical(KeyUsage(keyCertSign: true))
                })
            let server = try Self.certificate(
                of: Certificate.PrivateKey(serverKey).publicKey,
                name: try DistinguishedName { CommonName("localhost") },
                signedBy: authorityKey, name: name,
                try Certificate.Extensions {
                    Critical(BasicConstraints.notCertificateAuthority)
                    Critical(KeyUsage(digitalSignature: true))
                    try ExtendedKeyUsage([.serverAuth])
                    SubjectAlternativeNames(Self.names(with: host))
                })
            certificate = try authority.serializeAsPEM().pemString
            identity = TLSIdentity(
                chain: try server.serializeAsPEM().pemString + "\n" + certificate, key: serverKey.pemRepresentation)
        } catch {
            throw TransportProblem(.tls(reason: "\(error)"), at: host)
        }
    }

    private static func certificate(
        of key: Certificate.PublicKey, name: DistinguishedName, signedBy issuerKey: Certificate.PrivateKey,
        name issuer: DistinguishedName, _ extensions: Certificate.Extensions
    ) throws -> Certificate {
        // Clocks of two machines differ; a phone beside the runner need not agree on the second.
        let now = Date.now
        return try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key,
            notValidBefore: now.addingTimeInterval(-86_400), notValidAfter: now.addingTimeInterval(30 * 86_400),
            issuer: issuer, subject: name, signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions,
            issuerPrivateKey: issuerKey)
    }

    private static func names(with host: String) -> [GeneralName] {
        var names: [GeneralName] = [
            .dnsName("localhost"), .ipAddress(.init(contentBytes: [127, 0, 0, 1])),
            .ipAddress(.init(contentBytes: ArraySlice([UInt8](repeating: 0, count: 15) + [1]))),
        ]
        let parts = host.split(separator: ".").map { UInt8($0) }
        if parts.count == 4, parts.allSatisfy({ $0 != nil }) {
            names.append(.ipAddress(.init(contentBytes: ArraySlice(parts.compactMap { $0 }))))
        } else if host != "localhost" {
            names.append(.dnsName(host))
        }
        return names
    }
}

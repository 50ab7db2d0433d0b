import Foundation
import HoldfastTLS
import Testing

@testable import HoldfastTransport

/// Files of TLS that cannot be used are told by what they hold, before anything connects.
@Suite struct TLSFlawTests {
    init() { installTLS() }

    private let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIIBHDBXBgkqhkiG9w0BBQ0wSjApBgkqhkiG9w0BBQwwHA==
        -----END ENCRYPTED PRIVATE KEY-----
        """

    private func flaws(ca: String? = nil, certificate: String, key: String) throws -> [TLSFlaw] {
        let texts = ["ca": ca ?? "", "certificate": certificate, "key": key]
        let options = TLSOptions(
            trustRootsFile: ca.map { _ in "ca" },
            identity: TLSOptions.Identity(certificateFile: "certificate", keyFile: "key"))
        return options.flaws { texts[$0] ?? "" }
    }

    @Test func `a certificate and its key are fine, and so is a certificate to trust`() throws {
        let own = try ThrowAwayCertificate()
        defer { own.remove() }
        let certificate = try String(contentsOfFile: own.certificateFile, encoding: .utf8)
        let key = try String(contentsOfFile: own.keyFile, encoding: .utf8)
        #expect(try flaws(ca: certificate, certificate: certificate, key: key) == [])
    }

    @Test func `swapped, encrypted, foreign and broken files are told apart`() throws {
        let own = try ThrowAwayCertificate()
        defer { own.remove() }
        let certificate = try String(contentsOfFile: own.certificateFile, encoding: .utf8)
        let key = try String(contentsOfFile: own.keyFile, encoding: .utf8)
        let swapped = try flaws(certificate: key, key: certificate)
        #expect(swapped.map(\.part) == [.certificate, .key])
        #expect(swapped.map(\.what) == ["contains a key, not a certificate", "contains a certificate, not a key"])
        #expect(
            try flaws(certificate: certificate, key: encrypted).map(\.what)
                == ["is encrypted, and there is no way to enter a passphrase"])
        let other = """
            -----BEGIN EC PRIVATE KEY-----
            MHcCAQEEID0Hiu69pLLw7BuF9y+Z5Xpb3XJdg+N1W+NM+QZv9Q2goAoGCCqGSM49
            AwEHoUQDQgAE3nzA0L/to1K0j3tAAYm8Xifv8EuHzyK8GdQQXFMYGlpBxYjFYE5t
            YZQn7CB4XCkg5wzAJhMXNtFHHI/xHW9BRg==
            -----END EC PRIVATE KEY-----
            """
        #expect(
            try flaws(certificate: certificate, key: other).map(\.what)
                == ["is not the key of the certificate in 'certificate'"])
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        #expect(
            try flaws(ca: broken, certificate: certificate, key: key).map(\.what)
                == ["contains an unreadable certificate"])
        #expect(try flaws(ca: "no PEM", certificate: certificate, key: key).map(\.part) == [.trustRoots])
    }
}

/// What a TLS library reports, in words.
@Suite struct TLSWordsTests {
    @Test(arguments: [
        ("TLSV1_ALERT_CERTIFICATE_REQUIRED", true), ("SSLV3_ALERT_HANDSHAKE_FAILURE", true),
        ("TLSV1_ALERT_UNKNOWN_CA", true), ("SSLV3_ALERT_BAD_CERTIFICATE", true), ("CERTIFICATE_VERIFY_FAILED", false),
        ("WRONG_VERSION_NUMBER", false), ("NO_START_LINE", false),
    ])
    func `what is about the client's certificate is told apart, without a place in the library`(
        name: String, isAboutClient: Bool
    ) {
        let reason = TLSWords.reason(
            "sslError([Error: 268436496 error:10000410:SSL routines:OPENSSL_internal:\(name) at /src/x.cc:592])")
        #expect(TLSWords.isAboutClient(reason) == isAboutClient, "\(reason)")
        #expect(!reason.contains("/"))
    }
}

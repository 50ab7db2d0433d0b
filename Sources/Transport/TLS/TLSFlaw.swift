import HoldfastBasics

/// A problem with a file in ``TLSOptions``, found before connecting, so that no server is blamed.
package struct TLSFlaw: Error, Sendable, Equatable {
    package enum Part: Sendable {
        case trustRoots, certificate, key
    }

    package let part: Part
    /// The problem with the file; continues a sentence that starts with its name.
    package let what: String
    package let expected: String
    package let fix: String
}

extension TLSOptions {
    /// All problems of the files, given a function that reads one of them.
    package func flaws<Failure: Error>(reading text: (String) throws(Failure) -> String) throws(Failure) -> [TLSFlaw] {
        var flaws: [TLSFlaw] = []
        if let trustRootsFile {
            flaws += Self.certificateFlaw(try text(trustRootsFile), .trustRoots).map { [$0] } ?? []
        }
        guard let identity else { return flaws }
        let (chain, key) = (try text(identity.certificateFile), try text(identity.keyFile))
        let own = [Self.certificateFlaw(chain, .certificate), Self.keyFlaw(key)].compactMap(\.self)
        guard own.isEmpty else { return flaws + own }
        return flaws
            + (TLS.provider?.belongs(key: key, to: chain) ?? true
                ? []
                : [
                    TLSFlaw(
                        part: .key, what: "is not the key of the certificate in '\(identity.certificateFile)'",
                        expected: "the key of this certificate",
                        fix: "give a matching pair of files")
                ])
    }

    private static func certificateFlaw(_ text: String, _ part: TLSFlaw.Part) -> TLSFlaw? {
        if text.contains("-----BEGIN CERTIFICATE-----") || text.contains("-----BEGIN TRUSTED CERTIFICATE-----") {
            if TLS.provider?.reads(certificates: text) ?? true { return nil }
            return TLSFlaw(
                part: part, what: "contains an unreadable certificate", expected: "X.509 certificates in PEM form",
                fix: "inspect it with 'openssl x509 -in FILE -text'")
        }
        if text.contains("PRIVATE KEY-----") {
            return TLSFlaw(
                part: part, what: "contains a key, not a certificate", expected: "a certificate in PEM form",
                fix: part == .certificate
                    ? "were the certificate and its key swapped?" : "give the file of the certificate")
        }
        return TLSFlaw(
            part: part, what: "contains no PEM certificate",
            expected: "a file with '-----BEGIN CERTIFICATE-----'",
            fix: "convert it with 'openssl x509 -in FILE -inform der -out FILE.pem'")
    }

    private static func keyFlaw(_ text: String) -> TLSFlaw? {
        let expected = "the key of the client certificate in PEM form, without a passphrase"
        if text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED") {
            return TLSFlaw(
                part: .key, what: "is encrypted, and there is no way to enter a passphrase", expected: expected,
                fix: "decrypt it with 'openssl pkey -in FILE -out PLAIN.pem', into a folder that only you can read")
        }
        if text.contains("PRIVATE KEY-----") {
            if TLS.provider?.reads(key: text) ?? true { return nil }
            return TLSFlaw(
                part: .key, what: "contains an unreadable key", expected: expected,
                fix: "inspect it with 'openssl pkey -in FILE -text'")
        }
        if text.contains("-----BEGIN CERTIFICATE-----") {
            return TLSFlaw(
                part: .key, what: "contains a certificate, not a key", expected: expected,
                fix: "were the certificate and its key swapped?")
        }
        return TLSFlaw(
            part: .key, what: "contains no PEM key", expected: expected,
            fix: "convert it with 'openssl pkey -in FILE -inform der -out FILE.pem'")
    }
}

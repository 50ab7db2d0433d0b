/// What the TLS library reports, in words: its own name functions, files and lines of its source.
enum TLSWords {
    /// Why TLS failed, from the description of an error.
    static func reason(_ description: String) -> String {
        if let known = known.first(where: { entry in entry.marks.contains { description.contains($0) } }) {
            return known.words
        }
        // Such as `error:10000410:SSL routines:OPENSSL_internal:SSLV3_ALERT_HANDSHAKE_FAILURE at …/tls_record.cc:592`.
        if let name = description.firstMatch(of: /OPENSSL_internal:([A-Z0-9_]+)/) {
            return name.1.lowercased().replacing("_", with: " ")
        }
        return String(description.prefix { $0 != "/" })
    }

    private static let known: [(marks: [String], words: String)] = [
        (["WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST"], "the other side does not speak TLS"),
        (["CERTIFICATE_VERIFY_FAILED"], "its certificate is not trusted here"),
        (["failedToValidateHostname", "unableToValidateCertificate"], "its certificate is not for this host"),
    ]
}

/// The certificate chain that a server shows to its clients, and the key of its leaf.
public struct TLSIdentity: Sendable, Equatable {
    package enum Source: Equatable, Sendable {
        case files(certificate: String, key: String)
        case texts(chain: String, key: String)
    }

    package let source: Source

    /// Names two PEM files, leaf first; they are read when the server starts.
    public init(certificateFile: String, keyFile: String) {
        source = .files(certificate: certificateFile, key: keyFile)
    }

    /// Takes two PEM texts, leaf first.
    public init(chain: String, key: String) { source = .texts(chain: chain, key: key) }

    var address: String {
        switch source {
        case .files(let certificate, _): certificate
        case .texts: "certificate of the server"
        }
    }
}

/// The certificates that a client trusts, and the one that it shows.
package struct TLSOptions: Sendable, Equatable {
    /// Whether to accept any certificate, even an expired one or one for another host.
    package var acceptAnyCertificate: Bool
    /// A PEM file with the roots to trust instead of the system's.
    package var trustRootsFile: String?
    /// The certificate that the client shows; nil for none.
    package var identity: Identity?

    package struct Identity: Sendable, Equatable {
        /// PEM; the certificate and its issuers.
        package let certificateFile: String
        package let keyFile: String

        package init(certificateFile: String, keyFile: String) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    package init(acceptAnyCertificate: Bool = false, trustRootsFile: String? = nil, identity: Identity? = nil) {
        self.acceptAnyCertificate = acceptAnyCertificate
        self.trustRootsFile = trustRootsFile
        self.identity = identity
    }
}

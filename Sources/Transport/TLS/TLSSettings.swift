/// What a server shows to its clients: a certificate chain and the key of its leaf.
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

/// How a client decides which certificates to believe.
package struct TLSOptions: Sendable, Equatable {
    /// Whether any certificate will do, also an expired one or one for another host; off unless asked for.
    package var acceptAnyCertificate: Bool
    /// A PEM file with the roots to trust instead of the system's.
    package var trustRootsFile: String?
    /// PEM files with the certificate, and those above it, that the client shows, and with its key; nil shows none.
    package var identity: Identity?

    /// Who a client says it is.
    package struct Identity: Sendable, Equatable {
        /// The PEM file of the certificate, with those above it.
        package let certificateFile: String
        /// The PEM file of its key.
        package let keyFile: String

        package init(certificateFile: String, keyFile: String) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    /// The system's roots and full verification unless told otherwise.
    package init(acceptAnyCertificate: Bool = false, trustRootsFile: String? = nil, identity: Identity? = nil) {
        self.acceptAnyCertificate = acceptAnyCertificate
        self.trustRootsFile = trustRootsFile
        self.identity = identity
    }
}

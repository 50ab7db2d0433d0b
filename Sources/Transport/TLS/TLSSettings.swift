import NIOCore
import NIOSSL

/// What a server shows to its clients: a certificate chain and the key of its leaf.
public struct TLSIdentity: Sendable, Equatable {
    private enum Source: Equatable {
        case files(certificate: String, key: String)
        case texts(chain: String, key: String)
    }

    private let source: Source

    /// Names two PEM files, leaf first; they are read when the server starts.
    public init(certificateFile: String, keyFile: String) {
        source = .files(certificate: certificateFile, key: keyFile)
    }

    /// Takes two PEM texts, leaf first.
    public init(chain: String, key: String) { source = .texts(chain: chain, key: key) }

    /// The settings of a server; without protocols it takes no part in ALPN, else it agrees to the best of them.
    func serverContext(speaking protocols: [String] = []) throws(TransportProblem) -> NIOSSLContext {
        do {
            let (chain, key) = try material()
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(key)
            )
            configuration.minimumTLSVersion = .tlsv12
            configuration.applicationProtocols = protocols
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw TransportProblem(.tls(reason: TLSWords.reason("\(error)")), at: address)
        }
    }

    private func material() throws -> ([NIOSSLCertificate], NIOSSLPrivateKey) {
        switch source {
        case .files(let certificate, let key):
            (try NIOSSLCertificate.fromPEMFile(certificate), try NIOSSLPrivateKey(file: key, format: .pem))
        case .texts(let chain, let key):
            (
                try NIOSSLCertificate.fromPEMBytes(Array(chain.utf8)),
                try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)
            )
        }
    }

    private var address: String {
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

    func clientHandler(for endpoint: Endpoint) throws(TransportProblem) -> NIOSSLClientHandler {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if acceptAnyCertificate { configuration.certificateVerification = .none }
        if let trustRootsFile { configuration.trustRoots = .file(trustRootsFile) }
        do {
            if let identity {
                configuration.certificateChain = try NIOSSLCertificate.fromPEMFile(identity.certificateFile)
                    .map { .certificate($0) }
                configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: identity.keyFile, format: .pem))
            }
            let context = try NIOSSLContext(configuration: configuration)
            // An address has no place in SNI; the library then compares it with the certificate's addresses itself.
            return try NIOSSLClientHandler(
                context: context, serverHostname: endpoint.hostIsAddress ? nil : endpoint.host)
        } catch {
            throw TransportProblem(.tls(reason: TLSWords.reason("\(error)")), at: endpoint.address)
        }
    }
}

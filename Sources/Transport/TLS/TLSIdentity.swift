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
    public init(chain: String, key: String) {
        source = .texts(chain: chain, key: key)
    }

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
            throw TransportProblem(.tls(reason: "\(error)"), at: place)
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

    private var place: String {
        switch source {
        case .files(let certificate, _): certificate
        case .texts: "certificate of the server"
        }
    }
}

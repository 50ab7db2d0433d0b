import HoldfastTransport
import NIOCore
import NIOSSL

/// Lets this program speak TLS, for `wss://` and `https://` addresses and for a push service with TLS.
///
/// Call it once, before the first connection.
public func installTLS() { TLS.install(NIOSSLProvider()) }

/// TLS by SwiftNIO's copy of BoringSSL.
struct NIOSSLProvider: TLSProvider {
    func clientHandler(_ options: TLSOptions, for endpoint: Endpoint) throws -> any ChannelHandler {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if options.acceptAnyCertificate { configuration.certificateVerification = .none }
        if let trustRootsFile = options.trustRootsFile { configuration.trustRoots = .file(trustRootsFile) }
        if let identity = options.identity {
            configuration.certificateChain = try NIOSSLCertificate.fromPEMFile(identity.certificateFile)
                .map { .certificate($0) }
            configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: identity.keyFile, format: .pem))
        }
        let context = try NIOSSLContext(configuration: configuration)
        // SNI cannot contain an address; without a name, the library checks the certificate for the peer's address.
        return try NIOSSLClientHandler(context: context, serverHostname: endpoint.hostIsAddress ? nil : endpoint.host)
    }

    func serverHandlers(
        _ identity: TLSIdentity, speaking protocols: [String]
    ) throws -> @Sendable () throws -> any ChannelHandler {
        let (chain, key) = try material(of: identity)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = protocols
        let context = try NIOSSLContext(configuration: configuration)
        return { NIOSSLServerHandler(context: context) }
    }

    private func material(of identity: TLSIdentity) throws -> ([NIOSSLCertificate], NIOSSLPrivateKey) {
        switch identity.source {
        case .files(let certificate, let key):
            (try NIOSSLCertificate.fromPEMFile(certificate), try NIOSSLPrivateKey(file: key, format: .pem))
        case .texts(let chain, let key):
            (
                try NIOSSLCertificate.fromPEMBytes(Array(chain.utf8)),
                try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)
            )
        }
    }

    func reads(certificates pem: String) -> Bool {
        (try? NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)))?.isEmpty == false
    }

    func reads(key pem: String) -> Bool { (try? NIOSSLPrivateKey(bytes: Array(pem.utf8), format: .pem)) != nil }

    func belongs(key: String, to chain: String) -> Bool {
        do {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.certificateChain = try NIOSSLCertificate.fromPEMBytes(Array(chain.utf8)).map {
                .certificate($0)
            }
            configuration.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem))
            _ = try NIOSSLContext(configuration: configuration)
            return true
        } catch {
            return false
        }
    }

    func code(of error: any Error) -> TransportProblem.Code? {
        switch error {
        case NIOSSLError.uncleanShutdown: .closed
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: .tls(reason: TLSWords.reason("\(error)"))
        default: nil
        }
    }
}

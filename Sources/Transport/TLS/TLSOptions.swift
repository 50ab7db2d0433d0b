import NIOCore
import NIOSSL

/// How a client decides which certificates to believe.
public struct TLSOptions: Sendable, Equatable {
    /// Whether any certificate will do, also an expired one or one for another host; off unless asked for.
    public var acceptAnyCertificate: Bool
    /// A PEM file with the roots to trust instead of the system's.
    public var trustRootsFile: String?

    /// The system's roots and full verification unless told otherwise.
    public init(acceptAnyCertificate: Bool = false, trustRootsFile: String? = nil) {
        self.acceptAnyCertificate = acceptAnyCertificate
        self.trustRootsFile = trustRootsFile
    }

    func clientHandler(for endpoint: Endpoint) throws(TransportProblem) -> NIOSSLClientHandler {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if acceptAnyCertificate { configuration.certificateVerification = .none }
        if let trustRootsFile { configuration.trustRoots = .file(trustRootsFile) }
        do {
            let context = try NIOSSLContext(configuration: configuration)
            // An address has no place in SNI; the library then compares it with the certificate's addresses itself.
            return try NIOSSLClientHandler(
                context: context, serverHostname: endpoint.hostIsAddress ? nil : endpoint.host)
        } catch {
            throw TransportProblem(.tls(reason: "\(error)"), at: endpoint.place)
        }
    }
}

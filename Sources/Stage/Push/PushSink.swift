import HoldfastTransport

/// A push service for one server under test: accepts what Apple's would, and hands each push to its scenario.
///
/// A push belongs to the scenario that borrowed the principal whose device it names. One sink serves one server,
/// because two servers with the same configuration push to the same devices.
package final class PushSink: Sendable {
    /// Whether a server can still be expected to use a device.
    package enum TokenState: Sendable, Hashable {
        /// The server has no reason to skip it.
        case fresh
        /// A push to it failed for a reason other than the device, which a server may misunderstand.
        case doubtful
        /// The service answered that the device is gone or invalid.
        case refused
    }

    /// A request that no scenario waits for.
    package struct Stray: Sendable, Equatable {
        package let method: String
        /// Without the device token.
        package let path: String
        package let status: Int
    }

    /// Far larger payloads than the 4096 bytes of a real service are read, so that the judge sees them.
    private static let limits = ServerLimits(
        maxBodyBytes: 1 << 20, maxHeldBytes: 64 << 20, maxConnections: 512, requestTimeout: .seconds(120))

    /// The base of its addresses, such as `http://127.0.0.1:4711`.
    package let url: String
    /// The certificate that a client over TLS must trust, in PEM and made for this sink alone; nil without TLS.
    package let certificate: String?

    let registry: PushRegistry
    private let server: TransportServer

    /// Starts to listen, for HTTP/2 as Apple's service speaks it, and for HTTP/1.1.
    ///
    /// * `port`: 0 for any free one.
    /// * `isSecure`: Whether clients must speak TLS; see ``certificate``. Without it, HTTP/2 uses prior knowledge.
    /// * `topic`: The required `apns-topic`, which names an app; nil for any.
    /// - Throws: `cannotListen`, or `tls` if no certificate can be made for the host.
    package init(
        host: String = "127.0.0.1", port: Int = 0, isSecure: Bool = false, topic: String? = nil
    ) async throws(TransportProblem) {
        registry = PushRegistry(topic: topic)
        let authority = isSecure ? try ThrowAwayAuthority(for: host) : nil
        certificate = authority?.certificate
        server = try await TransportServer.start(
            host: host, port: port, tls: authority?.identity, speaksHTTP2: true, limits: Self.limits,
            handler: PushHandler(registry: registry))
        url = server.httpURL("")
    }

    package func stop() async { await server.stop(graceful: .zero) }

    /// Requests that no scenario waits for: to unknown devices, paths or methods; the first hundred.
    package var strays: [Stray] { registry.strays }

    func tokenState(of device: String) -> TokenState { registry.tokenState(of: device) }
}

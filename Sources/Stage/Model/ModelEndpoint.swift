import HoldfastTransport

/// A model that obeys scripts, behind the interfaces of two vendors: what a server under test asks in place of a real one.
///
/// A server is tested unchanged when the base URL of its model can be set: with OpenAI's packages to the endpoint's HTTP URL
/// and `/v1`, with Anthropic's to the URL alone. The endpoint keeps nothing of what it is sent, and looks at no key.
package enum ModelEndpoint {
    /// Starts to listen.
    ///
    /// * `port`: 0 takes a free one.
    /// - Throws: `cannotListen` when the address is not free.
    package static func start(
        host: String = "127.0.0.1", port: Int = 0
    ) async throws(TransportProblem) -> TransportServer {
        // Larger bodies than the handler takes reach it, so that it can refuse them in the vendor's words.
        let limits = ServerLimits(maxBodyBytes: 2 * ModelHandler.maxBodyBytes, requestTimeout: .seconds(700))
        return try await TransportServer.start(host: host, port: port, limits: limits, handler: ModelHandler())
    }
}

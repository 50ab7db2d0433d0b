import HoldfastPlatform
import NIOCore

/// The TLS library of a program, and the HTTP/2 library that usually comes with it.
///
/// Both take a third of a first build, and few runs need them. So this module imports neither: the module `TLS`
/// installs them, and a program without them rejects `wss://` and `https://`.
package protocol TLSProvider: Sendable {
    func clientHandler(_ options: TLSOptions, for endpoint: Endpoint) throws -> any ChannelHandler
    /// Makes the handler for each connection of a server; without protocols the server does not offer ALPN.
    func serverHandlers(
        _ identity: TLSIdentity, speaking protocols: [String]
    ) throws -> @Sendable () throws -> any ChannelHandler
    /// Adds HTTP/2 to a connection of a server, with one stream for each request.
    ///
    /// The library's limits disconnect a client that endlessly resets streams, sends control frames or breaks rules.
    /// This module adds limits on connections, streams, bodies and times.
    ///
    /// * `serving`: Adds the handlers that answer the request of one stream.
    func addHTTP2(
        to pipeline: ChannelPipeline.SynchronousOperations, of channel: any Channel, within limits: ServerLimits,
        serving addStream: @escaping @Sendable (ChannelPipeline.SynchronousOperations) throws -> Void) throws
    func reads(certificates pem: String) -> Bool
    func reads(key pem: String) -> Bool
    func belongs(key: String, to chain: String) -> Bool
    /// The problem that corresponds to an error of the library; nil for other errors.
    func code(of error: any Error) -> TransportProblem.Code?
}

package enum TLS {
    private static let installed = Mutex<(any TLSProvider)?>(nil)

    static var provider: (any TLSProvider)? { installed.withLock { $0 } }

    /// Installs a TLS library; later calls have no effect.
    package static func install(_ provider: any TLSProvider) { installed.withLock { $0 = $0 ?? provider } }

    private static let handlerName = "holdfast.tls"

    static func add(_ handler: any ChannelHandler, to pipeline: ChannelPipeline.SynchronousOperations) throws {
        try pipeline.addHandler(handler, name: handlerName)
    }

    static func isSpoken(in pipeline: ChannelPipeline.SynchronousOperations) -> Bool {
        (try? pipeline.context(name: handlerName)) != nil
    }

    /// Calls the library; an error or a missing library becomes a problem at an address.
    private static func asking<Result>(
        at address: String, _ question: (any TLSProvider) throws -> Result
    ) throws(TransportProblem) -> Result {
        guard let provider else { throw TransportProblem(.noTLS, at: address) }
        do {
            return try question(provider)
        } catch {
            throw TransportProblem(.tls(reason: TLSWords.reason("\(error)")), at: address)
        }
    }

    static func clientHandler(
        _ options: TLSOptions, for endpoint: Endpoint
    ) throws(TransportProblem) -> any ChannelHandler {
        try asking(at: endpoint.address) { try $0.clientHandler(options, for: endpoint) }
    }

    static func serverHandlers(
        _ identity: TLSIdentity, speaking protocols: [String] = []
    ) throws(TransportProblem) -> @Sendable () throws -> any ChannelHandler {
        try asking(at: identity.address) { try $0.serverHandlers(identity, speaking: protocols) }
    }
}

import HoldfastPlatform
import NIOCore

/// The TLS library of a program.
///
/// A TLS library takes a third of a first build, and few runs need one. So this room imports none: the room `TLS` installs it, and a
/// program without it rejects `wss://` and `https://`.
package protocol TLSProvider: Sendable {
    /// The handler for one connection of a client.
    func clientHandler(_ options: TLSOptions, for endpoint: Endpoint) throws -> any ChannelHandler
    /// Makes the handler for each connection of a server; without protocols the server does not take part in ALPN.
    func serverHandlers(
        _ identity: TLSIdentity, speaking protocols: [String]
    ) throws -> @Sendable () throws -> any ChannelHandler
    /// Whether a PEM text holds certificates that the library can read.
    func reads(certificates pem: String) -> Bool
    /// Whether a PEM text holds a key that the library can read.
    func reads(key pem: String) -> Bool
    /// Whether a key is that of the first certificate of a chain.
    func belongs(key: String, to chain: String) -> Bool
    /// What an error of the library means for a connection; nil for errors of others.
    func code(of error: any Error) -> TransportProblem.Code?
}

/// The TLS library that this program has.
package enum TLS {
    private static let installed = Mutex<(any TLSProvider)?>(nil)

    /// The installed library; nil in a program without TLS.
    static var provider: (any TLSProvider)? { installed.withLock { $0 } }

    /// Gives the program a TLS library; the first one stays.
    package static func install(_ provider: any TLSProvider) { installed.withLock { $0 = $0 ?? provider } }

    /// The name of the handler that encrypts, in each pipeline that has one.
    private static let handlerName = "holdfast.tls"

    /// Adds the handler that encrypts.
    static func add(_ handler: any ChannelHandler, to pipeline: ChannelPipeline.SynchronousOperations) throws {
        try pipeline.addHandler(handler, name: handlerName)
    }

    /// Whether a connection is encrypted.
    static func isSpoken(in pipeline: ChannelPipeline.SynchronousOperations) -> Bool {
        (try? pipeline.context(name: handlerName)) != nil
    }

    /// Calls the library; an error of it, or its absence, becomes a problem at an address.
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

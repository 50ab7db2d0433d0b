/// What went wrong on a socket, at a known place, with the errors underneath kept.
public struct TransportProblem: Error, Sendable, Equatable {
    /// What happened; the list may grow, so a `switch` over it needs a `default`.
    public enum Code: Sendable, Equatable {
        /// The host answered that nothing listens on the port.
        case connectionRefused
        /// No connection came about: the name is unknown or no route leads to the host.
        case unreachable
        /// The server answered the upgrade with another status than 101; the excerpt is at most 400 characters.
        case upgradeRefused(status: Int, bodyExcerpt: String)
        /// The server answered the upgrade with 101 but not as RFC 6455 demands.
        case notWebSocket(reason: String)
        /// The connection was already closed, by whom does not matter.
        case closed
        /// The peer ended the connection with a TCP reset.
        case reset
        /// This side was told to fall silent and sends nothing any more.
        case silenced
        /// The deadline passed before the named thing happened.
        case late(what: String, limit: Duration)
        /// The waiting task was cancelled.
        case cancelled
        /// A message or body is larger than the limit, in bytes.
        case tooLarge(limit: Int)
        /// More bytes wait to be sent than the limit allows, because the peer does not read.
        case peerTooSlow(limit: Int)
        /// The TLS handshake or the certificate failed, in the words of the TLS library.
        case tls(reason: String)
        /// The text is not a URL this module can connect to.
        case badURL(reason: String)
        /// The peer broke the rules of HTTP or WebSocket.
        case protocolError(reason: String)
        /// The address cannot be listened on.
        case cannotListen(reason: String)
        /// The operating system reported something that has no case of its own.
        case system(reason: String)
    }

    /// What happened.
    public var code: Code
    /// Where it happened: a URL without its query, because queries carry tokens, or an address.
    public var place: String
    /// The descriptions of the errors underneath, the nearest first.
    public var causes: [String]

    /// Names what happened and where.
    public init(_ code: Code, at place: String, causes: [String] = []) {
        self.code = code
        self.place = place
        self.causes = causes
    }
}

import HoldfastBasics

/// A failure of a socket: what happened, where, and the underlying errors.
public struct TransportProblem: Error, Sendable, Equatable {
    /// The kind of failure; more cases may follow, so a `switch` needs a `default`.
    public enum Code: Sendable, Equatable {
        /// The host refused: nothing listens on the port.
        case connectionRefused
        /// The host does not answer, or no route leads to it.
        case unreachable
        /// The operating system does not permit this program to connect.
        case notPermitted
        /// This program or machine is out of descriptors, ports or memory, in the words of the operating system.
        case exhausted(reason: String)
        /// The host name does not exist.
        case unknownHost
        /// The server refused the upgrade with this status; the excerpt has at most 400 characters.
        case upgradeRefused(status: Int, bodyExcerpt: String)
        /// The server answered 101, but violated RFC 6455.
        case notWebSocket(reason: String)
        /// The connection was already closed, by either side.
        case closed
        /// The peer ended the connection with a TCP reset.
        case reset
        /// This side was silenced and sends nothing more.
        case silenced
        /// The deadline passed before the named event.
        case late(what: String, limit: Duration)
        /// The waiting task was canceled.
        case cancelled
        /// A message or body is larger than the limit, in bytes.
        case tooLarge(limit: Int)
        /// The send queue is full because the peer does not read.
        case peerTooSlow(limit: Int)
        /// The TLS handshake or the certificate failed, in the words of the TLS library.
        case tls(reason: String)
        /// The address needs TLS, and this program was built without it.
        case noTLS
        /// The text is not a URL this module can connect to.
        case badURL(reason: String, fix: String = "correct the URL")
        /// The peer violated HTTP or WebSocket.
        case protocolError(reason: String)
        /// The address cannot be bound.
        case cannotListen(ListenFailure)
        /// Another error of the operating system.
        case system(reason: String)
    }

    /// The reason why nothing can listen on an address.
    public enum ListenFailure: Sendable, Equatable {
        /// The port is not a number from 0 to 65535.
        case badPort
        /// Another program uses the port.
        case portTaken
        /// No network interface of this machine has the address.
        case foreignAddress
        /// The host name does not exist.
        case unknownHost
        /// The operating system does not permit this program to listen there.
        case notPermitted
        /// Another error, in the words of the operating system.
        case system(String)
    }

    /// The kind of failure.
    public var code: Code
    /// A URL without its query, because queries carry tokens, or an address.
    public var address: String
    /// The descriptions of the underlying errors, the nearest first.
    var causes: [String]

    /// Creates a problem.
    public init(_ code: Code, at address: String, causes: [String] = []) {
        self.code = code
        self.address = address
        self.causes = causes
    }
}

extension TransportProblem: CustomStringConvertible {
    /// The place and what is wrong, the expectation, the fix, and the causes, one per line.
    public var description: String {
        let words = words
        var lines = ["\(address): \(words.what)", "  expected: \(words.expected)", "  fix: \(words.fix)"]
        for cause in causes { lines.append("  cause: \(quotable(cause))") }
        return lines.joined(separator: "\n")
    }

    /// Whether the cause is on this side, so that the problem says nothing about the peer.
    package var isLocal: Bool {
        switch code {
        case .notPermitted, .noTLS, .exhausted: true
        default: false
        }
    }

    /// An identifier for machines and one-line logs, stable across versions.
    public var name: String {
        switch code {
        case .connectionRefused: "connection_refused"
        case .unreachable: "unreachable"
        case .notPermitted: "not_permitted"
        case .exhausted: "exhausted"
        case .unknownHost: "unknown_host"
        case .upgradeRefused: "upgrade_refused"
        case .notWebSocket: "not_websocket"
        case .closed: "closed"
        case .reset: "reset"
        case .silenced: "silenced"
        case .late: "late"
        case .cancelled: "cancelled"
        case .tooLarge: "too_large"
        case .peerTooSlow: "peer_too_slow"
        case .tls: "tls"
        case .noTLS: "no_tls"
        case .badURL: "bad_url"
        case .protocolError: "protocol_error"
        case .cannotListen: "cannot_listen"
        case .system: "system"
        }
    }

    package var words: ProblemWords {
        switch code {
        case .connectionRefused:
            .init("connection refused", "a server that listens there", "start the server, or correct host and port")
        case .unreachable:
            .init(
                "the host cannot be reached", "a host that answers", "correct the host, or check network and firewall")
        case .notPermitted:
            .init(
                "the operating system does not permit the connection", "permission to connect",
                "check the firewall, the sandbox or the container that this program runs in")
        case .exhausted(let reason):
            .init(
                "this machine has nothing left to connect with: \(quotable(reason))", "a free descriptor and port",
                "raise the limit of open files (ulimit -n), or run fewer scenarios at once (--jobs)")
        case .unknownHost:
            .init("no host has that name", "a host name that resolves", "correct the name, or check the network")
        case .upgradeRefused(let status, let body):
            .init(
                "upgrade refused with status \(status)" + (body.isEmpty ? "" : " and '\(quotable(body))'"),
                "status 101 on this path",
                status == 401 || status == 403 ? "give a token the server accepts" : "correct the path of the URL")
        case .notWebSocket(let reason):
            .init("not a WebSocket, \(reason)", "the answer of RFC 6455 section 4.2.2", "point the URL at a WebSocket")
        case .closed:
            .init("the connection is closed", "an open connection", "open a new one")
        case .reset:
            .init(
                "the peer reset the connection", "a close frame, or at least a clean end",
                "look for a crash of the peer")
        case .silenced:
            .init("this side was silenced", "a connection that still speaks", "open a new one")
        case .late(let what, let limit):
            .init(
                "timeout, no \(what) within \(readable(limit))", "\(what) in that time",
                "find out what the peer waits for, or allow more time")
        case .cancelled:
            .init("cancelled while waiting", "time to finish", "none, the caller canceled")
        case .tooLarge(let limit):
            .init("more than \(limit) bytes in one message", "at most \(limit) bytes", "send less, or raise the limit")
        case .peerTooSlow(let limit):
            .init(
                "more than \(limit) bytes wait to be sent", "a peer that reads",
                "make the peer read, or send less")
        case .tls(let reason):
            .init(
                "TLS failed, \(quotable(reason))", "a certificate that a trusted root signed for this host",
                "trust its root, or accept any certificate")
        case .noTLS:
            .init(
                "this program was built without TLS", "a program with TLS, or an address without it",
                "run HOLDFAST_TLS=1 ./conformance.sh; in a package, add the product HoldfastTLS and call installTLS()")
        case .badURL(let reason, let fix):
            .init(reason, "ws://, wss://, http:// or https://, a host, and optionally a port and a path", fix)
        case .protocolError(let reason):
            .init("protocol error, \(reason)", "HTTP/1.1 and RFC 6455 to the letter", "correct the peer")
        case .cannotListen(let failure):
            .init(
                "cannot listen, \(quotable(failure.reason))", "a free port on an address of this machine",
                failure.fix)
        case .system(let reason):
            .init(quotable(reason), "no error from the operating system", "see the message of the operating system")
        }
    }
}

extension TransportProblem.ListenFailure {
    package var reason: String {
        switch self {
        case .badPort: "ports range from 0 to 65535"
        case .portTaken: "another program listens on that port"
        case .foreignAddress: "this machine has no such address"
        case .unknownHost: "no host has that name"
        case .notPermitted: "the operating system does not permit it"
        case .system(let reason): reason
        }
    }

    package var fix: String {
        switch self {
        case .badPort, .system: "use port 0 for a free one"
        case .portTaken: "use another port, or 0 for a free one"
        case .foreignAddress, .unknownHost: "use 127.0.0.1 for this machine alone, 0.0.0.0 for all its addresses"
        case .notPermitted: "use a port from 1024, or 0 for a free one; ports below 1024 need a privilege"
        }
    }
}

/// The text on one line, cut at 120 characters with its length.
func quotable(_ text: String) -> String { excerpt(String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 })) }

import HoldfastBasics

/// What went wrong on a socket, at a known place, with the errors underneath kept.
public struct TransportProblem: Error, Sendable, Equatable {
    /// What happened; the list may grow, so a `switch` over it needs a `default`.
    public enum Code: Sendable, Equatable {
        /// The host answered that nothing listens on the port.
        case connectionRefused
        /// The host does not answer, or no route leads to it.
        case unreachable
        /// The operating system does not let this program connect.
        case notPermitted
        /// This program or machine has no descriptor, port or memory left, in the words of the operating system.
        case exhausted(reason: String)
        /// No host has that name.
        case unknownHost
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
        /// The address needs TLS, and this program was built without it.
        case noTLS
        /// The text is not a URL this module can connect to.
        case badURL(reason: String)
        /// The peer broke the rules of HTTP or WebSocket.
        case protocolError(reason: String)
        /// The address cannot be listened on.
        case cannotListen(ListenFailure)
        /// The operating system reported something that has no case of its own.
        case system(reason: String)
    }

    /// Why nothing can listen on an address.
    public enum ListenFailure: Sendable, Equatable {
        /// The port is no number from 0 to 65535.
        case badPort
        /// Another program listens there.
        case portTaken
        /// No network interface of this machine has the address.
        case foreignAddress
        /// No host has that name.
        case unknownHost
        /// The operating system does not let this program listen there.
        case notPermitted
        /// Something else, in the words of the operating system.
        case system(String)
    }

    /// What happened.
    public var code: Code
    /// Where it happened: a URL without its query, because queries carry tokens, or an address.
    public var address: String
    /// The descriptions of the errors underneath, the nearest first.
    var causes: [String]

    /// Names what happened and where.
    public init(_ code: Code, at address: String, causes: [String] = []) {
        self.code = code
        self.address = address
        self.causes = causes
    }
}

extension TransportProblem: CustomStringConvertible {
    /// The place and what is wrong, then what was expected, what to do, and the causes, a line each.
    public var description: String {
        let words = words
        var lines = ["\(address): \(words.what)", "  expected: \(words.expected)", "  fix: \(words.fix)"]
        for cause in causes { lines.append("  cause: \(quotable(cause))") }
        return lines.joined(separator: "\n")
    }

    /// Whether the cause lies on this side, so that it says nothing about the peer.
    package var isLocal: Bool {
        switch code {
        case .notPermitted, .noTLS, .exhausted: true
        default: false
        }
    }

    /// A word for machines and for one-line logs, stable across versions.
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

    /// What is wrong, what was expected, and what to do.
    package var words: (what: String, expected: String, fix: String) {
        switch code {
        case .connectionRefused:
            ("connection refused", "a server that listens there", "start the server, or correct host and port")
        case .unreachable:
            ("the host cannot be reached", "a host that answers", "correct the host, or check network and firewall")
        case .notPermitted:
            (
                "the operating system does not permit the connection", "permission to connect",
                "check the firewall, the sandbox or the container that this program runs in"
            )
        case .exhausted(let reason):
            (
                "this machine has nothing left to connect with: \(quotable(reason))", "a free descriptor and port",
                "raise the limit of open files (ulimit -n), or run fewer scenarios at once (--jobs)"
            )
        case .unknownHost:
            ("no host has that name", "a host name that resolves", "correct the name, or check the network")
        case .upgradeRefused(let status, let body):
            (
                "upgrade refused with status \(status)" + (body.isEmpty ? "" : " and '\(quotable(body))'"),
                "status 101 on this path",
                status == 401 || status == 403 ? "give a token the server accepts" : "correct the path of the URL"
            )
        case .notWebSocket(let reason):
            ("not a WebSocket, \(reason)", "the answer of RFC 6455 section 4.2.2", "point the URL at a WebSocket")
        case .closed:
            ("the connection is closed", "an open connection", "open a new one")
        case .reset:
            (
                "the peer reset the connection", "a close frame, or at least a clean end",
                "look for a crash of the peer"
            )
        case .silenced:
            ("this side was silenced", "a connection that still speaks", "open a new one")
        case .late(let what, let limit):
            (
                "timeout, no \(what) within \(readable(limit))", "\(what) in that time",
                "find out what the peer waits for, or allow more time"
            )
        case .cancelled:
            ("cancelled while waiting", "time to finish", "none, the caller canceled")
        case .tooLarge(let limit):
            ("more than \(limit) bytes in one message", "at most \(limit) bytes", "send less, or raise the limit")
        case .peerTooSlow(let limit):
            (
                "more than \(limit) bytes wait to be sent", "a peer that reads",
                "make the peer read, or send less"
            )
        case .tls(let reason):
            (
                "TLS failed, \(quotable(reason))", "a certificate that a trusted root signed for this host",
                "trust its root, or accept any certificate"
            )
        case .noTLS:
            (
                "this program was built without TLS", "a program with TLS, or an address without it",
                "run HOLDFAST_TLS=1 ./conformance.sh; in a package, add the product HoldfastTLS and call installTLS()"
            )
        case .badURL(let reason):
            (reason, "ws://, wss://, http:// or https://, a host, and optionally a port and a path", "correct the URL")
        case .protocolError(let reason):
            ("protocol error, \(reason)", "HTTP/1.1 and RFC 6455 to the letter", "correct the peer")
        case .cannotListen(let failure):
            (
                "cannot listen, \(quotable(failure.reason))", "a free port on an address of this machine",
                failure.fix
            )
        case .system(let reason):
            (quotable(reason), "no error from the operating system", "see the message of the operating system")
        }
    }
}

extension TransportProblem.ListenFailure {
    /// What is wrong, in a few words.
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

    /// What to do about it.
    package var fix: String {
        switch self {
        case .badPort, .system: "use port 0 for a free one"
        case .portTaken: "use another port, or 0 for a free one"
        case .foreignAddress, .unknownHost: "use 127.0.0.1 for this machine alone, 0.0.0.0 for all its addresses"
        case .notPermitted: "use a port from 1024, or 0 for a free one; ports below 1024 need a privilege"
        }
    }
}

/// Text cut at 120 characters with its length, on one line.
func quotable(_ text: String) -> String { excerpt(String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 })) }

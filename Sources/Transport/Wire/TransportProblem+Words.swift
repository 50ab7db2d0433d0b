extension TransportProblem: CustomStringConvertible {
    /// The place and what is wrong, then what was expected, what to do, and the causes, a line each.
    public var description: String {
        let words = words
        var lines = ["\(place): \(words.what)", "  expected: \(words.expected)", "  fix: \(words.fix)"]
        for cause in causes { lines.append("  cause: \(quotable(cause))") }
        return lines.joined(separator: "\n")
    }

    /// A word for machines and for one-line logs, stable across versions.
    public var name: String {
        switch code {
        case .connectionRefused: "connection_refused"
        case .unreachable: "unreachable"
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
        case .badURL: "bad_url"
        case .protocolError: "protocol_error"
        case .cannotListen: "cannot_listen"
        case .system: "system"
        }
    }

    private var words: (what: String, expected: String, fix: String) {
        switch code {
        case .connectionRefused:
            ("connection refused", "a server that listens there", "start the server, or correct host and port")
        case .unreachable:
            (
                "no way to the host", "a host name that resolves and a route to it",
                "correct the host, or check the network"
            )
        case .upgradeRefused(let status, let excerpt):
            (
                "upgrade refused with status \(status)" + (excerpt.isEmpty ? "" : " and '\(quotable(excerpt))'"),
                "status 101 on this path",
                status == 401 || status == 403 ? "give a token the server accepts" : "correct the path of the URL"
            )
        case .notWebSocket(let reason):
            ("not a WebSocket, \(reason)", "the answer of RFC 6455 section 4.2.2", "point the URL at a WebSocket")
        case .closed:
            ("the connection is closed", "an open connection", "open a new one")
        case .reset:
            (
                "the peer reset the connection", "a close frame, or at least an orderly end",
                "look for a crash of the peer"
            )
        case .silenced:
            ("this side was silenced", "a connection that still speaks", "open a new one")
        case .late(let what, let limit):
            (
                "late, no \(what) within \(spelled(limit))", "\(what) in that time",
                "find out what the peer waits for, or allow more time"
            )
        case .cancelled:
            ("cancelled while waiting", "a task that is allowed to finish", "none, the caller gave up")
        case .tooLarge(let limit):
            ("more than \(limit) bytes in one message", "at most \(limit) bytes", "send less, or raise the limit")
        case .peerTooSlow(let limit):
            (
                "more than \(limit) bytes wait to be sent", "a peer that reads what it is sent",
                "let the peer read, or send less"
            )
        case .tls(let reason):
            (
                "TLS failed, \(quotable(reason))", "a certificate that a trusted root signed for this host",
                "trust its root, or accept any certificate knowingly"
            )
        case .badURL(let reason):
            (reason, "ws://, wss://, http:// or https://, a host, and if need be a port and a path", "correct the URL")
        case .protocolError(let reason):
            ("protocol error, \(reason)", "HTTP/1.1 and RFC 6455 to the letter", "correct the peer")
        case .cannotListen(let reason):
            ("cannot listen, \(quotable(reason))", "a free port on an address of this machine", "use port 0")
        case .system(let reason):
            (quotable(reason), "no error from the operating system", "see the words of the operating system")
        }
    }
}

/// Text cut at 120 characters with its length, without control characters.
func quotable(_ text: String) -> String {
    let flat = String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 })
    guard flat.count > 120 else { return flat }
    return "\(flat.prefix(120))… (\(flat.count) characters)"
}

/// A duration in the unit people would say: `250 ms`, `2.5 s`.
func spelled(_ duration: Duration) -> String {
    let milliseconds = duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
    guard milliseconds >= 1000 else { return "\(milliseconds) ms" }
    return "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
}

package struct Endpoint: Sendable, Hashable, CustomStringConvertible {
    package enum Scheme: String, Sendable, Hashable {
        case ws, wss
        case http, https

        package var isSecure: Bool { self == .wss || self == .https }
        var defaultPort: Int { isSecure ? 443 : 80 }
    }

    package var scheme: Scheme
    /// A name or an address; an IPv6 address has no brackets.
    package var host: String
    /// The port in the URL, or the scheme's default.
    package var port: Int
    /// Path and query as sent; at least `/`.
    package var target: String

    /// Requires a scheme and a host; port, path and query are optional, user name and fragment are rejected.
    /// - Throws: The problem `badURL`, with the correction.
    package init(_ url: String) throws(TransportProblem) {
        func bad(_ reason: String) -> TransportProblem {
            TransportProblem(.badURL(reason: reason), at: Self.shown(url))
        }
        guard let separator = Self.position(of: "://", in: url) else {
            let fix = "begin with the scheme: ws://\(url.isEmpty ? "HOST:PORT/PATH" : Self.shown(url))"
            throw TransportProblem(.badURL(reason: "a URL without a scheme", fix: fix), at: Self.shown(url))
        }
        let schemeText = url[..<separator].lowercased()
        guard let scheme = Scheme(rawValue: schemeText) else { throw bad("unknown scheme '\(quotable(schemeText))'") }
        let rest = url[url.index(separator, offsetBy: 3)...]
        guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw bad("a space, control character or non-ASCII character in the URL, which must be percent-encoded")
        }
        guard !rest.contains("#") else { throw bad("a fragment, which never reaches a server") }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { throw bad("a user name in the URL, which this module does not send") }
        let (host, portText) = Self.split(authority)
        guard !host.isEmpty else { throw bad("a URL without a host") }
        guard !host.contains(where: { "[]\\<>\"^`{|}%".contains($0) }), authority.first == "[" || !host.contains(":")
        else { throw bad("host '\(quotable(host))' is neither a name nor an address") }
        if let portText {
            guard let port = Int(portText), (1...65535).contains(port), portText.allSatisfy(\.isNumber) else {
                throw bad("port '\(quotable(portText))' is not a number from 1 to 65535")
            }
            self.port = port
        } else {
            self.port = scheme.defaultPort
        }
        self.scheme = scheme
        self.host = host
        let tail = rest[authority.endIndex...]
        target = tail.first == "/" ? String(tail) : "/" + tail
    }

    /// Replaces `http` by `ws`, and `https` by `wss`; both name the same server.
    package static func webSocketURL(_ url: String) -> String {
        for (scheme, other) in [("http:", "ws:"), ("https:", "wss:")] where url.lowercased().hasPrefix(scheme) {
            return other + url.dropFirst(scheme.count)
        }
        return url
    }

    package var path: String { String(target.prefix { $0 != "?" }) }
    /// Everything after the first question mark, if there is one.
    package var query: String? { target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) } }
    /// Host and port as in the `Host` field.
    package var authority: String { port == scheme.defaultPort ? bracketedHost : "\(bracketedHost):\(port)" }
    /// Scheme, host and port, without path and query.
    package var origin: String { "\(scheme.rawValue)://\(authority)" }
    package var description: String { origin + target }
    /// The URL without its query, safe to print: queries carry tokens.
    package var address: String { origin + path }
    package var isWebSocket: Bool { scheme == .ws || scheme == .wss }

    /// The HTTP side of the same server: `ws` becomes `http`, `wss` becomes `https`, and the path becomes `/`.
    package var httpBase: Endpoint {
        var base = at("/")
        base.scheme = scheme.isSecure ? .https : .http
        return base
    }

    package func at(_ target: String) -> Endpoint {
        var other = self
        other.target = target.first == "/" ? target : "/" + target
        return other
    }

    package var hostIsAddress: Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return host.contains(":") || parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }

    private var bracketedHost: String { Self.bracketed(host) }

    /// A host for a URL; an IPv6 address gets brackets (RFC 3986, 3.2.2).
    package static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

    private static func position(of needle: String, in text: String) -> String.Index? {
        text.indices.first { text[$0...].hasPrefix(needle) }
    }

    /// The URL as typed, without its secrets: the query, user name and password.
    package static func shown(_ url: String) -> String {
        let address = url.prefix { $0 != "?" }
        guard !address.isEmpty else { return "''" }
        guard let at = address.lastIndex(of: "@"), let scheme = position(of: "://", in: url) else {
            return quotable(String(address))
        }
        return quotable(address[..<scheme] + "://…" + address[at...])
    }

    private static func split(_ authority: Substring) -> (host: String, port: String?) {
        if authority.first == "[", let end = authority.firstIndex(of: "]") {
            let host = String(authority[authority.index(after: authority.startIndex)..<end])
            let tail = authority[authority.index(after: end)...]
            if tail.isEmpty { return (host, nil) }
            return (host, tail.first == ":" ? String(tail.dropFirst()) : String(tail))
        }
        guard let colon = authority.lastIndex(of: ":") else { return (String(authority), nil) }
        return (String(authority[..<colon]), String(authority[authority.index(after: colon)...]))
    }
}

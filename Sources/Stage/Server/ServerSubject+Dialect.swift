import Holdfast
import Transport

/// How an upgrade is asked for.
struct UpgradeAsked: Sendable {
    /// Where, with the query.
    var endpoint: Endpoint
    /// Fields added to the request.
    var headers: [(String, String)] = []
    /// The path and query that a scenario can tell apart, credentials included.
    var path: String
}

extension ServerSubject {
    /// The upgrade with a credential, where the dialect wants it, and a query.
    func upgrade(token: String?, query: String? = nil) -> UpgradeAsked {
        var parts = [query].compactMap { $0 }
        var headers: [(String, String)] = []
        switch (dialect.credential, token) {
        case (.query(let name), let token?): parts.append("\(percentEncoded(name))=\(percentEncoded(token))")
        case (.header(let name, let prefix), let token?): headers.append((name, prefix + token))
        default: break
        }
        let path = webSocket.path + (parts.isEmpty ? "" : "?" + parts.joined(separator: "&"))
        // A query of the address itself is not the scenario's; one that a scenario gives stands in its place.
        let own = query == nil ? webSocket.query.map { [$0] } ?? [] : []
        let full = (own + parts).joined(separator: "&")
        return UpgradeAsked(
            endpoint: webSocket.at(webSocket.path + (full.isEmpty ? "" : "?" + full)), headers: headers, path: path)
    }

    /// The same subject, reached as its dialect says where the address leaves that open.
    package mutating func speak(_ dialect: Dialect) {
        self.dialect = dialect
        if webSocket.path == "/", let path = dialect.socketPath {
            webSocket = webSocket.at(path + (webSocket.query.map { "?\($0)" } ?? ""))
        }
    }
}

/// The text as a value in a query: all but letters, digits and `-._~` as `%xx`.
func percentEncoded(_ text: String) -> String {
    text.utf8.map { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            String(UnicodeScalar(byte))
        default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
    }.joined()
}

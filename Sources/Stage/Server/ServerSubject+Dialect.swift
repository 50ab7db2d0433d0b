import Holdfast
import HoldfastBasics
import HoldfastTransport

struct UpgradeSpec: Sendable {
    /// The address, with the query.
    var endpoint: Endpoint
    var headers: [(String, String)] = []
    /// The path and query that a scenario sees, credentials included.
    var path: String
}

extension ServerSubject {
    /// The upgrade with a credential, placed as the dialect requires, and a query.
    func upgrade(token: String?, query: String? = nil) -> UpgradeSpec {
        var parts = [query].compactMap { $0 }
        var headers = headers
        switch (dialect.credential, token) {
        case (.query(let name), let token?): parts.append("\(percentEncoded(name))=\(percentEncoded(token))")
        case (.header(let name, let prefix), let token?): headers.append((name, prefix + token))
        default: break
        }
        let path = webSocket.path + (parts.isEmpty ? "" : "?" + parts.joined(separator: "&"))
        // The address's own query is not part of the scenario; a scenario's query replaces it.
        let own = query == nil ? webSocket.query.map { [$0] } ?? [] : []
        let full = (own + parts).joined(separator: "&")
        return UpgradeSpec(
            endpoint: webSocket.at(webSocket.path + (full.isEmpty ? "" : "?" + full)), headers: headers, path: path)
    }

    func request(_ method: String, _ path: String, token: String?, body: String?) -> HTTPRequestSpec {
        var headers = headers + [("Accept", "application/json")]
        if let token { headers.append(("Authorization", "Bearer \(token)")) }
        if body != nil { headers.append(("Content-Type", "application/json")) }
        let base = http.path.hasSuffix("/") ? String(http.path.dropLast()) : http.path
        return HTTPRequestSpec(method, http.at(base + path), headers: headers, body: Array((body ?? "").utf8))
    }

    /// Switches to a dialect, and to its path if the address has none.
    package mutating func speak(_ dialect: Dialect) {
        self.dialect = dialect
        if webSocket.path == "/", let path = dialect.socketPath {
            webSocket = webSocket.at(path + (webSocket.query.map { "?\($0)" } ?? ""))
        }
    }
}

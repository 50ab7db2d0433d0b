import JSON
import Transport

/// The credentials that passed through a proxy: whose they are, and what stands in their place in everything that is written.
///
/// People are numbered in the order in which their credentials were first shown, so that the same one has the same name on
/// every connection and in every request. A name says nothing about what the credential is.
struct ShownCredentials {
    /// Whether credentials are written as they are.
    let showsSecrets: Bool
    private var names: [String: String] = [:]
    private var secrets: [(name: String, token: String?)] = []
    private var redaction = Redaction([])

    /// The most that are told apart; whoever shows more is nobody's app, and gets no name of its own.
    private static let most = 1000

    init(showsSecrets: Bool) {
        self.showsSecrets = showsSecrets
    }

    /// The name of whoever shows a credential.
    mutating func principal(of credential: String) -> String {
        if let name = names[credential] { return name }
        let name = names.count < Self.most ? "p\(names.count + 1)" : "p"
        guard names.count < Self.most else { return name }
        names[credential] = name
        learn(credential, of: name)
        return name
    }

    /// Keeps a secret that tells nobody apart out of everything that is written from now on.
    mutating func learn(_ secret: String, of owner: String) {
        guard !showsSecrets, !secret.isEmpty, secrets.count < 4 * Self.most,
            !secrets.contains(where: { $0.token == secret })
        else { return }
        secrets.append((owner, secret))
        redaction = Redaction(secrets)
    }

    // MARK: finding

    /// Who asks, told by the head of a request: header, key in the query, or cookie; nil without any.
    mutating func principal(of request: HTTPServerRequest) -> String? {
        var found: [String] = []
        if let value = request.header("Authorization"), !value.isEmpty {
            let words = value.split(separator: " ", maxSplits: 1).map(String.init)
            found.append(words.count == 2 ? words[1] : value)
        }
        for name in Self.headers {
            if let value = request.header(name), !value.isEmpty { found.append(value) }
        }
        if let query = request.query {
            found += Redaction.credentials(inQuery: query)
        }
        let cookies = request.headers.filter { $0.0.lowercased() == "cookie" }.map(\.1)
        let parts = cookies.flatMap { $0.split(separator: ";") }.compactMap { pair -> String? in
            guard let equals = pair.firstIndex(of: "=") else { return nil }
            let value = String(pair[pair.index(after: equals)...])
            return value.isEmpty ? nil : value
        }
        if let first = found.first {
            let name = principal(of: first)
            for other in found.dropFirst() + parts { learn(other, of: name) }
            return name
        }
        // A cookie tells people apart only where nothing else does: analytics have cookies too.
        guard let cookie = parts.max(by: { $0.utf8.count < $1.utf8.count }) else { return nil }
        let name = principal(of: cookie)
        for part in parts { learn(part, of: name) }
        return name
    }

    /// Who says it, told by a frame that carries a credential; nil for any other.
    mutating func principal(ofFrame text: String) -> String? {
        guard text.utf8.count <= 65_536, Self.mayHold(text), let frame = try? JSONParser.document(text).root,
            let type = frame["type"]?.stringValue
        else { return nil }
        var name: String?
        for (member, value) in frame.objectValue ?? JSONObject() {
            guard let token = value.stringValue, !token.isEmpty, !Self.isShown(token) else { continue }
            let spelled = member.lowercased().filter { $0 != "_" && $0 != "-" }
            // In other frames a token can be a word of an answer.
            guard Self.members.contains(spelled) && (spelled != "token" || Self.opens(type)) else { continue }
            name = name ?? principal(of: token)
            learn(token, of: name ?? "p")
        }
        return name
    }

    /// Keeps what a body or a field gives out as a credential from being written.
    mutating func learn(from answer: HTTPServerResponse, _ body: String?) {
        for (name, value) in answer.headers where name.lowercased() == "set-cookie" {
            let cookie = value.prefix { $0 != ";" }
            if let equals = cookie.firstIndex(of: "=") {
                learn(String(cookie[cookie.index(after: equals)...]), of: "cookie")
            }
        }
        if let body { learn(inBody: body, isAnswer: true) }
    }

    /// Keeps what a request says in its body under the name of a credential from being written.
    mutating func learn(inBody text: String, isAnswer: Bool = false) {
        guard text.utf8.count <= 65_536, Self.mayHold(text), let root = try? JSONParser.document(text).root else {
            return
        }
        for (member, value) in root.objectValue ?? JSONObject() {
            let spelled = member.lowercased().filter { $0 != "_" && $0 != "-" }
            if Self.members.contains(spelled), let secret = value.stringValue { learn(secret, of: "body") }
        }
    }

    private static func mayHold(_ text: String) -> Bool {
        ["oken", "ey\"", "EY\"", "assword", "ecret", "jwt", "uthorization"].contains { text.contains($0) }
    }

    /// Whether a frame of a type begins a conversation, so that its token is a credential.
    private static func opens(_ type: String) -> Bool {
        let type = type.lowercased()
        return ["auth", "login", "hello", "connect", "register", "identify"].contains { type.contains($0) }
    }

    /// Whether a text stands in the place of a credential already.
    private static func isShown(_ text: String) -> Bool { text.hasPrefix("‹") && text.hasSuffix("›") }

    private static let headers = ["X-API-Key", "X-Auth-Token", "Proxy-Authorization"]
    private static let members: Set<String> = [
        "token", "apikey", "accesstoken", "refreshtoken", "authorization", "password", "secret", "jwt",
        "sessiontoken", "devicetoken",
    ]

    // MARK: hiding

    /// A frame as it may be written.
    func applied(toFrame text: String, toServer: Bool) -> String {
        guard !showsSecrets, !secrets.isEmpty else { return text }
        return toServer ? redaction.applied(toMembers: text, named: Self.members) : redaction.applied(to: text)
    }

    /// A body as it may be written.
    func applied(toBody text: String) -> String {
        guard !showsSecrets, !secrets.isEmpty else { return text }
        return Self.mayHold(text)
            ? redaction.applied(toMembers: text, named: Self.members) : redaction.applied(to: text)
    }

    /// A path with its query.
    func applied(toPath path: String) -> String { showsSecrets ? path : redaction.applied(toPath: path) }

    /// Any other text.
    func applied(to text: String) -> String { showsSecrets ? text : redaction.applied(to: text) }

    /// Bytes.
    func applied(to bytes: [UInt8]) -> [UInt8] { showsSecrets ? bytes : redaction.applied(to: bytes) }

    /// The value of a field of an answer.
    func applied(toField name: String, _ value: String) -> String {
        if showsSecrets { return value }
        return ["set-cookie", "authorization"].contains(name.lowercased()) ? "‹cookie›" : applied(to: value)
    }
}

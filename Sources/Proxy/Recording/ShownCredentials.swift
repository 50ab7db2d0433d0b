import Holdfast
import HoldfastJSON
import HoldfastStage
import HoldfastTransport

/// The credentials in a proxy's traffic: their owners, and what replaces them in everything recorded.
///
/// Owners are numbered in order of appearance, so that a credential has the same name on every connection and in every
/// request. A name reveals nothing about the credential.
package struct ShownCredentials {
    let showsSecrets: Bool
    private var names: [String: String] = [:]
    private var secrets: [(name: String, token: String?)] = []
    private var known: Set<String> = []
    private var redaction = Redaction([])

    /// The most owners to number; an app of one user has far fewer, and further owners share the name `p`.
    private static let maxNames = 1000

    package init(showsSecrets: Bool) { self.showsSecrets = showsSecrets }

    package mutating func principal(of credential: String) -> String {
        if let name = names[credential] { return name }
        guard names.count < Self.maxNames else {
            learn(credential, of: "p")
            return "p"
        }
        let name = "p\(names.count + 1)"
        names[credential] = name
        learn(credential, of: name)
        return name
    }

    /// Redacts a secret in everything recorded from now on, as its owner's name.
    package mutating func learn(_ secret: String, of owner: String) {
        guard !showsSecrets, !secret.isEmpty, known.insert(secret).inserted else { return }
        // The oldest are dropped, because the newest are the most likely to recur.
        if secrets.count >= 4 * Self.maxNames, let oldest = secrets.removeFirst().token { known.remove(oldest) }
        secrets.append((owner, secret))
        redaction = Redaction(secrets)
    }

    // MARK: finding

    /// The principal in the head of a request: from a header, a query key or a cookie; nil if there is none.
    package mutating func principal(of request: HTTPServerRequest) -> String? {
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
        // A cookie identifies a principal only if nothing else does: analytics use cookies too.
        guard let cookie = parts.max(by: { $0.utf8.count < $1.utf8.count }) else { return nil }
        let name = principal(of: cookie)
        for part in parts { learn(part, of: name) }
        return name
    }

    /// The principal of a client's frame with a credential; nil for other frames.
    package mutating func principal(ofFrame text: String) -> String? { principal(of: CredentialMembers(text)) }

    mutating func principal(of found: CredentialMembers) -> String? {
        var name: String?
        for member in found.members where Self.isCredential(member, in: found) {
            // A device token does not identify its user.
            if name == nil, !CredentialNames.isDevice(member.name) { name = principal(of: member.value) }
            learn(member.value, of: name ?? "device")
        }
        return name
    }

    package mutating func learn(fromServerFrame text: String) { learn(fromServer: CredentialMembers(text)) }

    mutating func learn(fromServer found: CredentialMembers) {
        for member in found.members where Self.isCredential(member, in: found) && !Self.isProse(member.value) {
            learn(member.value, of: "frame")
        }
    }

    package mutating func learn(from answer: HTTPServerResponse, _ body: String?) {
        for (name, value) in answer.headers {
            if name.lowercased() == "set-cookie" {
                let cookie = value.prefix { $0 != ";" }
                if let equals = cookie.firstIndex(of: "=") {
                    learn(String(cookie[cookie.index(after: equals)...]), of: "cookie")
                }
            } else if let mark = value.firstIndex(where: { $0 == "?" || $0 == "#" }) {
                for secret in Redaction.credentials(inQuery: String(value[mark...])) { learn(secret, of: "answer") }
            }
        }
        if let body { learn(inBody: body, isAnswer: true) }
    }

    package mutating func learn(inBody text: String, isAnswer: Bool = false) {
        if Self.isForm(text) {
            for secret in Redaction.credentials(inQuery: text) { learn(secret, of: "body") }
            return
        }
        // In an answer, such a member may contain an error message whose words occur elsewhere too.
        for member in CredentialMembers(text).members
        where !Self.isRedacted(member.value) && !(isAnswer && Self.isProse(member.value)) {
            learn(member.value, of: "body")
        }
    }

    private static func isForm(_ text: String) -> Bool {
        guard let first = text.utf8.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return false }
        return !"{[\"<".utf8.contains(first) && text.utf8.contains(UInt8(ascii: "="))
    }

    /// Whether a member holds a credential; many servers send the pieces of an answer as `token`.
    private static func isCredential(_ member: CredentialMembers.Member, in frame: CredentialMembers) -> Bool {
        guard !isRedacted(member.value) else { return false }
        return !CredentialNames.isToken(member.name) || frame.types.contains(where: opens) || looksRandom(member.value)
    }

    private static func looksRandom(_ text: String) -> Bool {
        let bytes = text.utf8
        return bytes.count >= 20 && bytes.contains { (0x30...0x39).contains($0) }
            && bytes.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "._~+/=-".utf8.contains(byte)
            }
    }

    private static func isProse(_ text: String) -> Bool { text.contains(" ") }

    /// Whether a frame of a type opens a conversation, so that its token is a credential.
    private static func opens(_ type: String) -> Bool {
        let type = type.lowercased()
        return ["auth", "login", "hello", "connect", "register", "identify"].contains { type.contains($0) }
    }

    /// Whether a text is already a redaction.
    private static func isRedacted(_ text: String) -> Bool { text.hasPrefix("‹") && text.hasSuffix("›") }

    private static let headers = ["X-API-Key", "X-Auth-Token", "Proxy-Authorization"]

    // MARK: hiding

    package func applied(toFrame text: String) -> String { applied(toFrame: text, CredentialMembers(text)) }

    /// A frame with its credentials redacted, given its members.
    func applied(toFrame text: String, _ found: CredentialMembers?) -> String {
        let members = credentials(found)
        guard !members.isEmpty else { return applied(to: text) }
        return String(decoding: hiding(members, in: Array(text.utf8)), as: UTF8.self)
    }

    func applied(toFrame bytes: [UInt8], _ found: CredentialMembers?) -> [UInt8] {
        hiding(credentials(found), in: bytes)
    }

    private func credentials(_ found: CredentialMembers?) -> [CredentialMembers.Member] {
        guard !showsSecrets, let found, !found.members.isEmpty else { return [] }
        return found.members.filter { Self.isCredential($0, in: found) }
    }

    package func applied(toBody text: String) -> String {
        guard !showsSecrets else { return text }
        if Self.isForm(text) { return redaction.applied(toQuery: text) }
        let members = CredentialMembers(text).members.filter { !Self.isRedacted($0.value) }
        guard !members.isEmpty else { return applied(to: text) }
        return String(decoding: hiding(members, in: Array(text.utf8)), as: UTF8.self)
    }

    /// Replaces values by the names of their owners, or by `‹token›` if the owner is unknown.
    private func hiding(_ members: [CredentialMembers.Member], in bytes: [UInt8]) -> [UInt8] {
        guard !members.isEmpty else { return applied(to: bytes) }
        var result: [UInt8] = []
        var index = 0
        for member in members {
            result += bytes[index..<member.location.lowerBound]
            result += Array((redaction.shown(for: member.value) ?? "‹token›").utf8)
            index = member.location.upperBound
        }
        return redaction.applied(to: result + bytes[index...])
    }

    package func applied(toPath path: String) -> String { showsSecrets ? path : redaction.applied(toPath: path) }

    package func applied(to text: String) -> String { showsSecrets ? text : redaction.applied(to: text) }

    package func applied(to bytes: [UInt8]) -> [UInt8] { showsSecrets ? bytes : redaction.applied(to: bytes) }

    package func applied(toField name: String, _ value: String) -> String {
        if showsSecrets { return value }
        if CredentialNames.isCredentialHeader(name) {
            return name.lowercased() == "set-cookie" ? "‹cookie›" : redaction.shown(for: value) ?? "‹token›"
        }
        return redaction.applied(toPath: value)
    }
}

import Holdfast
import HoldfastJSON

/// The evidence of a file about the owners of its connections: tokens, devices, and whether connections overlap.
///
/// Taking two people for one would accuse a healthy server, so a single person must be proven: by one token, or without
/// tokens by one device whose connections follow each other.
struct CaptureIdentities: Sendable {
    private var tokens: Set<String> = []
    private var devices: Set<String> = []
    private var hasNameless = false
    private var names: Set<String> = []
    private var lanes: [String] = []
    /// Whether a connection was used again after a later one had begun.
    private var areMixed = false
    /// Whether a client program wrote it in its own words; the log of one app belongs to one person.
    var isOneClient = false
    var isWhole = true

    /// The clauses whose verdicts depend on the owners of connections, for remarks.
    static let dependentClauses = "PERSIST-2, TURN-7, TURN-10, SYNC-1, SYNC-3, IDEM-1 and others"

    var areOnePerson: Bool {
        guard isWhole, names.isEmpty, tokens.count <= 1 else { return false }
        return tokens.count == 1
            || devices.count <= 1 && !areMixed
                && (devices.count == 1 && !hasNameless || lanes.count == 1 || isOneClient)
    }

    var areSeveralPeople: Bool { tokens.count > 1 || names.count > 1 || tokens.isEmpty && devices.count > 1 }

    mutating func take(lane: String) {
        guard lane != lanes.last else { return }
        if lanes.contains(lane) || lanes.count == 100 { areMixed = true } else { lanes.append(lane) }
    }

    mutating func take(_ frame: JSONValue, _ dialect: Dialect) {
        let greeting = dialect.frame(frame, sentBy: .client) ?? frame
        guard ["auth", "login"].contains(where: { greeting["type"]?.stringValue?.lowercased().hasPrefix($0) == true })
        else { return }
        if case .object(let members) = greeting {
            for (name, value) in members where CredentialNames.holdsAtStart(name) {
                if let token = value.stringValue { take(token: token) }
            }
        }
        if let device = greeting["clientId"]?.stringValue {
            if devices.count < 10 { devices.insert(device) }
        } else {
            hasNameless = true
        }
    }

    mutating func take(path: String) {
        guard let mark = path.firstIndex(of: "?") else { return }
        for pair in path[path.index(after: mark)...].split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2, CredentialNames.holdsAtStart(parts[0]) { take(token: String(parts[1])) }
        }
    }

    mutating func take(token: String) {
        if !token.isEmpty, !Self.isPlaceholder(token), tokens.count < 10 { tokens.insert(Self.person(of: token)) }
    }

    mutating func take(name: String?) { if let name, names.count < 10 { names.insert(name) } }

    static func isPlaceholder(_ text: String) -> Bool {
        let bare = text.lowercased().filter { $0.isLetter || $0.isNumber }
        return ["redact", "masked", "filtered", "removed", "hidden"].contains { bare.contains($0) }
            || text.contains("***") || text.contains("…") || text.contains("...") || text.contains("•••")
            || text == "‹secret›" || text.count > 2 && bare.allSatisfy { $0 == "x" }
    }

    /// The owner of a token: the subject of a signed one, which later tokens keep; otherwise the token itself.
    static func person(of token: String) -> String {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64.bytes(String(parts[1])),
            let subject = (try? JSONParser.value(bytes: bytes))?["sub"]?.stringValue
        else { return token }
        return "sub \(subject)"
    }
}

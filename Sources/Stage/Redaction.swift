/// Replaces credentials by the name of their owner, so that no transcript holds one.
struct Redaction: Sendable {
    private let secrets: [(token: String, shown: String)]

    /// Credentials and their owners; empty ones hide nothing.
    init(_ owners: [(name: String, token: String?)]) {
        secrets = owners.compactMap { owner in
            guard let token = owner.token, !token.isEmpty else { return nil }
            return (token, "‹token of \(owner.name)›")
        }
        // Longest first: one credential may begin another.
        .sorted { $0.token.utf8.count > $1.token.utf8.count }
    }

    func applied(to text: String) -> String {
        var text = text
        for secret in secrets where text.contains(secret.token) {
            text = Self.replacing(secret.token, in: text, by: secret.shown)
        }
        return text
    }

    private static func replacing(_ token: String, in text: String, by shown: String) -> String {
        let (bytes, wanted) = (Array(text.utf8), Array(token.utf8))
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == wanted[0], bytes[index...].starts(with: wanted) {
                result += Array(shown.utf8)
                index += wanted.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

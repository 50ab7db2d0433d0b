import Holdfast
import HoldfastBasics
import HoldfastJSON

/// Replaces credentials by the name of their owner, so that no transcript holds one.
///
/// Where a credential is expected, even a short one is replaced: in the `token` of an `auth` frame, and in a query.
/// Elsewhere a credential is replaced only if it is too long to occur by chance: a server may repeat a credential, but
/// one such as `a` must not remove every `a` from the evidence.
package struct Redaction: Sendable {
    /// The shortest credential that is replaced in texts of the subject, in bytes.
    static let shortestInTexts = 8
    /// The shortest that is replaced among the words of a command; a shorter one would remove useful text.
    static let shortestAsWord = 3

    private struct Secret {
        let token: String
        let shown: String
    }

    private let secrets: [Secret]
    private typealias Spelling = (bytes: [UInt8], shown: [UInt8])

    /// Longest first: one credential may begin with another.
    private let spellings: [Spelling]
    /// For each pair of bytes, whether a credential begins with it.
    private let beginnings: [Bool]

    /// Hides credentials and device tokens behind their owners' names, and secrets in headers; empty ones are ignored.
    package init(
        _ owners: [(name: String, token: String?)], devices: [(name: String, token: String?)] = [],
        headers: [(name: String, token: String?)] = []
    ) {
        func secrets(_ owners: [(name: String, token: String?)], _ what: String) -> [Secret] {
            owners.compactMap { owner in
                owner.token.flatMap { $0.isEmpty ? nil : Secret(token: $0, shown: "‹\(what) of \(owner.name)›") }
            }
        }
        let secrets = secrets(owners, "token") + secrets(devices, "device") + secrets(headers, "value")
        self.secrets = secrets
        spellings = secrets.filter { $0.token.utf8.count >= Self.shortestInTexts }.flatMap { secret in
            let inJSON = String(JSONValue.string(secret.token).text().dropFirst().dropLast())
            return Set([secret.token, inJSON]).map { (bytes: Array($0.utf8), shown: Array(secret.shown.utf8)) }
        }
        .sorted { $0.bytes.count > $1.bytes.count }
        var beginnings = Array(repeating: false, count: spellings.isEmpty ? 0 : 1 << 16)
        for secret in spellings { beginnings[Self.beginning(secret.bytes[0], secret.bytes[1])] = true }
        self.beginnings = beginnings
    }

    private static func beginning(_ first: UInt8, _ second: UInt8) -> Int { Int(first) << 8 | Int(second) }

    func applied(toSent text: String) -> String {
        let bytes = text.utf8.count
        if bytes <= 65_536, !secrets.isEmpty, var frame = try? JSONParser.document(text).root,
            frame["type"] == "auth", let token = frame["token"]?.stringValue, let shown = shown(for: token)
        {
            frame["token"] = .string(shown)
            return applied(to: frame.text())
        }
        return applied(to: text)
    }

    /// The values in a query or a form whose names mark them as credentials, both raw and decoded.
    package static func credentials(inQuery query: String) -> [String] {
        parts(ofQuery: query).flatMap { part -> [String] in
            guard let mark = part.firstIndex(of: "="), CredentialNames.holdsAtStart(part[..<mark]) else { return [] }
            let value = part[part.index(after: mark)...]
            let inQuery = decoded(value)
            // In a form, a plus sign is a space.
            let inForm = value.contains("+") ? decoded(Substring(value.replacing("+", with: " "))) : inQuery
            var all = [inQuery]
            for other in [inForm, String(value)] where !all.contains(other) { all.append(other) }
            return all.filter { !$0.isEmpty }
        }
    }

    /// A path with its query, in which credentials are whole values.
    package func applied(toPath path: String) -> String {
        guard let mark = path.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return applied(to: path) }
        return applied(to: path[..<mark] + applied(toQuery: String(path[mark...])))
    }

    /// A query or a form, in which credentials are whole values.
    package func applied(toQuery query: String) -> String {
        let parts = Self.parts(ofQuery: query).map { part in
            guard let equals = part.firstIndex(of: "=") else { return String(part) }
            let value = part[part.index(after: equals)...]
            let isCredential = CredentialNames.holdsAtStart(part[..<equals])
            guard let shown = shown(for: Self.decoded(value)) ?? (isCredential && !value.isEmpty ? "‹token›" : nil)
            else { return String(part) }
            return "\(part[...equals])\(shown)"
        }
        return applied(to: parts.joined())
    }

    private static func parts(ofQuery query: String) -> [Substring] {
        var parts: [Substring] = []
        var rest = query[...]
        while !rest.isEmpty {
            let end = rest.utf8.firstIndex { "&?#".utf8.contains($0) }
            if end != rest.startIndex { parts.append(rest[..<(end ?? rest.endIndex)]) }
            guard let end else { break }
            let next = rest.utf8.index(after: end)
            parts.append(rest[end..<next])
            rest = rest[next...]
        }
        return parts
    }

    package func applied(to text: String) -> String {
        guard !spellings.isEmpty else { return text }
        var text = text
        return text.withUTF8 { replaced(in: $0).map { String(decoding: $0, as: UTF8.self) } } ?? text
    }

    package func applied(to bytes: [UInt8]) -> [UInt8] {
        guard !spellings.isEmpty else { return bytes }
        return bytes.withUnsafeBufferPointer { replaced(in: $0) } ?? bytes
    }

    /// The same bytes without credentials; nil if they have none.
    ///
    /// One pass, whatever the number of credentials: texts of a megabyte are searched often.
    private func replaced(in bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        var start = 0
        var index = 0
        beginnings.withUnsafeBufferPointer { beginnings in
            while index &+ 1 < bytes.count {
                if beginnings[Self.beginning(bytes[index], bytes[index &+ 1])],
                    let secret = spellings.first(where: { Self.matches($0.bytes, at: index, in: bytes) })
                {
                    result += bytes[start..<index]
                    result += secret.shown
                    index += secret.bytes.count
                    start = index
                } else {
                    index &+= 1
                }
            }
        }
        return start == 0 ? nil : result + bytes[start...]
    }

    /// Human-readable text about a started subject: its command line, or a line of its output.
    ///
    /// Here even a credential that is too short for other texts is replaced, if it is a whole word.
    func applied(toWords text: String) -> String {
        var bytes = Array(applied(to: text).utf8)
        for secret in secrets where (Self.shortestAsWord..<Self.shortestInTexts).contains(secret.token.utf8.count) {
            let token = Array(secret.token.utf8)
            // Backward, so that a replacement moves no text that is still unchecked.
            for start in bytes.indices.reversed() where bytes[start...].starts(with: token) {
                let end = start + token.count
                let isPart =
                    start > 0 && Self.isOfWord(bytes[start - 1]) || end < bytes.count && Self.isOfWord(bytes[end])
                if !isPart { bytes.replaceSubrange(start..<end, with: secret.shown.utf8) }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Nil for any text that is not a credential.
    package func shown(for token: String) -> String? {
        secrets.first { Array($0.token.utf8) == Array(token.utf8) }?.shown
    }

    /// The percent-decoded value of a query; unchanged if the encoding is invalid.
    private static func decoded(_ value: Substring) -> String {
        let decoded = percentDecoded(String(value))
        return decoded.contains("\u{FFFD}") ? String(value) : decoded
    }

    private static func matches(_ token: [UInt8], at index: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        index + token.count <= bytes.count && token.indices.allSatisfy { bytes[index + $0] == token[$0] }
    }
}

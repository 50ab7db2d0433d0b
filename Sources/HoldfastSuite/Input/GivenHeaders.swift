import Holdfast

/// Headers of every upgrade and request, from flags and a subject file; messages never show their values, which may be
/// secrets.
package struct GivenHeaders {
    /// The file's headers that no flag overrides, then those of the flags.
    package private(set) var fields: [(String, String)] = []

    var names: Set<String> { Set(fields.map { $0.0.lowercased() }) }

    /// Fields that only the suite may write: those of a handshake (RFC 6455, section 4.1) and of message framing.
    private static let own: Set = [
        "connection", "content-length", "content-type", "expect", "keep-alive", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]

    package init(
        _ texts: [String], cookie: String?, origin: String?, besides described: [String: String],
        _ problems: inout [InputProblem]
    ) {
        var given: [(String, String)] = []
        for text in texts {
            let name = text.prefix { $0 != ":" }
            // Without a colon, the whole text may be a secret.
            guard Self.isName(name), name.endIndex < text.endIndex else {
                problems.note(
                    "--header", "'…' is not a header with a value", expected: "Name: value",
                    fix: "for example --header 'X-Tenant: one'")
                continue
            }
            let value = text.dropFirst(name.count + 1).drop { $0 == " " }
            if Self.check("--header", String(name), value, &problems) { given.append((String(name), String(value))) }
        }
        for (flag, name, value) in [("--cookie", "Cookie", cookie), ("--origin", "Origin", origin)] {
            guard let value else { continue }
            if value.allSatisfy(\.isWhitespace) {
                problems.note(
                    flag, "its value is empty",
                    expected: flag == "--origin" ? "an address such as https://chat.example" : "NAME=VALUE",
                    fix: "give a value, or remove \(flag); a shell variable may be unset")
            } else if Self.check(flag, name, value[...], &problems) {
                given.append((name, value))
            }
        }
        let names = Set(given.map { $0.0.lowercased() })
        let kept = described.filter { !names.contains($0.key.lowercased()) }.sorted { $0.key < $1.key }
        fields = kept.filter { Self.check("--subject /headers", $0.key, $0.value[...], &problems) }.map {
            ($0.key, $0.value)
        }
        fields += given
    }

    private static func isName(_ name: Substring) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"()<>@,;\\\"/[]?={}".utf8.contains($0) }
    }

    private static func check(
        _ location: String, _ name: String, _ value: Substring, _ problems: inout [InputProblem]
    ) -> Bool {
        if own.contains(name.lowercased()) || name.lowercased().hasPrefix("sec-websocket-") {
            problems.note(
                location, "'\(name)' is a header that the suite sets itself",
                expected: "another header that the server or a gateway needs", fix: "remove it")
            return false
        }
        if value.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) {
            problems.note(
                location, "the value of '\(name)' contains a line break", expected: "one line",
                fix: "remove it; a file read into a variable may end with one")
            return false
        }
        if value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) {
            problems.note(
                location, "the value of '\(name)' contains a control character", expected: "text", fix: "remove it")
            return false
        }
        return true
    }
}

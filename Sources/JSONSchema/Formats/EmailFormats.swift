/// Mailboxes of RFC 5321, and of RFC 6531 with more characters.
enum EmailFormats {
    private static let localPart = try? Pattern(
        "^(?:\(atom)(?:\\.\(atom))*|\"(?:[^\"\\\\\\u{0}-\\u{1F}\\u{7F}]|\\\\[\\u{20}-\\u{7E}])*\")$")
    private static let atom = "[A-Za-z0-9!#$%&'*+\\-/=?^_`{|}~\\u{80}-\\u{10FFFF}]+"

    static func accepts(_ string: String, isInternational: Bool) -> Bool {
        guard let at = string.utf8.lastIndex(of: UInt8(ascii: "@")), string.utf8.count <= 320 * 4 else { return false }
        let local = String(string[..<at])
        let domain = String(string[string.utf8.index(after: at)...])
        guard local.utf8.count <= 64, isInternational || string.utf8.allSatisfy({ $0 < 0x80 }),
            localPart?.matches(local) == true
        else { return false }
        if domain.hasPrefix("["), domain.hasSuffix("]") {
            let literal = String(domain.dropFirst().dropLast())
            let isIPv6 = literal.lowercased().hasPrefix("ipv6:")
            return isIPv6 ? Format.ipv6.accepts(String(literal.dropFirst(5))) : Format.ipv4.accepts(literal)
        }
        return isInternational
            ? HostnameFormats.isInternationalHostname(domain) : HostnameFormats.isHostname(domain)
    }
}

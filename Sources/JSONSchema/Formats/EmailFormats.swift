/// Mailboxes of RFC 5321, and of RFC 6531 with more characters.
enum EmailFormats {
    static func accepts(_ string: String, isInternational: Bool) -> Bool {
        let bytes = Array(string.utf8)
        guard let at = bytes.lastIndex(of: UInt8(ascii: "@")), bytes.count <= 320 * 4 else { return false }
        let local = bytes[..<at]
        let domain = String(decoding: bytes[(at + 1)...], as: UTF8.self)
        guard !local.isEmpty, local.count <= 64, isInternational || bytes.allSatisfy({ $0 < 0x80 }) else {
            return false
        }
        return isLocalPart(local) && isDomain(domain, isInternational: isInternational)
    }

    private static func isLocalPart(_ local: ArraySlice<UInt8>) -> Bool {
        if local.count >= 2, local.first == UInt8(ascii: "\""), local.last == UInt8(ascii: "\"") {
            return isQuoted(local.dropFirst().dropLast())
        }
        return local.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { atom in
            !atom.isEmpty
                && atom.allSatisfy { byte in
                    byte >= 0x80 || CharacterTests.isLetter(byte) || CharacterTests.isDigit(byte)
                        || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
                }
        }
    }

    private static func isQuoted(_ text: ArraySlice<UInt8>) -> Bool {
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\") {
                guard let next = rest.popFirst(), (0x20...0x7E).contains(next) else { return false }
            } else if byte == UInt8(ascii: "\"") || byte < 0x20 || byte == 0x7F {
                return false
            }
        }
        return true
    }

    private static func isDomain(_ domain: String, isInternational: Bool) -> Bool {
        if domain.hasPrefix("["), domain.hasSuffix("]") {
            let literal = String(domain.dropFirst().dropLast())
            if literal.lowercased().hasPrefix("ipv6:") { return AddressFormats.isIPv6(String(literal.dropFirst(5))) }
            return AddressFormats.isIPv4(literal)
        }
        return isInternational
            ? HostnameFormats.isInternationalHostname(domain) : HostnameFormats.isHostname(domain)
    }
}

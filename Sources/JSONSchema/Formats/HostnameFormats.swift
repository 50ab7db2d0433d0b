/// Host names of RFC 1123, and of IDNA 2008 (RFC 5890 to 5893).
enum HostnameFormats {
    /// Letters, digits and inner dashes; labels that start with `xn--` have to decode to a valid name.
    static func isHostname(_ string: String) -> Bool {
        let labels = string.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard string.utf8.count <= 253 else { return false }
        var decoded: [[Unicode.Scalar]] = []
        for label in labels {
            guard isASCIILabel(label), let scalars = decode(String(decoding: label, as: UTF8.self)) else {
                return false
            }
            decoded.append(scalars)
        }
        return InternationalLabel.agree(decoded)
    }

    /// A host name whose labels may hold letters of any script; also ideographic full stops part them.
    static func isInternationalHostname(_ string: String) -> Bool {
        let labels = string.unicodeScalars.split(omittingEmptySubsequences: false) { scalar in
            [".", "\u{3002}", "\u{FF0E}", "\u{FF61}"].contains(scalar)
        }
        var decoded: [[Unicode.Scalar]] = []
        var length = labels.count - 1
        for label in labels {
            let text = String(String.UnicodeScalarView(label))
            if label.allSatisfy(\.isASCII) {
                guard isASCIILabel(text.utf8[...]), let scalars = decode(text) else { return false }
                decoded.append(scalars)
                length += label.count
            } else {
                let scalars = Array(label)
                guard InternationalLabel.isValid(scalars), let encoded = Punycode.encode(scalars),
                    encoded.utf8.count + 4 <= 63
                else { return false }
                decoded.append(scalars)
                length += encoded.utf8.count + 4
            }
        }
        return length <= 253 && InternationalLabel.agree(decoded)
    }

    private static func isASCIILabel(_ label: Substring.UTF8View) -> Bool {
        guard (1...63).contains(label.count), label.first != UInt8(ascii: "-"), label.last != UInt8(ascii: "-") else {
            return false
        }
        return label.allSatisfy { byte in
            CharacterTests.isLetter(byte) || CharacterTests.isDigit(byte) || byte == UInt8(ascii: "-")
        }
    }

    /// The scalars of a label, decoded when it is Punycode; nil when it claims to be and is not.
    private static func decode(_ label: String) -> [Unicode.Scalar]? {
        guard label.lowercased().hasPrefix("xn--") else { return Array(label.unicodeScalars) }
        let encoded = String(label.dropFirst(4))
        guard let scalars = Punycode.decode(encoded), scalars.contains(where: { !$0.isASCII }),
            InternationalLabel.isValid(scalars),
            Punycode.encode(scalars)?.lowercased() == encoded.lowercased()
        else { return nil }
        return scalars
    }
}

/// Small sets of ASCII characters that several formats share.
enum CharacterTests {
    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}

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

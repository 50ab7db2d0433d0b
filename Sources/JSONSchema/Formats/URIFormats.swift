/// URIs of RFC 3986 and IRIs of RFC 3987.
enum URIFormats {
    static func accepts(_ string: String, isInternational: Bool, isReference: Bool) -> Bool {
        let reference = URIReference(string)
        guard isReference || reference.scheme != nil else { return false }
        // What stands before a colon in the first segment is a scheme, or the text is none of all.
        if reference.scheme == nil, reference.authority == nil,
            reference.path.prefix(while: { $0 != "/" }).contains(":")
        {
            return false
        }
        if let authority = reference.authority, !isAuthority(authority, isInternational) { return false }
        return holds(reference.path, ":@/", isInternational)
            && holds(reference.query ?? "", ":@/?", isInternational, takesPrivate: true)
            && holds(reference.fragment ?? "", ":@/?", isInternational)
    }

    /// Whether bytes are a URI of the common kind, `scheme://host:port/path?query#fragment` without user or address literal.
    ///
    /// A quick yes; where it says no, `accepts` decides.
    static func isPlainlyURI(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var position = 0
        while position < bytes.count, CharacterTests.isLetter(bytes[position]) { position += 1 }
        guard position > 0, position + 3 <= bytes.count, bytes[position] == UInt8(ascii: ":"),
            bytes[position + 1] == UInt8(ascii: "/"), bytes[position + 2] == UInt8(ascii: "/")
        else { return false }
        position += 3
        while position < bytes.count, isHostByte(bytes[position]) { position += 1 }
        if position < bytes.count, bytes[position] == UInt8(ascii: ":") {
            position += 1
            while position < bytes.count, CharacterTests.isDigit(bytes[position]) { position += 1 }
        }
        guard position == bytes.count || bytes[position] == UInt8(ascii: "/") else { return false }
        var hasFragment = false
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if isPlainByte(byte) { continue }
            switch byte {
            case UInt8(ascii: "#"):
                guard !hasFragment else { return false }
                hasFragment = true
            case UInt8(ascii: "%"):
                guard position + 2 <= bytes.count, CharacterTests.isHexDigit(bytes[position]),
                    CharacterTests.isHexDigit(bytes[position + 1])
                else { return false }
                position += 2
            default: return false
            }
        }
        return true
    }

    /// Letters, digits and `-._~/?:@&+,;=`, as one bit for each byte of ASCII.
    @inline(__always)
    private static func isPlainByte(_ byte: UInt8) -> Bool {
        let bits: UInt64 = byte < 64 ? 0xAFFF_F840_0000_0000 : 0x47FF_FFFE_87FF_FFFF
        return byte < 128 && bits >> UInt64(byte & 63) & 1 == 1
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        CharacterTests.isLetter(byte) || CharacterTests.isDigit(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }

    private static func isAuthority(_ authority: String, _ isInternational: Bool) -> Bool {
        var host = Substring(authority)
        if let at = host.firstIndex(of: "@") {
            guard holds(String(host[..<at]), ":", isInternational) else { return false }
            host = host[host.index(after: at)...]
        }
        if host.hasPrefix("[") {
            guard let bracket = host.firstIndex(of: "]"), isLiteral(String(host[..<bracket].dropFirst())) else {
                return false
            }
            host = host[host.index(after: bracket)...]
            return host.isEmpty || (host.hasPrefix(":") && host.utf8.dropFirst().allSatisfy(CharacterTests.isDigit))
        }
        if let colon = host.firstIndex(of: ":") {
            guard host[colon...].utf8.dropFirst().allSatisfy(CharacterTests.isDigit) else { return false }
            host = host[..<colon]
        }
        return holds(String(host), "", isInternational)
    }

    private static func isLiteral(_ text: String) -> Bool {
        guard text.lowercased().hasPrefix("v") else { return AddressFormats.isIPv6(text) }
        let parts = text.dropFirst().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && parts[0].utf8.allSatisfy(CharacterTests.isHexDigit)
            && !parts[1].isEmpty && holds(String(parts[1]), ":", false) && !parts[1].contains("%")
    }

    /// Whether a text holds nothing but unreserved characters, sub-delimiters, percent escapes and what is added.
    private static func holds(
        _ text: String, _ added: String, _ isInternational: Bool, takesPrivate: Bool = false
    ) -> Bool {
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "%" {
                guard let first = rest.popFirst(), let second = rest.popFirst(),
                    first.properties.isASCIIHexDigit, second.properties.isASCIIHexDigit
                else { return false }
            } else if scalar.isASCII {
                let byte = UInt8(scalar.value)
                guard
                    CharacterTests.isLetter(byte) || CharacterTests.isDigit(byte)
                        || "-._~!$&'()*+,;=".utf8.contains(byte) || added.utf8.contains(byte)
                else { return false }
            } else {
                guard isInternational, isInternationalCharacter(scalar.value, takesPrivate) else { return false }
            }
        }
        return true
    }

    /// `ucschar` and, in queries, `iprivate`.
    private static func isInternationalCharacter(_ value: UInt32, _ takesPrivate: Bool) -> Bool {
        switch value {
        case 0xA0...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFEF: true
        case 0xE000...0xF8FF, 0xF0000...0xFFFFD, 0x100000...0x10FFFD: takesPrivate
        case 0x10000...0xDFFFF: value & 0xFFFF <= 0xFFFD
        case 0xE1000...0xEFFFD: true
        default: false
        }
    }
}

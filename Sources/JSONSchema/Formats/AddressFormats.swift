/// IP addresses.
enum AddressFormats {
    /// Four numbers up to 255, without leading zeros.
    static func isIPv4(_ string: String) -> Bool {
        let parts = string.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                (1...3).contains(part.count) && part.allSatisfy { (0x30...0x39).contains($0) }
                    && (part.count == 1 || part.first != 0x30)
                    && part.reduce(0) { $0 * 10 + Int($1 - 0x30) } <= 255
            }
    }

    /// RFC 4291, section 2.2: eight groups, one run of which may be left out, and the last two may be an IPv4 address.
    static func isIPv6(_ string: String) -> Bool {
        var text = Substring(string)
        var groups = 8
        if text.utf8.contains(UInt8(ascii: ".")) {
            guard let colon = text.lastIndex(of: ":"), isIPv4(String(text[text.index(after: colon)...])) else {
                return false
            }
            // The address takes the place of two groups; the colon before it may be half of a pair.
            text = text[..<colon]
            groups = 6
            if text.hasSuffix(":") { text += ":" } else if text.isEmpty { return false }
            if text == "::" { return true }
        }
        let halves = Array(text.utf8).splitOnce(separator: [UInt8(ascii: ":"), UInt8(ascii: ":")])
        guard let first = count(halves.first), let second = halves.second.map({ count($0) }) ?? 0 else { return false }
        return halves.second == nil ? first == groups : first + second < groups
    }

    /// The number of groups in a text, or nil when one of them is none.
    private static func count(_ bytes: [UInt8]) -> Int? {
        guard !bytes.isEmpty else { return 0 }
        let groups = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        let isFine = groups.allSatisfy { (1...4).contains($0.count) && $0.allSatisfy { CharacterTests.isHexDigit($0) } }
        return isFine ? groups.count : nil
    }
}

extension [UInt8] {
    /// The bytes before and behind the first occurrence of a separator; no second half without one.
    func splitOnce(separator: [UInt8]) -> (first: [UInt8], second: [UInt8]?) {
        guard count >= separator.count else { return (self, nil) }
        for start in 0...(count - separator.count) where self[start...].starts(with: separator) {
            return (Array(self[..<start]), Array(self[(start + separator.count)...]))
        }
        return (self, nil)
    }
}

/// Small sets of ASCII characters that several formats share.
enum CharacterTests {
    static func isDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte)
    }

    static func isLetter(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20)
    }

    static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x61...0x66).contains(byte | 0x20)
    }
}

import HoldfastJSONSchema

/// Facts about formats beyond the answer of the validator.
enum FormatKnowledge {
    /// Patterns that every string of a format matches.
    static let shapes: [Format: Pattern] = {
        let texts: [Format: String] = [
            .uuid: uuid,
            .dateTime:
                "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$",
            .date: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
            .time: "^[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$",
            .ipv4: "^[0-9]{1,3}(\\.[0-9]{1,3}){3}$",
            .duration: "^P[0-9A-Z]+$",
            .uri: "^[A-Za-z][A-Za-z0-9+.-]*:",
        ]
        return texts.compactMapValues { try? Pattern($0) }
    }()

    /// Patterns that only strings of a format match.
    static let cores: [Format: Pattern] = {
        let texts: [Format: String] = [
            .uuid: uuid,
            .ipv4:
                "^(0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])(\\.(0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])){3}$",
            .date: "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])$",
        ]
        return texts.compactMapValues { try? Pattern($0) }
    }()

    private static let uuid = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"

    /// Whether every string of one format has the other.
    static func contains(_ wide: Format, _ narrow: Format) -> Bool {
        wide == narrow || wide == .uriReference && narrow == .uri
    }

    /// Strings of a format, some of them of a given length where the format allows it.
    static func samples(_ format: Format, near lengths: [Int]) -> [String] {
        func fill(_ head: String, _ tail: String, with scalar: String = "a") -> [String] {
            lengths.compactMap { length in
                let missing = length - head.unicodeScalars.count - tail.unicodeScalars.count
                return (0...100_000).contains(missing) ? head + String(repeating: scalar, count: missing) + tail : nil
            }
        }
        switch format {
        case .dateTime:
            return ["2026-03-01T09:30:00Z", "2026-03-01T09:30:00.250+01:00", "1999-12-31T23:59:59Z"]
                + fill("2026-03-01T09:30:00.", "Z", with: "5")
        case .date: return ["2026-03-01", "1999-12-31"]
        case .time: return ["09:30:00Z", "23:59:59.5+01:00"] + fill("09:30:00.", "Z", with: "5")
        case .duration: return ["P3DT4H", "P1Y", "PT5S", "P2W"] + fill("P", "D", with: "1")
        case .ipv4: return ["192.0.2.1", "255.255.255.255", "0.0.0.0"]
        case .ipv6: return ["2001:db8::1", "::", "2001:db8:0:0:0:0:0:1", "1111:2222:3333:4444:5555:6666:7777:8888"]
        case .uri:
            return ["https://example.org/", "urn:a", "data:text/plain,a"] + fill("https://example.org/", "")
                + fill("a:", "")
        case .uriReference: return ["../a?b#c", "a", "", "https://example.org/"] + fill("", "")
        case .uuid: return ["123e4567-e89b-42d3-a456-426614174000", "6F3B1A0E-2D4C-4F5B-9A6D-0C1E2F3A4B5C"]
        case .jsonPointer: return ["/messages/0", ""] + fill("/", "")
        case .regex: return ["^a+$", "a"] + fill("", "")
        }
    }

    /// Strings that have no format at all, or look nearly like one.
    static let oddities = [
        "", "a", " ", "%", "{", "not a format", "2026-13-41T25:61:61Z", "2026-02-30", "256.0.0.1", "::g", "a b", "[",
        "-", "~2",
        "http://[", "é",
    ]
}

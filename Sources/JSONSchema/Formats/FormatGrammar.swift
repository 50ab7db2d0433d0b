/// The formats that a regular expression can tell, put together from the rules of their grammars.
enum FormatGrammar {
    /// Expressions by format.
    static let patterns = compiled(texts(literal: "\(ipv6)|[Vv][0-9A-Fa-f]+\\.[A-Za-z0-9\\-._~!$&'()*+,;=:]+"))

    /// Expressions small enough for an automaton: what they take has the format, and most of what has it they take.
    static let common = compiled(texts(literal: nil).filter { $0.key != .ipv6 })

    /// The grammars; `literal` is what may stand in brackets in place of a host.
    private static func texts(literal: String?) -> [Format: String] {
        [
            .duration: "P(?:\(ladder("YMD"))(?:T\(ladder("HMS")))?|T\(ladder("HMS"))|[0-9]+W)",
            .ipv4: ipv4, .ipv6: ipv6,
            .uri: uri(literal), .uriReference: uri(literal, isReference: true),
            .iri: uri(literal, isInternational: true),
            .iriReference: uri(literal, isInternational: true, isReference: true),
            .uriTemplate: uriTemplate, .jsonPointer: pointer,
            .relativeJSONPointer: "(?:0|[1-9][0-9]*)(?:[+\\-][1-9][0-9]*)?(?:#|\(pointer))",
        ]
    }

    private static func compiled(_ texts: [Format: String]) -> [Format: Pattern] {
        texts.compactMapValues { try? Pattern("^(?:\($0))$") }
    }

    /// Numbers with units, in order and without a gap between the largest and the smallest.
    private static func ladder(_ units: String) -> String {
        let rungs = units.indices.map { start in
            units[start...].reversed().reduce("") { "[0-9]+\($1)" + ($0.isEmpty ? "" : "(?:\($0))?") }
        }
        return "(?:\(rungs.joined(separator: "|")))"
    }

    /// Four numbers up to 255, without leading zeros.
    private static let ipv4: String = {
        let number = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
        return "\(number)(?:\\.\(number)){3}"
    }()

    /// RFC 4291, section 2.2: eight groups, one run of which may be left out, and the last two may be an IPv4 address.
    private static let ipv6: String = {
        let group = "[0-9A-Fa-f]{1,4}"
        let last = "(?:\(group):\(group)|\(ipv4))"
        func groups(upTo most: Int) -> String {
            most == 0 ? "" : "(?:\(group)(?::\(group)){0,\(most - 1)})?"
        }
        let whole = "(?:\(group):){6}\(last)"
        let shortened = (0...5).map { "\(groups(upTo: $0))::(?:\(group):){0,\(5 - $0)}\(last)" }
        return ([whole] + shortened + ["\(groups(upTo: 6))::\(group)", "\(groups(upTo: 7))::"]).joined(separator: "|")
    }()

    private static let pointer = "(?:/(?:[^~/]|~[01])*)*"

    /// RFC 6570, section 2.
    private static let uriTemplate: String = {
        let name = "(?:[A-Za-z0-9_]|\(escape))+"
        let variable = "\(name)(?:\\.\(name))*(?:\\*|:[1-9][0-9]{0,3})?"
        let literal = "[^{}%\"<>\\\\^`|\\u{0}-\\u{20}\\u{7F}-\\u{9F}]"
        return "(?:\(literal)|\(escape)|\\{[+#./;?&=,!@|]?\(variable)(?:,\(variable))*\\})*"
    }()

    private static let escape = "%[0-9A-Fa-f]{2}"

    /// URIs of RFC 3986 and IRIs of RFC 3987.
    private static func uri(_ literal: String?, isInternational: Bool = false, isReference: Bool = false) -> String {
        let beyond = isInternational ? international : ""
        func characters(_ added: String) -> String {
            "(?:[A-Za-z0-9\\-._~!$&'()*+,;=\(added)\(beyond)]|\(escape))"
        }
        let inPath = characters(":@")
        let path = "(?:\(inPath)|/)*"
        let host = literal.map { "(?:\\[(?:\($0))\\]|\(characters(""))*)" } ?? "\(characters(""))*"
        let authority = "//(?:\(characters(":"))*@)?\(host)(?::[0-9]*)?(?:/\(path))?"
        let scheme = "[A-Za-z][A-Za-z0-9+\\-.]*:(?:\(authority)|/?(?:\(inPath)\(path))?)"
        // Without a scheme the first segment has no colon.
        let relative = "\(authority)|/(?:\(inPath)\(path))?|(?:\(characters("@"))+(?:/\(path))?)?"
        return "(?:\(scheme)\(isReference ? "|" + relative : ""))"
            + "(?:\\?\(characters(":@/?" + (isInternational ? privateUse : "")))*)?(?:#\(characters(":@/?"))*)?"
    }

    /// `ucschar` of RFC 3987, as part of a class.
    private static let international: String = {
        let planes = (1...13).map { plane in
            "\\u{\(String(plane, radix: 16))0000}-\\u{\(String(plane, radix: 16))FFFD}"
        }
        return "\\u{A0}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFEF}\(planes.joined())\\u{E1000}-\\u{EFFFD}"
    }()

    /// `iprivate` of RFC 3987.
    private static let privateUse = "\\u{E000}-\\u{F8FF}\\u{F0000}-\\u{FFFFD}\\u{100000}-\\u{10FFFD}"
}

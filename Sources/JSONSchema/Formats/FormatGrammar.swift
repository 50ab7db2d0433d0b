/// The formats that a regular expression can check, built from the rules of their grammars.
enum FormatGrammar {
    static let patterns = compiled(texts(literal: "\(ipv6)|[Vv][0-9A-Fa-f]+\\.[A-Za-z0-9\\-._~!$&'()*+,;=:]+"))

    /// Expressions small enough for an automaton: they accept most valid values and no invalid ones.
    static let common = compiled(texts(literal: nil).filter { $0.key != .ipv6 })

    /// The grammars; `literal` is the expression for a host in brackets, nil to exclude such hosts.
    private static func texts(literal: String?) -> [Format: String] {
        [
            .duration: "P(?:\(ladder("YMD"))(?:T\(ladder("HMS")))?|T\(ladder("HMS"))|[0-9]+W)",
            .ipv4: ipv4, .ipv6: ipv6,
            .uri: uri(literal), .uriReference: uri(literal, isReference: true),
            .jsonPointer: "(?:/(?:[^~/]|~[01])*)*",
        ]
    }

    private static func compiled(_ texts: [Format: String]) -> [Format: Pattern] {
        texts.compactMapValues { try? Pattern("^(?:\($0))$") }
    }

    /// Numbers with units in descending order, without a gap.
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

    /// RFC 4291, section 2.2: eight groups; one run may be omitted, and the last two may be an IPv4 address.
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

    private static let escape = "%[0-9A-Fa-f]{2}"

    /// URIs of RFC 3986.
    private static func uri(_ literal: String?, isReference: Bool = false) -> String {
        func characters(_ added: String) -> String { "(?:[A-Za-z0-9\\-._~!$&'()*+,;=\(added)]|\(escape))" }
        let inPath = characters(":@")
        let path = "(?:\(inPath)|/)*"
        let host = literal.map { "(?:\\[(?:\($0))\\]|\(characters(""))*)" } ?? "\(characters(""))*"
        let authority = "//(?:\(characters(":"))*@)?\(host)(?::[0-9]*)?(?:/\(path))?"
        let scheme = "[A-Za-z][A-Za-z0-9+\\-.]*:(?:\(authority)|/?(?:\(inPath)\(path))?)"
        // Without a scheme, the first segment must not contain a colon.
        let relative = "\(authority)|/(?:\(inPath)\(path))?|(?:\(characters("@"))+(?:/\(path))?)?"
        return "(?:\(scheme)\(isReference ? "|" + relative : ""))"
            + "(?:\\?\(characters(":@/?"))*)?(?:#\(characters(":@/?"))*)?"
    }
}

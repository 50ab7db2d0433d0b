import JSON

/// Names the people of a capture by the tokens they show, and takes the tokens out.
///
/// One token is one person. Nothing says that two tokens are two people, so a capture still lacks its principals.
struct CapturePeople {
    /// Whether connections without any token are one person's.
    let isOne: Bool
    private var names: [String: String] = [:]
    /// The most tokens that are told apart; a capture with more is no capture of people.
    private static let most = 10_000

    init(isOne: Bool) {
        self.isOne = isOne
    }

    /// The name of whoever shows a token.
    mutating func name(of token: String) -> String {
        // Such texts stand in transcripts in the place of tokens.
        if token.hasPrefix("‹token of "), token.hasSuffix("›") { return String(token.dropFirst(10).dropLast()) }
        if let name = names[token] { return name }
        let name = names.count < Self.most ? "p\(names.count + 1)" : "p"
        names[token] = name
        return name
    }

    /// The name of a connection that showed no token.
    func name(ofLane lane: String) -> String { isOne ? "p1" : "unknown \(lane)" }

    /// A frame of a client without its token, and whose token it was; nil when it shows none.
    mutating func redacted(_ text: String) -> (text: String, owner: String)? {
        guard text.utf8.count <= 65_536, text.contains("auth"), var frame = try? JSONParser.document(text).root,
            let type = frame["type"]?.stringValue, type.hasPrefix("auth")
        else { return nil }
        var owner: String?
        for member in Self.credentials {
            guard let token = frame[member]?.stringValue, !token.isEmpty else { continue }
            let name = name(of: token)
            frame[member] = .string("‹token of \(name)›")
            owner = name
        }
        return owner.map { (frame.text(), $0) }
    }

    /// A path without the credentials in its query, and whose they were.
    mutating func redacted(path: String) -> (path: String, owner: String?) {
        guard let mark = path.firstIndex(of: "?") else { return (path, nil) }
        var owner: String?
        let pairs = path[path.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
        let query = pairs.map { pair -> String in
            guard let equals = pair.firstIndex(of: "="), Self.credentials.contains(pair[..<equals].lowercased()) else {
                return String(pair)
            }
            let value = pair[pair.index(after: equals)...]
            guard !value.isEmpty else { return String(pair) }
            let name = name(of: String(value))
            owner = name
            return "\(pair[...equals])‹token of \(name)›"
        }
        return ("\(path[...mark])\(query.joined(separator: "&"))", owner)
    }

    /// The token in the value of an `Authorization` header.
    static func bearer(_ value: String) -> String? {
        let words = value.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return String(words[1])
    }

    /// Members and query names that hold credentials.
    private static let credentials: Set<String> = [
        "token", "apikey", "apiKey", "api_key", "key", "access_token", "auth", "authorization", "password", "secret",
    ]
}

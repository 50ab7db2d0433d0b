import Holdfast
import HoldfastJSON

/// Names the people of a capture by the tokens they show, and takes the tokens out.
///
/// One token is one person. Nothing says that two tokens are two people, so a capture still lacks its principals.
struct CapturePeople {
    /// Whether connections without any token are one person's.
    private let isOne: Bool
    /// Whether somebody said so: then it holds beside tokens too.
    private let isStated: Bool
    private let dialect: Dialect
    private var names: [String: String] = [:]
    /// Whether a token came in a frame: then whoever shows none may be any of its people.
    private var hasTokens = false
    /// Whether `p1` stands for who showed nothing; then no token may have that name.
    private var hasAnonymous = false
    private var firstNumber = 1
    /// The most tokens that are told apart; a capture with more is no capture of people.
    private static let most = 10_000

    init(isOne: Bool, isStated: Bool = false, dialect: Dialect = .canonical) {
        (self.isOne, self.isStated, self.dialect) = (isOne, isStated, dialect)
    }

    /// The name of whoever shows a token.
    ///
    /// A key that every connection of a system has (`isUsual`), as in a query or in the headers of one browser, says
    /// nothing of those whose key was not written down: as long as there is one key, they are its person too.
    mutating func name(of token: String, isUsual: Bool = false) -> String {
        hasTokens = hasTokens || !isUsual
        if let name = Self.shown(token) { return name }
        if let name = names[token] { return name }
        if names.isEmpty, hasAnonymous, !isUsual, !isStated { firstNumber = 2 }
        guard names.count < Self.most else { return "p" }
        let name = "p\(names.count + firstNumber)"
        names[token] = name
        return name
    }

    /// The name of a connection that showed no token.
    mutating func name(ofLane lane: String) -> String {
        guard isOne, isStated || (!hasTokens && names.count <= 1) else { return "unknown \(lane)" }
        hasAnonymous = true
        return "p1"
    }

    /// A frame of a client without its credentials, and whose they were where it begins a conversation; nil when it shows
    /// none.
    mutating func redacted(_ text: String) -> (text: String, owner: String?)? {
        guard !dialect.isCanonical || Self.mayHold(text), var frame = try? JSONParser.document(text).root else {
            return nil
        }
        let token = canonicalToken(of: frame)
        let type = frame["type"]?.stringValue?.lowercased() ?? ""
        let opens = token != nil || ["auth", "login"].contains { type.hasPrefix($0) }
        var owner: String?
        if let token { owner = name(of: token) }
        return redact(&frame, opens: opens, token: token, &owner) ? (frame.text(), owner) : nil
    }

    /// The body of a request without its credentials.
    mutating func redacted(body: String) -> String {
        guard let first = body.first(where: { !$0.isWhitespace }) else { return body }
        guard first == "{" || first == "[" else {
            // A form, as a query has it.
            return body.contains("=") && !body.contains("\n") ? redacted(pairs: body[...]).text : body
        }
        guard Self.mayHold(body), var root = try? JSONParser.document(body).root else { return body }
        var owner: String?
        return redact(&root, opens: false, token: nil, &owner) ? root.text() : body
    }

    /// A path without the credentials in its query, and whose they were.
    mutating func redacted(path: String) -> (path: String, owner: String?) {
        guard let mark = path.firstIndex(of: "?") else { return (path, nil) }
        let (query, owner) = redacted(pairs: path[path.index(after: mark)...])
        return ("\(path[...mark])\(query)", owner)
    }

    private mutating func redacted(pairs: Substring) -> (text: String, owner: String?) {
        var owner: String?
        let shown = pairs.split(separator: "&", omittingEmptySubsequences: false).map { pair -> String in
            guard let equals = pair.firstIndex(of: "="), CredentialNames.opens(String(pair[..<equals])) else {
                return String(pair)
            }
            let value = pair[pair.index(after: equals)...]
            guard !value.isEmpty else { return String(pair) }
            let name = name(of: String(value), isUsual: true)
            owner = name
            return "\(pair[...equals])‹token of \(name)›"
        }
        return (shown.joined(separator: "&"), owner)
    }

    /// The token of a frame that its dialect reads as `auth`, wherever the wire has it.
    private func canonicalToken(of frame: JSONValue) -> String? {
        guard !dialect.isCanonical, case .frames(let frames) = dialect.decode(frame, sentBy: .client),
            let first = frames.first, first["type"] == "auth", let token = first["token"]?.stringValue, !token.isEmpty
        else { return nil }
        return token
    }

    /// Takes the credentials out at any depth; tells whether there were any.
    private mutating func redact(
        _ value: inout JSONValue, opens: Bool, token: String?, _ owner: inout String?
    ) -> Bool {
        var hasChanged = false
        switch value {
        case .object(var object):
            for (member, held) in object {
                if let text = held.stringValue {
                    let isNamed = opens ? CredentialNames.opens(member) : CredentialNames.holds(member)
                    guard text == token || isNamed, !text.isEmpty else { continue }
                    object[member] = .string(location(of: text, opens: opens, &owner))
                } else {
                    var inner = held
                    guard redact(&inner, opens: opens, token: token, &owner) else { continue }
                    object[member] = inner
                }
                hasChanged = true
            }
            if hasChanged { value = .object(object) }
        case .array(var array):
            for index in array.indices where redact(&array[index], opens: opens, token: token, &owner) {
                hasChanged = true
            }
            if hasChanged { value = .array(array) }
        default: break
        }
        return hasChanged
    }

    /// What stands in the place of a credential.
    private mutating func location(of text: String, opens: Bool, _ owner: inout String?) -> String {
        guard opens else {
            if Self.shown(text) != nil || text == Self.hidden { return text }
            return names[text].map { "‹token of \($0)›" } ?? Self.hidden
        }
        let name = owner ?? name(of: text)
        owner = name
        return "‹token of \(name)›"
    }

    /// What stands in the place of a secret that tells nobody apart.
    private static let hidden = "‹secret›"

    /// Whose token a text stands for, as transcripts have it in the place of tokens.
    private static func shown(_ text: String) -> String? {
        text.hasPrefix("‹token of ") && text.hasSuffix("›") ? String(text.dropFirst(10).dropLast()) : nil
    }

    /// Whether a text may have a member with a credential; names can be written with escapes.
    private static func mayHold(_ text: String) -> Bool {
        let text = text.lowercased()
        return ["token", "key", "auth", "secret", "passw", "jwt", "bearer", "credential", "\\u"].contains {
            text.contains($0)
        }
    }

    /// The token in the value of an `Authorization` header.
    static func bearer(_ value: String) -> String? {
        let words = value.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return String(words[1])
    }
}

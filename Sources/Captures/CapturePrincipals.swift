import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// Names the people of a capture by their tokens, and removes the tokens.
///
/// One token is one person; so is the subject of signed tokens. A connection without a token belongs to the only person
/// of the file, if there is only one (``CaptureIdentities``), and otherwise to an unknown one.
struct CapturePrincipals {
    /// Whether the file belongs to one person, as far as its format or its beginning shows.
    private(set) var isOne: Bool
    /// Whether the user stated that, which overrides the tokens.
    private let isStated: Bool
    private let dialect: Dialect
    private var names: [String: String] = [:]
    private var requests = 0
    /// The connections and requests of unknown owners.
    private var unowned: Set<String> = []
    private var owned: Set<String> = []
    private var named: Set<String> = []
    /// The maximum number of tokens that are distinguished; a capture with more is not a capture of people.
    private static let maxNames = 10_000

    init(isOne: Bool, isStated: Bool = false, dialect: Dialect = .canonical) {
        (self.isOne, self.isStated, self.dialect) = (isOne, isStated, dialect)
    }

    /// Takes the evidence of the file about owners; a statement of the user takes precedence.
    mutating func take(_ identities: CaptureIdentities, ofForm form: CaptureForm) {
        if !isStated { isOne = form == .frames ? identities.areOnePerson : !identities.areSeveralPeople }
    }

    /// The name of the owner of a token; nil for a redacted one.
    mutating func name(of token: String) -> String? {
        if let name = Self.shown(token) { return name }
        guard !CaptureIdentities.isPlaceholder(token) else { return nil }
        if isStated { return "p1" }
        let person = CaptureIdentities.person(of: token)
        if let name = names[person] { return name }
        guard names.count < Self.maxNames else { return "p" }
        let name = "p\(names.count + 1)"
        names[person] = name
        return name
    }

    mutating func name(ofLane lane: String) -> String {
        if isOne, isStated || names.count <= 1 { return "p1" }
        if named.contains(lane) { return "unknown \(lane)" }
        if unowned.count < 100, !owned.contains(lane) { unowned.insert(lane) }
        // Any two requests may have different owners.
        guard lane == "HTTP" else { return "unknown \(lane)" }
        requests += 1
        return "unknown \(lane) \(requests)"
    }

    mutating func noteOwner(of lane: String, isNamed: Bool = false) {
        if owned.count < Self.maxNames { owned.insert(lane) }
        if isNamed, named.count < Self.maxNames { named.insert(lane) }
        unowned.remove(lane)
    }

    /// Whether all owners are known: a single person, or people that the file itself names.
    var areKnown: Bool { isOne || unowned.isEmpty && !owned.isEmpty && owned == named && named.count < Self.maxNames }

    var remark: String? {
        let lanes = unowned.filter { $0 != "HTTP" }.count
        guard unowned.count + names.count > 1, !unowned.isEmpty else { return nil }
        let whose = [lanes > 0 ? counted(lanes, "connection") : nil, unowned.contains("HTTP") ? "the requests" : nil]
        return
            "nothing shows who owns \(whose.compactMap(\.self).joined(separator: " and ")), so they are not compared: "
            + "reads with frames, replays and greetings with earlier events, one connection with another "
            + "(\(CaptureIdentities.dependentClauses)); if one person owns them all, add --one-person"
    }

    /// A client's frame without its credentials, and their owner if it begins a conversation; nil if it shows none.
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

    /// The events of a text on a connection: the connection's owner, if this text reveals it first, and the text
    /// without credentials.
    mutating func textEvents(
        _ text: String, _ direction: Direction, on lane: String, by named: String? = nil,
        _ owners: inout CaptureOwners,
        guesses: Bool = false
    ) -> [Event.Kind] {
        let known = direction == .toServer ? redacted(text) : nil
        let owner = named ?? known?.owner
        if owner != nil { noteOwner(of: lane, isNamed: named != nil) }
        let whose = owner ?? (guesses ? name(ofLane: lane) : nil)
        let belongs = whose.flatMap { owners.note(lane, to: $0, isCertain: owner != nil) }
        return [belongs, .text(direction, known?.text ?? text)].compactMap(\.self)
    }

    /// A request without its credentials, with its owner; nil for the owner if the request was refused for them.
    mutating func request(
        _ method: String, _ path: String, by named: String? = nil, status: Int?, body: String?
    ) -> Event.Kind {
        let (path, owner) = redacted(path: path)
        let isRefused = status == 401 || status == 403
        return .request(
            Event.Request(
                method: method, path: path, principal: named ?? owner ?? (isRefused ? nil : name(ofLane: "HTTP")),
                body: body.map { redacted(body: $0) }))
    }

    private mutating func redacted(body: String) -> String {
        guard let first = body.first(where: { !$0.isWhitespace }) else { return body }
        guard first == "{" || first == "[" else {
            // A form, in the format of a query.
            return body.contains("=") && !body.contains("\n") ? redacted(pairs: body[...]).text : body
        }
        guard Self.mayHold(body), var root = try? JSONParser.document(body).root else { return body }
        var owner: String?
        return redact(&root, opens: false, token: nil, &owner) ? root.text() : body
    }

    mutating func redacted(path: String) -> (path: String, owner: String?) {
        guard let mark = path.firstIndex(of: "?") else { return (path, nil) }
        let (query, owner) = redacted(pairs: path[path.index(after: mark)...])
        return ("\(path[...mark])\(query)", owner)
    }

    private mutating func redacted(pairs: Substring) -> (text: String, owner: String?) {
        var owner: String?
        let shown = pairs.split(separator: "&", omittingEmptySubsequences: false).map { pair -> String in
            guard let equals = pair.firstIndex(of: "="), CredentialNames.holdsAtStart(String(pair[..<equals])) else {
                return String(pair)
            }
            let value = pair[pair.index(after: equals)...]
            guard !value.isEmpty else { return String(pair) }
            guard let name = name(of: String(value)) else { return "\(pair[...equals])\(Self.hidden)" }
            owner = name
            return "\(pair[...equals])‹token of \(name)›"
        }
        return (shown.joined(separator: "&"), owner)
    }

    private func canonicalToken(of frame: JSONValue) -> String? {
        guard !dialect.isCanonical, let auth = dialect.frame(frame, sentBy: .client),
            auth["type"] == "auth", let token = auth["token"]?.stringValue, !token.isEmpty
        else { return nil }
        return token
    }

    /// Removes the credentials at any depth; returns whether there were any.
    private mutating func redact(
        _ value: inout JSONValue, opens: Bool, token: String?, _ owner: inout String?
    ) -> Bool {
        var hasChanged = false
        switch value {
        case .object(var object):
            for (member, held) in object {
                if let text = held.stringValue {
                    let isNamed = opens ? CredentialNames.holdsAtStart(member) : CredentialNames.holds(member)
                    guard text == token || isNamed, !text.isEmpty else { continue }
                    object[member] = .string(replacement(of: text, opens: opens, &owner))
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

    /// The text that replaces a credential.
    private mutating func replacement(of text: String, opens: Bool, _ owner: inout String?) -> String {
        guard opens else {
            if Self.shown(text) != nil || text == Self.hidden { return text }
            return names[CaptureIdentities.person(of: text)].map { "‹token of \($0)›" } ?? Self.hidden
        }
        let name = owner ?? name(of: text)
        owner = name
        return name.map { "‹token of \($0)›" } ?? Self.hidden
    }

    /// The text that replaces a secret and does not distinguish owners.
    private static let hidden = "‹secret›"

    /// The owner in a placeholder, which transcripts have instead of tokens.
    private static func shown(_ text: String) -> String? {
        text.hasPrefix("‹token of ") && text.hasSuffix("›") ? String(text.dropFirst(10).dropLast()) : nil
    }

    /// Whether a text may have a member with a credential, whose name may contain escapes.
    private static func mayHold(_ text: String) -> Bool {
        let text = text.lowercased()
        return ["token", "key", "auth", "secret", "passw", "jwt", "bearer", "credential", "\\u"].contains {
            text.contains($0)
        }
    }

    static func bearer(_ value: String) -> String? {
        let words = value.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return String(words[1])
    }
}

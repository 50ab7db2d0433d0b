import HoldfastJSON

/// What a dialect makes of the frames and requests of a capture, counted by kind.
public struct DialectCoverage: Sendable {
    /// The dialect whose rules were asked.
    public let dialect: Dialect
    /// Each kind of frame or request, in the order in which it was first seen.
    public private(set) var entries: [Entry] = []
    private var positions: [Key: Int] = [:]

    /// Frames or requests that mean the same.
    public struct Entry: Sendable, Equatable {
        /// Who sent it: `client` or `server`.
        public let sender: Role
        /// The wire type, or method and path; nil for a text that is no message.
        public let wire: String?
        /// What it is to the dialect.
        public let meaning: Meaning
        /// How many there were.
        public internal(set) var count: Int
        /// Where the first one was.
        public let location: String
        /// The first one, verbatim.
        public let text: String
    }

    /// What a frame or request is to a dialect.
    public enum Meaning: Sendable, Hashable {
        /// This canonical type, or canonical method and path.
        case understood(String)
        /// A type that the system does not know either, for a reason.
        case unknown(String)
        /// Nothing the protocol speaks of, for a reason.
        case ignored(String)
        /// No object with a type; the same in every dialect.
        case noMessage
        /// Nothing the dialect knows, for a reason.
        case unmapped(String)
    }

    private struct Key: Hashable {
        let sender: Role
        let wire: String?
        let meaning: Meaning
    }

    /// Nothing counted yet.
    public init(_ dialect: Dialect) { self.dialect = dialect }

    /// Counts a text message by the rule that fits it.
    public mutating func take(_ text: String, sentBy sender: Role, at location: String) {
        guard let frame = try? JSONParser.document(text).root, let type = dialect.wireType(of: frame) else {
            return count(sender, nil, .noMessage, text, location)
        }
        count(sender, type, dialect.meaning(of: frame, type: type, sentBy: sender), text, location)
    }

    /// Counts an HTTP request by the path that fits it.
    public mutating func take(_ request: RESTRequest, at location: String) {
        let text = "\(request.method) \(request.path)"
        let wire = "\(request.method) \(request.path.prefix { $0 != "?" })"
        let meaning: Meaning =
            dialect.decode(request).map { .understood("\($0.method) \($0.path.prefix { $0 != "?" })") }
            ?? .ignored("not a request of the protocol")
        count(.client, wire, meaning, text, location)
    }

    /// How many frames and requests there were.
    public var total: Int { entries.reduce(0) { $0 + $1.count } }

    /// What the dialect could not map.
    public var unmapped: [Entry] {
        entries.filter { if case .unmapped = $0.meaning { true } else { false } }
    }

    private mutating func count(_ sender: Role, _ wire: String?, _ meaning: Meaning, _ text: String, _ location: String)
    {
        let key = Key(sender: sender, wire: wire, meaning: meaning)
        if let position = positions[key] {
            entries[position].count += 1
        } else {
            positions[key] = entries.count
            entries.append(
                Entry(sender: sender, wire: wire, meaning: meaning, count: 1, location: location, text: text))
        }
    }
}

extension Dialect {
    fileprivate func meaning(of frame: JSONValue, type: String, sentBy sender: Role) -> DialectCoverage.Meaning {
        if isCanonical {
            let isKnown = Self.canonicalTypes[sender]?.contains(type) == true
            return isKnown
                ? .understood(type) : .unmapped("the specification knows no '\(type)' from the \(sender.rawValue)")
        }
        switch rule(for: frame, of: type, sentBy: sender)?.meaning {
        case .message(let canonical): return .understood(canonical)
        case .ignored(let reason): return .ignored(reason)
        case .unknown(let reason): return .unknown(reason)
        case nil:
            if case .unmapped(let reason) = decode(frame, sentBy: sender) { return .unmapped(reason) }
            return .noMessage
        }
    }

    /// The wire types that have a rule, by the side that sends them, in the order of the file.
    public func types(sentBy sender: Role) -> [String] {
        var types: [String] = []
        for rule in frameRules.all where rule.sender == sender && !types.contains(rule.wire) { types.append(rule.wire) }
        return types
    }
}

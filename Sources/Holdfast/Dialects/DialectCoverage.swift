import HoldfastJSON

/// How a dialect classifies the frames and requests of a capture, with counts.
public struct DialectCoverage: Sendable {
    /// The dialect.
    public let dialect: Dialect
    /// The kinds of frames or requests in order of appearance.
    public private(set) var entries: [Entry] = []
    private var positions: [Key: Int] = [:]

    /// Frames or requests of one kind.
    public struct Entry: Sendable, Equatable {
        /// The sender.
        public let sender: Role
        /// The wire type, or method and path; nil for a text that is not a message.
        public let wire: String?
        /// The classification.
        public let meaning: Meaning
        /// The number of occurrences.
        public internal(set) var count: Int
        /// The place of the first occurrence.
        public let location: String
        /// The text of the first occurrence.
        public let text: String
    }

    /// How a dialect classifies a frame or request.
    public enum Meaning: Sendable, Hashable {
        /// Translated to this canonical type, or canonical method and path.
        case understood(String)
        /// A type that the system itself does not know, with the reason.
        case unknown(String)
        /// Outside the protocol, with the reason.
        case ignored(String)
        /// Not an object with a type, in any dialect.
        case noMessage
        /// Unknown to the dialect, with the reason.
        case unmapped(String)
    }

    private struct Key: Hashable {
        let sender: Role
        let wire: String?
        let meaning: Meaning
    }

    /// Starts at zero.
    public init(_ dialect: Dialect) { self.dialect = dialect }

    /// Counts a text message by its rule.
    public mutating func take(_ text: String, sentBy sender: Role, at location: String) {
        guard let frame = try? JSONParser.document(text).root, let type = dialect.wireType(of: frame) else {
            return count(sender, nil, .noMessage, text, location)
        }
        count(sender, type, dialect.meaning(of: frame, type: type, sentBy: sender), text, location)
    }

    /// Counts an HTTP request by its rule.
    public mutating func take(_ request: RESTRequest, at location: String) {
        let text = "\(request.method) \(request.path)"
        let wire = "\(request.method) \(request.path.prefix { $0 != "?" })"
        let meaning: Meaning =
            dialect.decode(request).map { .understood("\($0.method) \($0.path.prefix { $0 != "?" })") }
            ?? .ignored("not a request of the protocol")
        count(.client, wire, meaning, text, location)
    }

    /// The number of frames and requests.
    public var total: Int { entries.reduce(0) { $0 + $1.count } }

    /// Everything the dialect could not map.
    public var unmapped: [Entry] { entries.filter { if case .unmapped = $0.meaning { true } else { false } } }

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
                ? .understood(type) : .unmapped("the specification defines no '\(type)' from the \(sender.rawValue)")
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

    /// The wire types with a rule by sender, in file order.
    public func types(sentBy sender: Role) -> [String] {
        var types: [String] = []
        for rule in frameRules.all where rule.sender == sender && !types.contains(rule.wire) { types.append(rule.wire) }
        return types
    }
}

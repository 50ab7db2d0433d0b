/// The members of a JSON object, in the order they were written.
///
/// Keys are compared scalar by scalar. A key that comes twice keeps its first place and its last value.
public struct JSONObject: Sendable {
    /// One member.
    public typealias Element = (key: String, value: JSONValue)

    /// Up to this many members a scan is faster than a table, and most objects on a wire are smaller.
    private static let scannedCount = 16

    /// What modules above walk along costs no call.
    @usableFromInline var members: [Member] = []
    /// Positions by key; empty while the members are few enough to be scanned.
    private var positions: [ExactString: Int] = [:]

    @usableFromInline
    struct Member: Sendable {
        @usableFromInline let key: String
        @usableFromInline var value: JSONValue
    }

    /// An object without members.
    public init() {}

    /// An object without members that has room for some.
    init(capacity: Int) { members.reserveCapacity(capacity) }

    /// An object with these members; a repeated key keeps its first place and its last value.
    public init(_ pairs: some Sequence<(key: String, value: JSONValue)>) {
        for pair in pairs {
            set(pair.value, for: pair.key)
        }
    }

    init(literal elements: [(String, JSONValue)]) {
        self.init(capacity: elements.count)
        for (key, value) in elements { set(value, for: key) }
    }

    /// The value of a key; setting nil removes the member, setting a new key appends it.
    public subscript(_ key: String) -> JSONValue? {
        get {
            position(of: key).map { members[$0].value }
        }
        set {
            if let newValue {
                set(newValue, for: key)
            } else {
                remove(key)
            }
        }
    }

    /// The keys, in order.
    public var keys: [String] { members.map(\.key) }

    /// The values, in the order of their keys.
    public var values: [JSONValue] { members.map(\.value) }

    /// The number of members.
    public var count: Int { members.count }

    /// Whether there is no member.
    public var isEmpty: Bool { members.isEmpty }

    /// Whether there is a member of that name.
    public func contains(_ key: String) -> Bool { position(of: key) != nil }

    /// Sets a member and tells whether its key was new.
    @discardableResult
    package mutating func set(_ value: JSONValue, for key: String) -> Bool {
        let position = position(of: key)
        if let position {
            members[position].value = value
        } else {
            append(value, for: key)
        }
        return position == nil
    }

    /// Appends a member whose key the object does not have.
    mutating func append(_ value: JSONValue, for key: String) {
        members.append(Member(key: key, value: value))
        guard members.count > Self.scannedCount else { return }
        if positions.isEmpty {
            index()
        } else {
            positions[ExactString(key)] = members.count - 1
        }
    }

    private mutating func remove(_ key: String) {
        guard let position = position(of: key) else { return }
        members.remove(at: position)
        positions = [:]
        if members.count > Self.scannedCount {
            index()
        }
    }

    private mutating func index() {
        positions.reserveCapacity(members.count)
        for (position, member) in members.enumerated() {
            positions[ExactString(member.key)] = position
        }
    }

    private func position(of key: String) -> Int? {
        guard positions.isEmpty else { return positions[ExactString(key)] }
        let length = key.utf8.count
        var position = 0
        while position < members.count {
            if members[position].key.utf8.count == length, exactlyEqual(members[position].key, key) { return position }
            position += 1
        }
        return nil
    }
}

extension JSONObject: Sequence {
    /// Walks the members in order.
    public struct Iterator: IteratorProtocol, Sendable {
        @usableFromInline let members: [Member]
        @usableFromInline var position = 0

        @usableFromInline init(_ members: [Member]) { self.members = members }

        /// The next member, or nil after the last.
        @inlinable
        public mutating func next() -> (key: String, value: JSONValue)? {
            guard position < members.count else { return nil }
            defer { position += 1 }
            return (members[position].key, members[position].value)
        }
    }

    /// Starts at the first member.
    @inlinable public func makeIterator() -> Iterator { Iterator(members) }

    /// The number of members.
    public var underestimatedCount: Int { members.count }
}

extension JSONObject: Hashable {
    /// Compares exactly.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        return left.members.allSatisfy { right[$0.key] == $0.value }
    }

    /// Hashes what equality compares.
    public func hash(into hasher: inout Hasher) {
        // A sum does not depend on the order of the members.
        var sum = 0
        for member in members {
            var inner = Hasher()
            inner.combine(ExactString(member.key))
            inner.combine(member.value)
            sum = sum &+ inner.finalize()
        }
        hasher.combine(4)
        hasher.combine(sum)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// An object, from a literal; the order of its members is kept.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(literal: elements)
    }
}

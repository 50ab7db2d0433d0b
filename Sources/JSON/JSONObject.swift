/// The members of a JSON object, in the order they were written.
///
/// Keys are compared scalar by scalar. A repeated key keeps its first position and its last value.
public struct JSONObject: Sendable {
    /// One member.
    public typealias Element = (key: String, value: JSONValue)

    /// Up to this size, a scan is faster than a table; most objects are smaller.
    private static let scannedCount = 16

    /// Usable from inline, so that other modules iterate without calls.
    @usableFromInline var members: [Member] = []
    /// Indices by key; empty for objects that are scanned.
    private var positions: [ExactString: Int] = [:]

    @usableFromInline
    struct Member: Sendable {
        @usableFromInline let key: String
        @usableFromInline var value: JSONValue
    }

    /// An object without members.
    public init() {}

    init(capacity: Int) { members.reserveCapacity(capacity) }

    /// An object with these members; a repeated key keeps its first position and its last value.
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

    /// Whether there is a member with that name.
    public func contains(_ key: String) -> Bool { position(of: key) != nil }

    /// Sets a member and returns whether its key was new.
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

    /// Appends a member with a new key.
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
    /// Iterates over the members in order.
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

    /// An iterator at the first member.
    @inlinable public func makeIterator() -> Iterator { Iterator(members) }

    /// The number of members.
    public var underestimatedCount: Int { members.count }
}

extension JSONObject: Hashable {
    /// Compares by the equality of JSON.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        return left.members.allSatisfy { right[$0.key] == $0.value }
    }

    /// Hashes in line with equality.
    public func hash(into hasher: inout Hasher) {
        // A sum is independent of member order.
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

import HoldfastJSON

/// The places of a canonical value's members on the wire; a member without a rule has the same name on both sides.
struct MemberMap: Sendable, Equatable {
    var rules: [MemberRule] = []
    /// Constant wire members without a meaning.
    var writes: [FixedMember] = []

    struct FixedMember: Sendable, Equatable {
        let location: JSONPointer
        let value: JSONValue
    }

    var isIdentity: Bool { rules.isEmpty && writes.isEmpty }
}

struct MemberRule: Sendable, Equatable {
    let canonical: JSONPointer
    let location: Location

    enum Location: Sendable, Equatable {
        /// At this location, possibly with other values.
        case at(JSONPointer, Vocabulary)
        /// Not written, because it always has this value.
        case always(JSONValue)
        /// Not written; if it is present anyway, it has its canonical name.
        case unwritten
        /// Not written; a reader assumes this value, but no verdict about the member relies on it.
        case assumed(JSONValue)
        /// Not written; a wire member of this name has a different meaning.
        case otherwise(String)
        /// Only the last user message of `messages`, as a string.
        case lastUserText(JSONPointer)
        /// A list of frames in the dialect.
        case frames(JSONPointer)
        /// A list of objects with their own map, possibly newest first.
        case list(JSONPointer, MemberMap, isReversed: Bool)
        /// In the path or query of the request, as this placeholder.
        case request(String)
    }

    /// How a value is written.
    enum Vocabulary: Sendable, Equatable {
        /// As in the specification.
        case same
        /// Some values have other names.
        case values([Word])
        /// `YYYY-MM-DD HH:MM:SS` in UTC.
        case spacedUTC
    }

    struct Word: Sendable, Equatable {
        let wire: JSONValue
        let canonical: JSONValue
    }
}

struct Inexpressible: Error, Sendable, Equatable {
    let reason: String
}

import HoldfastJSON

/// Where the members of one canonical value stand on the wire; a member that no rule names has the same name on both sides.
struct MemberMap: Sendable, Equatable {
    var rules: [MemberRule] = []
    /// Wire members with a fixed value, which say nothing.
    var writes: [FixedMember] = []

    struct FixedMember: Sendable, Equatable {
        let location: JSONPointer
        let value: JSONValue
    }

    var isIdentity: Bool { rules.isEmpty && writes.isEmpty }
}

/// Where one canonical member stands on the wire.
struct MemberRule: Sendable, Equatable {
    let canonical: JSONPointer
    let location: Location

    enum Location: Sendable, Equatable {
        /// At a place of the wire, perhaps in other words.
        case at(JSONPointer, Vocabulary)
        /// Nowhere, because the wire can mean nothing else.
        case always(JSONValue)
        /// Nowhere; it is not written. Should it come all the same, it has its own name.
        case unsaid
        /// Nowhere, and a reader has to act as if it were this; no verdict about the member itself rests on it.
        case assumed(JSONValue)
        /// Nowhere; a wire member of this name means something else.
        case otherwise(String)
        /// The last user message of `messages` alone, as a string.
        case lastUserText(JSONPointer)
        /// A list of frames, each in the dialect.
        case frames(JSONPointer)
        /// A list of objects, each with a map of its own, perhaps newest first.
        case list(JSONPointer, MemberMap, isReversed: Bool)
        /// In the path or query of the request, as the placeholder of this name.
        case request(String)
    }

    /// How a value is spelled.
    enum Vocabulary: Sendable, Equatable {
        /// As in the specification.
        case same
        /// Some values have another name; the others are the same.
        case values([Word])
        /// `YYYY-MM-DD HH:MM:SS` in UTC.
        case spacedUTC
    }

    /// One value in two spellings.
    struct Word: Sendable, Equatable {
        let wire: JSONValue
        let canonical: JSONValue
    }
}

/// Why a canonical value cannot be said on a wire.
struct Inexpressible: Error, Sendable, Equatable {
    let reason: String
}

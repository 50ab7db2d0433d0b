import HoldfastBasics
import HoldfastJSON

extension MemberMap {
    /// The context of a translation: the placeholders of the request, and how to translate nested frames.
    struct MappingContext {
        var placeholders: [String: String] = [:]
        /// Translates a frame to the wire; nil drops it.
        var encode: (JSONValue) -> JSONValue? = { $0 }
        /// Translates a frame from the wire; nil drops it.
        var decode: (JSONValue) -> JSONValue? = { $0 }
    }

    /// Translates a wire value to canonical form, without the members that only select the rule.
    func decoded(
        _ wire: JSONValue, _ context: MappingContext = .init(), dropping selectors: [JSONPointer] = []
    ) -> JSONValue {
        guard wire.objectValue != nil else { return wire }
        var value = wire
        for location in writes.map(\.location) + selectors { value = value.removing(location) }
        for rule in rules {
            switch rule.location {
            case .at(let location, _), .lastUserText(let location), .frames(let location), .list(let location, _, _):
                value = value.removing(location)
            case .always, .assumed, .otherwise, .unwritten, .request: break
            }
        }
        // If a member is elsewhere, its canonical name has a different meaning on the wire.
        for rule in rules where rule.location != .unwritten { value = value.removing(rule.canonical) }
        for rule in rules {
            guard let member = rule.decoded(wire, context) else { continue }
            value = value.setting(rule.canonical, to: member)
        }
        return value
    }

    func encoded(_ canonical: JSONValue, _ context: MappingContext = .init()) throws(Inexpressible) -> JSONValue {
        guard canonical.objectValue != nil, !isIdentity else { return canonical }
        var value = canonical
        for rule in rules { value = value.removing(rule.canonical) }
        for rule in rules {
            guard let (location, member) = try rule.encoded(canonical, context) else { continue }
            value = value.setting(location, to: member)
        }
        for fixed in writes { value = value.setting(fixed.location, to: fixed.value) }
        return value
    }
}

extension MemberRule {
    /// The canonical value of the member; nil if it is absent or null on the wire.
    fileprivate func decoded(_ wire: JSONValue, _ context: MemberMap.MappingContext) -> JSONValue? {
        // A literal nil would be JSON null here.
        func nonNull(_ place: JSONPointer) -> JSONValue? { wire[place].flatMap { $0.isNull ? JSONValue?.none : $0 } }
        switch location {
        case .at(let location, let vocabulary): return nonNull(location).map(vocabulary.decoded)
        case .always(let value), .assumed(let value): return value
        case .unwritten, .otherwise: return nil
        case .lastUserText(let location):
            return nonNull(location).map { [["role": "user", "content": $0]] }
        case .frames(let location):
            guard let value = nonNull(location) else { return nil }
            guard let frames = value.arrayValue else { return value }
            return .array(frames.compactMap(context.decode))
        case .list(let location, let map, let isReversed):
            guard let value = nonNull(location) else { return nil }
            guard let elements = value.arrayValue else { return value }
            let decoded = elements.map { map.decoded($0, context) }
            return .array(isReversed ? decoded.reversed() : decoded)
        case .request(let name): return context.placeholders[name].map { .string(percentDecoded($0)) }
        }
    }

    /// Writes the member to its place on the wire, if it has a value.
    fileprivate func encoded(
        _ value: JSONValue, _ context: MemberMap.MappingContext
    ) throws(Inexpressible) -> (JSONPointer, JSONValue)? {
        let member = value[canonical]
        switch location {
        case .at(let location, let vocabulary):
            return member.map { (location, vocabulary.encoded($0)) }
        case .always(let only):
            guard member == only else {
                throw Inexpressible(
                    reason: "'\(canonical)' can only be \(only.text()), not \(member?.text() ?? "absent")")
            }
            return nil
        case .assumed(let only):
            guard member == nil || member == only else {
                throw Inexpressible(reason: "'\(canonical)' cannot be sent, and is assumed to be \(only.text())")
            }
            return nil
        case .unwritten, .otherwise, .request: return nil
        case .lastUserText(let location):
            guard let last = member?.arrayValue?.last, last["role"] == "user", let text = last["content"],
                text.stringValue != nil
            else { throw Inexpressible(reason: "'\(canonical)' can only end with a plain text of the user") }
            return (location, text)
        case .frames(let location):
            guard let frames = member?.arrayValue else { return member.map { (location, $0) } }
            return (location, .array(frames.compactMap(context.encode)))
        case .list(let location, let map, let isReversed):
            guard let elements = member?.arrayValue else { return member.map { (location, $0) } }
            var encoded: [JSONValue] = []
            for element in elements { encoded.append(try map.encoded(element, context)) }
            return (location, .array(isReversed ? encoded.reversed() : encoded))
        }
    }
}

extension MemberRule.Vocabulary {
    func decoded(_ value: JSONValue) -> JSONValue {
        switch self {
        case .same: value
        case .values(let words): words.first { $0.wire == value }?.canonical ?? value
        case .spacedUTC: value.stringValue.flatMap(SpacedTime.decoded).map { .string($0) } ?? value
        }
    }

    func encoded(_ value: JSONValue) -> JSONValue {
        switch self {
        case .same: value
        case .values(let words): words.first { $0.canonical == value }?.wire ?? value
        case .spacedUTC: value.stringValue.flatMap(SpacedTime.encoded).map { .string($0) } ?? value
        }
    }
}

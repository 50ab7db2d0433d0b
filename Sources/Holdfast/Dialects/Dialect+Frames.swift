import HoldfastJSON

extension Dialect {
    /// A canonical frame translated to the wire.
    public enum Encoding: Sendable, Equatable {
        /// This wire frame.
        case frame(JSONValue)
        /// No frame, because the wire expresses it otherwise.
        case nothing(String)
        /// The wire cannot express it.
        case inexpressible(String)
    }

    /// A wire frame translated to the specification's form.
    public enum Decoding: Sendable, Equatable {
        /// This canonical frame.
        case frame(JSONValue)
        /// A frame outside the protocol, with the reason.
        case ignored(String)
        /// A frame that the dialect does not know, with the reason.
        case unmapped(String)
    }

    package static let canonicalTypes: [Role: Set<String>] = [
        .client: ["auth", "chat", "sync", "ping"],
        .server: ["connected", "ack", "message", "toolUse", "done", "error", "syncResult", "pong"],
    ]

    /// Translates a canonical frame to the wire.
    ///
    /// Anything else, such as a scenario's malformed frame, stays unchanged.
    public func encode(_ frame: JSONValue, sentBy sender: Role) -> Encoding {
        guard !isCanonical, let type = frame["type"]?.stringValue else { return .frame(frame) }
        guard Self.canonicalTypes[sender]?.contains(type) == true else {
            return sender == .server ? unknown(frame, type) : .frame(frame)
        }
        if assumedGreeting != nil, type == "connected" {
            return .nothing("an accepted upgrade says it in the dialect \(name)")
        }
        let rules = frameRules.expressing(type, sentBy: sender)
        var reasons: [String] = []
        for rule in rules {
            do {
                return .frame(try encode(frame, by: rule))
            } catch {
                reasons.append(error.reason)
            }
        }
        if rules.isEmpty, assumedGreeting != nil, type == "auth", frame["protocol"] == 1 {
            return .nothing("the upgrade request says it in the dialect \(name)")
        }
        return .inexpressible(
            reasons.isEmpty
                ? "the dialect \(name) has no '\(type)'"
                : "the dialect \(name) cannot say this '\(type)': \(reasons.joined(separator: "; "))")
    }

    /// A server's frame of an unknown type, if a reader cannot mistake it for a known one.
    private func unknown(_ frame: JSONValue, _ type: String) -> Encoding {
        var wire = frame
        if typeLocation != Self.defaultTypeLocation { wire["type"] = nil }
        wire = wire.setting(typeLocation, to: .string(type))
        let seq = JSONPointer(tokens: ["seq"])
        let isSeqElsewhere = frameRules.all.contains { rule in
            rule.members.rules.contains { $0.canonical == seq && $0.location.wire != nil }
        }
        guard case .unmapped = decode(wire, sentBy: .server), frame["seq"] == nil || !isSeqElsewhere else {
            return .inexpressible("the dialect \(name) cannot say '\(type)' as an unknown type")
        }
        return .frame(wire)
    }

    /// Translates a wire frame to canonical form.
    ///
    /// Anything but an object with a type stays unchanged, since it is invalid in every dialect.
    public func decode(_ frame: JSONValue, sentBy sender: Role) -> Decoding {
        guard !isCanonical else { return .frame(frame) }
        guard let type = wireType(of: frame) else {
            // If types are elsewhere, a member that happens to be called `type` is not the type.
            return .frame(typeLocation == Self.defaultTypeLocation ? frame : frame.removing(Self.defaultTypeLocation))
        }
        guard let rule = rule(for: frame, of: type, sentBy: sender) else {
            let hasRules = !frameRules.naming(type, sentBy: sender).isEmpty
            return .unmapped(
                hasRules
                    ? "no rule of the dialect \(name) for '\(type)' fits this frame"
                    : "the dialect \(name) knows no '\(type)' from the \(sender.rawValue)")
        }
        switch rule.meaning {
        case .message(let canonical): return .frame(decode(frame, as: canonical, by: rule))
        case .ignored(let reason): return .ignored(reason)
        case .unknown: return .frame(foreign(frame))
        }
    }

    /// The frame that a wire frame is mapped to; nil if it is ignored, or unknown to the dialect.
    public func frame(_ wire: JSONValue, sentBy sender: Role) -> JSONValue? {
        if case .frame(let frame) = decode(wire, sentBy: sender) { frame } else { nil }
    }

    /// The canonical frame for a wire frame: a foreign one if the dialect cannot map it, nil if it is ignored.
    public func meaning(of wire: JSONValue, sentBy sender: Role) -> JSONValue? {
        switch decode(wire, sentBy: sender) {
        case .frame(let frame): frame
        case .ignored: nil
        case .unmapped: foreign(wire)
        }
    }

    /// The canonical members that a wire frame lacks and a reader must assume; few dialects have any.
    public func assumedMembers(of frame: JSONValue, sentBy sender: Role) -> [JSONPointer] {
        guard let type = wireType(of: frame), let rule = rule(for: frame, of: type, sentBy: sender) else { return [] }
        return rule.members.rules.compactMap { member in
            if case .assumed = member.location { member.canonical } else { nil }
        }
    }

    /// Whether `connected` states an epoch, but `sync` and its answer cannot: they use their connection's.
    public var inheritsEpochs: Bool {
        func isUnwritten(_ type: String, _ sender: Role) -> Bool {
            let rules = frameRules.expressing(type, sentBy: sender)
            return !rules.isEmpty
                && rules.allSatisfy {
                    $0.members.rules.contains { $0.canonical == Self.epochLocation && $0.location == .unwritten }
                }
        }
        return isUnwritten("sync", .client) && isUnwritten("syncResult", .server) && !isUnwritten("connected", .server)
    }

    /// The location of the epoch in canonical frames.
    public static let epochLocation = JSONPointer(tokens: ["epoch"])

    func rule(for frame: JSONValue, of type: String, sentBy sender: Role) -> FrameRule? {
        frameRules.naming(type, sentBy: sender).first { $0.conditions.allSatisfy { $0.holds(of: frame) } }
            ?? frameRules.naming(FrameRule.anyType, sentBy: sender).first
    }

    /// Gives a wire frame that has no canonical form a type outside the specification.
    public func foreign(_ frame: JSONValue) -> JSONValue {
        guard !isCanonical, let type = wireType(of: frame) else { return frame }
        let isMistakable = Self.canonicalTypes.values.contains { $0.contains(type) }
        guard isMistakable || typeLocation != Self.defaultTypeLocation else { return frame }
        var frame = frame
        frame["type"] = .string(isMistakable ? "\(name):\(type)" : type)
        return frame
    }

    private func encode(_ frame: JSONValue, by rule: FrameRule) throws(Inexpressible) -> JSONValue {
        var wire = try rule.members.encoded(frame, context(of: rule.sender))
        if typeLocation != Self.defaultTypeLocation { wire["type"] = nil }
        wire = wire.setting(typeLocation, to: .string(rule.wire))
        for condition in rule.conditions {
            if let value = condition.onlyValue { wire = wire.setting(condition.location, to: value) }
        }
        return wire
    }

    private func decode(_ frame: JSONValue, as type: String, by rule: FrameRule) -> JSONValue {
        let selectors = rule.conditions.filter { $0.onlyValue != nil }.map(\.location) + [typeLocation]
        let members = rule.members.decoded(frame, context(of: rule.sender), dropping: selectors)
        return .object(JSONObject([("type", .string(type))] + (members.objectValue ?? [:]).filter { $0.key != "type" }))
    }

    private func context(of sender: Role) -> MemberMap.MappingContext {
        MemberMap.MappingContext(
            encode: { if case .frame(let wire) = encode($0, sentBy: sender) { wire } else { nil } },
            decode: { meaning(of: $0, sentBy: sender) })
    }
}

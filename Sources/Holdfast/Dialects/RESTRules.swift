import HoldfastJSON

/// The REST side of a dialect.
struct RESTRules: Sendable, Equatable {
    /// The requests that are not those of the specification; nil for one that the system does not have.
    var roads: [RESTRoad: RESTRule?] = [:]
    /// How an error body is spelled.
    var error = BodyMap()

    /// The rule of a request; nil when the system does not have it.
    func rule(of road: RESTRoad) -> RESTRule? {
        switch roads[road] {
        case .some(let rule): rule
        case .none: RESTRule(method: road.method, target: road.target)
        }
    }
}

/// The requests of the specification.
enum RESTRoad: String, Sendable, Equatable, CaseIterable {
    case health, sessionList, session, chat

    var method: String { self == .chat ? "POST" : "GET" }

    var target: TargetTemplate {
        switch self {
        case .health: TargetTemplate("/api/health")
        case .sessionList: TargetTemplate("/api/sessions")
        case .session: TargetTemplate("/api/sessions/{id}")
        case .chat: TargetTemplate("/api/chat")
        }
    }
}

/// How one request of the specification travels.
struct RESTRule: Sendable, Equatable {
    var method: String
    var target: TargetTemplate
    var request = MemberMap()
    /// The status that stands for 200.
    var status = 200
    /// What has to hold of the body of an answer for it to be the whole answer.
    var conditions: [WireCondition] = []
    var answer = BodyMap()
}

/// How a body is spelled: perhaps in an envelope, with members of other names.
struct BodyMap: Sendable, Equatable {
    /// The member that holds everything; the root when there is no envelope.
    var envelope = JSONPointer()
    var members = MemberMap()
    /// Members of the envelope with a fixed value.
    var writes: [MemberMap.FixedMember] = []

    func decoded(_ wire: JSONValue, _ surroundings: MemberMap.Surroundings = .init()) -> JSONValue {
        guard let inner = wire[envelope] else { return wire }
        return members.decoded(inner, surroundings, dropping: envelope.isRoot ? writes.map(\.location) : [])
    }

    func encoded(
        _ canonical: JSONValue, _ surroundings: MemberMap.Surroundings = .init()
    ) throws(Inexpressible) -> JSONValue {
        let inner = try members.encoded(canonical, surroundings)
        var wire = envelope.isRoot ? inner : JSONValue.object(JSONObject()).setting(envelope, to: inner)
        guard wire.objectValue != nil else { return wire }
        for fixed in writes { wire = wire.setting(fixed.location, to: fixed.value) }
        return wire
    }
}

import HoldfastJSON

struct RESTRules: Sendable, Equatable {
    /// The requests that differ from the specification's; nil for one that the system lacks.
    var operations: [RESTOperation: RESTRule?] = [:]
    var error = BodyMap()

    /// The rule of a request; nil if the system lacks it.
    func rule(of kind: RESTOperation) -> RESTRule? {
        switch operations[kind] {
        case .some(let rule): rule
        case .none: RESTRule(method: kind.method, target: kind.target)
        }
    }

    /// The kind of a request, and the values of its placeholders; nil for a request that no rule describes.
    func kind(of request: RESTRequest) -> (RESTOperation, [String: String])? {
        for kind in RESTOperation.allCases {
            guard let rule = rule(of: kind), rule.method == request.method,
                let values = rule.target.match(request.path)
            else { continue }
            return (kind, values)
        }
        return nil
    }
}

enum RESTOperation: String, Sendable, Equatable, CaseIterable {
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

struct RESTRule: Sendable, Equatable {
    var method: String
    var target: TargetTemplate
    var request = MemberMap()
    var status = 200
    /// The conditions for a response body to be the complete answer.
    var conditions: [WireCondition] = []
    var answer = BodyMap()
}

/// The form of a body: possibly in an envelope, with renamed members.
struct BodyMap: Sendable, Equatable {
    /// The member that contains everything; the root if there is no envelope.
    var envelope = JSONPointer()
    var members = MemberMap()
    var writes: [MemberMap.FixedMember] = []

    func decoded(_ wire: JSONValue, _ context: MemberMap.MappingContext = .init()) -> JSONValue {
        guard let inner = wire[envelope] else { return wire }
        return members.decoded(inner, context, dropping: envelope.isRoot ? writes.map(\.location) : [])
    }

    func encoded(
        _ canonical: JSONValue, _ context: MemberMap.MappingContext = .init()
    ) throws(Inexpressible) -> JSONValue {
        let inner = try members.encoded(canonical, context)
        var wire = envelope.isRoot ? inner : JSONValue.object(JSONObject()).setting(envelope, to: inner)
        guard wire.objectValue != nil else { return wire }
        for fixed in writes { wire = wire.setting(fixed.location, to: fixed.value) }
        return wire
    }
}

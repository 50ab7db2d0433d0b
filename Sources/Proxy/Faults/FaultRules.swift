import JSON
import Transport

/// The rules of a proxy, and how often each of them was followed.
package struct FaultRules {
    private struct Armed {
        let rule: FaultRule
        var fired = 0
        /// How many of its kind each open connection has had.
        var seen: [Int: Int] = [:]
    }

    private var armed: [Armed]

    package init(_ rules: [FaultRule]) {
        armed = rules.map { Armed(rule: $0) }
    }

    /// Whether any rule looks at messages, so that they have to be whole before they go on.
    static func concernMessages(_ rules: [FaultRule]) -> Bool { rules.contains { $0.target.isMessage } }

    package var isEmpty: Bool { armed.isEmpty }

    /// Each rule, and how often it was followed.
    package var all: [(rule: FaultRule, fired: Int)] { armed.map { ($0.rule, $0.fired) } }

    /// Takes in one more rule.
    package mutating func add(_ rule: FaultRule) { armed.append(Armed(rule: rule)) }

    /// Rules that were never followed.
    package var unused: [FaultRule] { armed.filter { $0.fired == 0 }.map(\.rule) }

    /// What a message is, as far as rules ask.
    package struct Message {
        var types: [String] = []
        var wireType: String?
        var sessions: [String] = []

        init(types: [String] = [], wireType: String? = nil, sessions: [String] = []) {
            self.types = types
            self.wireType = wireType
            self.sessions = sessions
        }

        /// What an event on a WebSocket is, and what the frames of the specification are that it stands for.
        package init(_ event: WebSocketEvent, _ canonical: [JSONValue]) {
            guard case .text(let text) = event, let frame = try? JSONParser.document(text).root else { return }
            wireType = frame["type"]?.stringValue
            types = canonical.compactMap { $0["type"]?.stringValue }
            sessions = canonical.compactMap { $0["sessionId"]?.stringValue }
        }
    }

    /// The rule to follow for a message; each rule counts it, and the first that applies is followed.
    package mutating func rule(for message: Message, from side: RelaySide, on number: Int) -> FaultRule? {
        first(on: number) { rule in
            guard rule.side ?? side == side, rule.session.map({ message.sessions.contains($0) }) ?? true else {
                return false
            }
            return switch rule.target {
            case .type(let type): message.types.contains(type)
            case .wire(let type): message.wireType == type
            case .frame: true
            case .upgrade, .request: false
            }
        }
    }

    /// The rule to follow for a request.
    package mutating func rule(forRequest method: String, isUpgrade: Bool) -> FaultRule? {
        first(on: 0) { rule in
            switch rule.target {
            case .upgrade: isUpgrade
            case .request(let wanted): !isUpgrade && wanted ?? method == method
            default: false
            }
        }
    }

    private mutating func first(on number: Int, _ applies: (FaultRule) -> Bool) -> FaultRule? {
        var found: FaultRule?
        for place in armed.indices where applies(armed[place].rule) {
            let rule = armed[place].rule
            armed[place].seen[number, default: 0] += 1
            guard found == nil, rule.nth == nil || rule.nth == armed[place].seen[number],
                armed[place].fired < rule.times ?? .max
            else { continue }
            armed[place].fired += 1
            found = rule
        }
        return found
    }

    /// Takes back that a rule was followed, because what it waited for never came.
    mutating func giveBack(_ rule: FaultRule) {
        guard let place = armed.firstIndex(where: { $0.rule == rule && $0.fired > 0 }) else { return }
        armed[place].fired -= 1
    }

    /// Forgets a connection.
    package mutating func forget(_ number: Int) {
        for place in armed.indices { armed[place].seen[number] = nil }
    }
}

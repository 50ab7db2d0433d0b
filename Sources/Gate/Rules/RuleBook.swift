import Holdfast
import HoldfastBasics
import HoldfastSchemaDiff

package struct RuleEntry: Sendable {
    package let id: String
    package let severity: GateSeverity
    /// The peers that it breaks, or its severity in each direction of messages.
    package let direction: String
    package let title: String
    /// A change to which it applies.
    package let example: String

    /// An alternative to its severity.
    private var other: String { severity == .warning ? "error" : "warning" }

    package var page: String {
        """
        \(id) (a rule of the gate; default severity: \(severity.rawValue))

          what:      \(title)
          direction: \(direction)
          example:   \(example)

          For another severity, put it into a file and give that to --severities:
            {"format": "holdfast-gate-severities", "version": 1, "severities": {"\(id)": "\(other)"}}
        """
    }

    package var line: String { "\(id)\t\(severity.rawValue)\t\(direction)\t\(title)\t\(example)" }
}

package enum RuleBook {
    package static let all: [RuleEntry] = (schemaRules + factRules + ownRules).sorted { $0.id < $1.id }

    private static let byID = all.keyed(by: \.id)

    package static func rule(_ id: String) -> RuleEntry? { byID[id] }

    package static var list: String {
        "rule\tdefault\tdirection\twhat\texample\n" + all.map { $0.line + "\n" }.joined()
    }

    private static let schemaRules = GateRule.schemaRules.map { rule in
        // The gate also checks the opposite pairs of old and new peers, to which the rule of the reverse edit applies.
        let reverse = GateRule.schemaRules.first { $0.id == rule.mirror }
        func words(_ weight: GateRule.Weight, _ other: GateRule.Weight?, _ writer: String, _ late: String) -> String {
            let shown = weight.broken == weight.safe ? "" : " where a message of \(writer) shows it"
            let isFound = weight.broken < .error && other?.broken == .error && other?.safe != .error
            return weight.broken.rawValue + shown + (isFound ? ", error where a message of \(late) shows it" : "")
        }
        return RuleEntry(
            id: rule.id, severity: max(rule.toServer.broken, rule.toClient.broken),
            direction: "client → server: "
                + words(rule.toServer, reverse?.toServer, "an old client", "a new client") + "; server → client: "
                + words(rule.toClient, reverse?.toClient, "a new server", "an old server"),
            title: rule.title, example: rule.example)
    }

    private static let factRules = FactRule.allCases.flatMap { rule in
        FactRule.Change.allCases.compactMap { change -> RuleEntry? in
            guard let effect = rule.effects[change] else { return nil }
            return RuleEntry(
                id: "\(rule.id)-\(change.rawValue)", severity: effect.severity(),
                direction: "breaks \(effect.whom.words)", title: "\(rule.word) \(change.rawValue): \(effect.why)",
                example: rule.example(of: change))
        }
    }
}

extension FactRule.Whom {
    fileprivate var words: String {
        switch self {
        case .nobody: "nobody"
        case .clients: "clients"
        case .servers: "servers"
        case .everybody: "servers and clients"
        case .obliged: "the side it binds"
        case .others: "the other side"
        case .relying: "clients that relied on it (a promise of clients: only a warning)"
        case .perhaps: "no peer for certain: someone must check"
        }
    }
}

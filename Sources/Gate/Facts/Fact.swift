import Holdfast
import HoldfastJSON
import HoldfastSchemaDiff

/// One thing beside clauses and message schemas that programs are written from: a status, a code, a bound, an answer.
struct Fact {
    /// Its kind, which knows whom a change breaks.
    let rule: FactRule
    /// What it is about: `GET /api/sessions 404`.
    let key: String
    /// What is said of it; null where it is there or not.
    var value: JSONValue = .null
    /// What is said of it in sentences, which a machine does not compare; null where nothing is.
    var words = JSONValue.null
    /// What is said of it as a length of time; nil where it is none.
    var bound: Duration?
    /// Where it stands; a line that is not known is looked up once somebody asks.
    let location: GateLocation
    /// Where it stands in its file, when that is not what its location says.
    var place: JSONPointer?
    /// What a changelog calls it by.
    let subject: String
    /// Those who are held to it.
    var held: [GateParty] = []
    /// The facts of which it is a part: one that comes or goes takes its parts along.
    var parents: [String] = []
    /// The fact that takes it along when it goes, and does not cover it when it comes.
    var holder: String?
    /// Whether it stands for all others of its parent, so that another one is nothing new.
    var isWildcard = false
    /// A fact that stands for it and for some others: the range `4XX` of the status 410.
    var range: String?

    /// What is said of it, where anything is.
    fileprivate func said(_ change: FactRule.Change?) -> JSONValue? {
        let told = change == .reworded ? words : value
        return told.isNull ? Optional.none : told
    }

    /// What names it among all facts.
    var id: String { "\(rule.id): \(key)" }

    /// What it shares with the facts that stand beside it.
    fileprivate var siblings: [String] { [rule.id] + parents }
}

/// Who breaks when facts of one kind come, go or change.
struct FactRule: Sendable {
    /// What becomes of a fact.
    enum Change: String, CaseIterable, Sendable {
        case added, removed, changed, tightened, loosened, reworded
    }

    /// Those whom a change breaks.
    enum Whom: Sendable {
        case nobody
        case clients
        case servers
        case everybody
        /// Those who are held to the fact.
        case held
        /// The other side of the side it binds, which has to bear it.
        case others
        /// The other side, where it could rely on it: what clients promise, servers do without.
        case relying
        /// A person has to say.
        case perhaps
    }

    /// Whom a change breaks, and why.
    struct Effect: Sendable {
        let whom: Whom
        let why: String
    }

    /// What findings are called: `status` makes `status-added`.
    let id: String
    /// What a fact is called in words.
    let word: String
    /// An example for those who look a rule up.
    let example: String
    /// What each change means; one that is not here cannot happen.
    let effects: [Change: Effect]

    init(
        _ id: String, _ word: String, added: Effect? = nil, removed: Effect? = nil, changed: Effect? = nil,
        tightened: Effect? = nil, loosened: Effect? = nil, reworded: Effect? = nil, example: String
    ) {
        self.id = id
        self.word = word
        self.example = example
        let effects: [Change: Effect?] = [
            .added: added, .removed: removed, .changed: changed, .tightened: tightened, .loosened: loosened,
            .reworded: reworded,
        ]
        self.effects = effects.compactMapValues(\.self)
    }
}

extension FactRule.Effect {
    /// Breaks somebody, for a reason.
    static func breaks(_ whom: FactRule.Whom, _ why: String) -> Self { Self(whom: whom, why: why) }
    /// Breaks nobody, for a reason.
    static func harmless(_ why: String) -> Self { Self(whom: .nobody, why: why) }

    /// Those whom it breaks when some are held to the fact.
    func parties(_ held: [GateParty]) -> [GateParty] {
        let both = [GateParty(.server), GateParty(.client)]
        let others = held.map { GateParty($0.role == .server ? .client : .server) }
        return switch whom {
        case .nobody, .perhaps: []
        case .clients: [GateParty(.client)]
        case .servers: [GateParty(.server)]
        case .everybody: both
        case .held: held.isEmpty ? both : held
        case .others: held.isEmpty ? both : others
        case .relying: held.isEmpty ? both : others.filter { $0.role == .client }
        }
    }

    /// How much it weighs when it breaks some, or nobody.
    func severity(_ broken: [GateParty]) -> GateSeverity {
        switch whom {
        case .nobody: .information
        case .perhaps: .warning
        default: broken.isEmpty ? .warning : .error
        }
    }
}

/// Compares the facts of two states.
struct FactComparison {
    private let old: ProtocolState
    private let new: ProtocolState

    /// Every difference between the facts of two states, each as its rule weighs it.
    static func entries(_ old: ProtocolState, _ new: ProtocolState) -> [GateEntry] {
        FactComparison(old: old, new: new).entries()
    }

    private func entries() -> [GateEntry] {
        let (before, after) = (Self.facts(of: old), Self.facts(of: new))
        let were = Set(before.map(\.id))
        let are = Set(after.map(\.id))
        let covered = Set(before.filter(\.isWildcard).map(\.siblings))
        let covers = Set(after.filter(\.isWildcard).map(\.siblings))
        func isCovered(_ fact: Fact, by wildcards: Set<[String]>, _ ids: Set<String>) -> Bool {
            wildcards.contains(fact.siblings) || fact.range.map(ids.contains) ?? false
        }
        let harmless = FactRule.Effect.harmless("the default, a range, or open access covers it")
        return compare(before, after, by: \.id) { was in
            // What went as a whole is told once.
            guard are.isSuperset(of: was.parents + [was.holder].compactMap(\.self)) else { return [] }
            return entry(.removed, was, nil, isCovered(was, by: covers, are) ? harmless : nil)
        } changed: { was, now in
            Self.change(was, now).map { entry($0, was, now) } ?? []
        } added: { now in
            guard were.isSuperset(of: now.parents) else { return [] }
            return entry(.added, nil, now, isCovered(now, by: covered, were) ? harmless : nil)
        }
    }

    private static func facts(of state: ProtocolState) -> [Fact] {
        var ids: Set<String> = []
        var facts =
            (ChapterFacts.facts(of: state) + RequestDocument(state).facts + OperationFacts.facts(of: state)
            + StateFacts.facts(of: state) + OpenSetFacts.facts(of: state)).filter { ids.insert($0.id).inserted }
        for index in facts.indices where !(facts[index].holder.map(ids.contains) ?? true) { facts[index].holder = nil }
        return facts
    }

    private static func change(_ was: Fact, _ now: Fact) -> FactRule.Change? {
        let isSame = was.value == now.value || (was.bound != nil && was.bound == now.bound)
        if isSame { return was.words == now.words ? nil : .reworded }
        guard let before = was.bound, let after = now.bound else { return .changed }
        return after < before ? .tightened : .loosened
    }

    private func entry(
        _ change: FactRule.Change, _ was: Fact?, _ now: Fact?, _ other: FactRule.Effect? = nil
    ) -> [GateEntry] {
        guard let fact = now ?? was, let effect = other ?? fact.rule.effects[change] else { return [] }
        let breaks = effect.parties(Set((was?.held ?? []) + (now?.held ?? [])).sorted())
        let verb =
            switch change {
            case .added: "is new"
            case .removed: "is gone"
            case .changed: "says something else"
            case .tightened: "is tighter"
            case .loosened: "is wider"
            case .reworded: "is worded differently"
            }
        var finding = GateFinding(
            rule: "\(fact.rule.id)-\(change.rawValue)", severity: effect.severity(breaks), direction: nil,
            old: was.map { old.found($0.location, at: $0.place) },
            new: now.map { new.found($0.location, at: $0.place) },
            oldValue: was?.said(change), newValue: now?.said(change),
            why: effect.why)
        finding.words = "the \(fact.rule.word) `\(fact.key)` \(verb)"
        if let before = was?.value.stringValue, let after = now?.value.stringValue {
            finding.words? += ", from `\(before)` to `\(after)`"
        }
        // Other words, and a table that is new, ask for nothing that was not asked for before.
        let isWords =
            change == .reworded || (change == .added && fact.rule.id == FactRule.table.id)
            || fact.rule.id == FactRule.tableRow.id
        let rise = isWords ? Rise.patch : nil
        return [GateEntry(finding, breaks: breaks, rise: rise, subjects: [fact.subject])]
    }
}

import Holdfast
import HoldfastJSON
import HoldfastSchemaDiff

/// One fact that programs depend on, besides clauses and message schemas: a status, a code, a bound, an answer.
struct Fact {
    /// Its kind, which decides whom a change breaks.
    let rule: FactRule
    /// Its subject: `GET /api/sessions 404`.
    var key: String
    /// The number of other subjects that it also covers.
    var rest = 0
    /// Its value; null if only its existence counts.
    var value: JSONValue = .null
    /// Its text in sentences, which a machine does not compare; null if there is none.
    var words = JSONValue.null
    /// The full sentence to show in a finding, if `words` is only a part of it; else null.
    var sentence = JSONValue.null
    /// Its value as a duration; nil if it is not one.
    var bound: Duration?
    /// Its location; an unknown line is computed on demand.
    var location: GateLocation
    /// Its place in its file, if the location does not say it.
    var place: JSONPointer?
    let subject: String
    /// The peers that it binds; empty if it binds both sides.
    var obliged: [GateParty] = []
    /// The facts that contain it; if one is added or removed, so are its parts.
    var parents: [String] = []
    /// The fact whose removal is reported instead of this one's; unlike with parents, both additions are reported.
    var holder: String?
    /// Its place in a part that several requests refer to.
    var shared: JSONPointer?
    /// Wider facts that include it: for the status 410, the range `4XX` and the default.
    var cover: [String] = []

    fileprivate func shownValue(_ change: FactRule.Change?) -> JSONValue? {
        let result = change != .reworded ? value : sentence.isNull ? words : sentence
        return result.isNull ? Optional.none : result
    }

    var id: String { "\(rule.id): \(key)" }
}

extension FactRule.Effect {
    static func breaks(_ whom: FactRule.Whom, _ why: String) -> Self { Self(whom: whom, why: why) }
    static func harmless(_ why: String) -> Self { Self(whom: .nobody, why: why) }

    /// Opening a closed set breaks no peer: writers already use only its values.
    static let wasClosed = harmless("before, the set was closed and had the same values")

    /// A peer that does not know a parameter with a default is answered as if it had sent the default.
    static let assumed = breaks(.clients, "old clients omit it, and the server then assumes its default")

    /// Rows with the same state and input are alternatives.
    ///
    /// Removing one breaks the side that used it; adding one breaks the other side, which does not expect it.
    fileprivate static func rows(_ old: JSONValue, _ new: JSONValue) -> Self? {
        func outcomes(_ rows: JSONValue, onlyVisible: Bool) -> Set<JSONValue> {
            Set(
                (rows.arrayValue ?? []).flatMap { row in
                    let acts = (row["answer"]?.arrayValue ?? []).filter { act in
                        !onlyVisible || !invisible.contains(act["do"]?.stringValue ?? "")
                    }
                    return sequences(acts).map { acts in
                        var row = row
                        row["answer"] = .array(acts)
                        return row
                    }
                })
        }
        /// The possible sequences of actions; each optional action doubles their number.
        func sequences(_ acts: [JSONValue]) -> [[JSONValue]] {
            guard acts.count(where: { $0["optional"] == true }) <= 8 else { return [acts] }
            return acts.reduce(into: [[]]) { sequences, act in
                var done = act
                done["optional"] = nil
                let doing = sequences.map { $0 + [done] }
                sequences = act["optional"] == true ? sequences + doing : doing
            }
        }
        let isLost = !outcomes(old, onlyVisible: false).isSubset(of: outcomes(new, onlyVisible: false))
        let added = outcomes(new, onlyVisible: true).subtracting(outcomes(old, onlyVisible: true))
        // No row means no answer, so a first row without an answer changes nothing.
        let isSurprise = added.contains { old != [] || $0["answer"] != [] }
        return switch (isLost, isSurprise) {
        case (true, true): nil
        case (true, false): .breaks(.obliged, "a program that used the removed row no longer follows the table")
        case (false, true): .breaks(.others, "the other side does not expect it there")
        case (false, false): .harmless("it allows more, but nothing that the other side can see")
        }
    }

    /// Actions that the other side cannot see.
    private static let invisible: Set = ["show", "hide", "place", "wait"]

    func parties(_ obliged: [GateParty]) -> [GateParty] {
        let both = [GateParty(.server), GateParty(.client)]
        let others = obliged.map { GateParty($0.role == .server ? .client : .server) }
        return switch whom {
        case .nobody, .perhaps: []
        case .clients: [GateParty(.client)]
        case .servers: [GateParty(.server)]
        case .everybody: both
        case .obliged: obliged.isEmpty ? both : obliged
        case .others: obliged.isEmpty ? both : others
        case .relying: obliged.isEmpty ? both : others.filter { $0.role == .client }
        }
    }

    /// Its severity, depending on whether it breaks any peers.
    func severity(breakingNobody: Bool = false) -> GateSeverity {
        switch whom {
        case .nobody: .information
        case .perhaps: .warning
        default: breakingNobody ? .warning : .error
        }
    }
}

/// Compares the facts of two states.
struct FactComparison {
    private let old: ProtocolState
    private let new: ProtocolState

    static func entries(_ old: ProtocolState, _ new: ProtocolState) -> [GateEntry] {
        FactComparison(old: old, new: new).entries()
    }

    private func entries() -> [GateEntry] {
        let (before, after) = (Self.facts(of: old), Self.facts(of: new, namedAs: old))
        let were = Set(before.map(\.id))
        let are = Set(after.map(\.id))
        let harmless = FactRule.Effect.harmless("the default, a range, or open access covers it")
        let renamed = Self.renamed(before.filter { !are.contains($0.id) }, after.filter { !were.contains($0.id) })
        let renamedIDs = Set(renamed.flatMap { [$0.was.id, $0.now.id] })
        // One edit may show in several facts.
        var edits: [[JSONValue]: [Difference]] = [:]
        func record(
            _ change: FactRule.Change, _ was: Fact?, _ now: Fact?, _ effect: FactRule.Effect? = nil
        ) -> [GateEntry] {
            let difference = Difference(change: change, was: was, now: now, effect: effect)
            guard let edit = difference.edit else { return entry(difference) }
            edits[edit, default: []].append(difference)
            return []
        }
        let entries = compare(before, after, by: \.id) { was in
            // The removal of a fact with parts is reported once.
            guard !renamedIDs.contains(was.id), are.isSuperset(of: was.parents + [was.holder].compactMap(\.self)) else {
                return []
            }
            return record(.removed, was, nil, was.cover.contains(where: are.contains) ? harmless : nil)
        } changed: { was, now in
            Self.changes(was, now).flatMap { change in
                let effect: FactRule.Effect? =
                    switch (was.rule, change) {
                    case (.stateRow, .changed): .rows(was.value, now.value)
                    case (.schemaClause, _): attributionEffect(was, now)
                    default: nil
                    }
                return record(change, was, now, effect)
            }
        } added: { now in
            guard !renamedIDs.contains(now.id), were.isSuperset(of: now.parents) else { return [] }
            let isCovered = now.cover.contains(where: were.contains)
            let effect: FactRule.Effect? =
                switch now.rule {
                case _ where isCovered: harmless
                // A new row of clients matters to servers only if it sends something.
                case .stateRow where now.obliged == [GateParty(.client)]: .rows([], now.value)
                case .openSet where wasClosed(now): .wasClosed
                case .parameter where !now.value.isNull: .assumed
                default: nil
                }
            return record(.added, nil, now, effect)
        }
        return entries + OperationFacts.unlisted(old, new)
            + renamed.flatMap { entry(Difference(change: .reworded, was: $0.was, now: $0.now)) }
            + edits.values.map(Difference.init(joining:)).sorted { ($0.fact?.key ?? "") < ($1.fact?.key ?? "") }
            .flatMap(entry)
    }

    /// Rows whose input was reworded and whose answers are unchanged.
    private static func renamed(_ gone: [Fact], _ fresh: [Fact]) -> [(was: Fact, now: Fact)] {
        func rows(_ facts: [Fact]) -> [[String]: [Fact]] {
            Dictionary(grouping: facts.filter { $0.rule == .answerRow }) { row in
                row.parents
                    + facts.filter { $0.parents.contains(row.id) }.map {
                        $0.key.dropFirst(row.key.count) + " " + $0.words.text()
                    }
            }
        }
        let after = rows(fresh)
        return rows(gone).compactMap { answers, rows in
            guard answers.count > 1, rows.count == 1, let now = after[answers], now.count == 1 else { return nil }
            return (rows[0], now[0])
        }.sorted { $0.now.key < $1.now.key }
    }

    /// The effect of judging a schema keyword under another clause: weaker, stricter or neither.
    private func attributionEffect(_ was: Fact, _ now: Fact) -> FactRule.Effect? {
        func clause(_ fact: Fact, _ state: ProtocolState) -> Clause? {
            fact.value.stringValue.flatMap(ClauseID.init).flatMap { state.specification[$0] }
        }
        func weight(_ clause: Clause) -> Int { clause.exclusion == nil ? clause.keyword.strength : 0 }
        guard let before = clause(was, old), let after = clause(now, new) else { return nil }
        // A clause of more profiles binds fewer peers.
        let isSofter = weight(after) < weight(before) || !before.requiredProfiles.isSuperset(of: after.requiredProfiles)
        let isHarder = weight(after) > weight(before) || !after.requiredProfiles.isSuperset(of: before.requiredProfiles)
        return switch (isSofter, isHarder) {
        case (true, true): nil
        case (true, false):
            .breaks(.others, "\(before.party) are judged more softly from now on, and the other side relied on it")
        case (false, true): .breaks(.obliged, "\(after.party) are judged more strictly from now on")
        case (false, false):
            .breaks(.perhaps, "someone must check whether \(after.party) are judged from the same evidence")
        }
    }

    /// Whether an open set was closed before, and still lists all values that it allowed then.
    private func wasClosed(_ set: Fact) -> Bool {
        func values(_ state: ProtocolState, _ keyword: String) -> JSONValue? {
            let pointer = JSONPointer(tokens: set.location.pointer.tokens.dropLast() + [keyword])
            return state.json(set.location.file)?[pointer]
        }
        guard let before = values(old, "enum")?.arrayValue, let after = values(new, OpenSetFacts.keyword)?.arrayValue
        else { return false }
        return Set(before).isSubset(of: after)
    }

    private static func facts(of state: ProtocolState, namedAs other: ProtocolState? = nil) -> [Fact] {
        let all =
            ChapterFacts.facts(of: state) + RequestDocument(state, namedAs: other).facts
            + OperationFacts.facts(of: state)
            + StateFacts.facts(of: state, namedAs: other) + OpenSetFacts.facts(of: state)
            + AttributionFacts.facts(of: state) + ForeignClauses.facts(of: state)
            + DialectFacts.facts(of: state)
        let groups = Dictionary(grouping: all, by: \.id)
        var ids: Set<String> = []
        var facts = all.filter { ids.insert($0.id).inserted }.map { Self.joined(groups[$0.id] ?? [$0]) }
        for index in facts.indices {
            facts[index].parents.removeAll { !ids.contains($0) }
            facts[index].holder = facts[index].holder.flatMap { ids.contains($0) ? $0 : nil }
        }
        return facts
    }

    /// One fact for a part that several places name, such as the protocol of two servers: it has all their values.
    private static func joined(_ facts: [Fact]) -> Fact {
        func all(_ member: KeyPath<Fact, JSONValue>) -> JSONValue {
            let values = Set(facts.map { $0[keyPath: member] })
            return values.count == 1
                ? facts[0][keyPath: member]
                : .array(values.sorted { $0.text(sortedKeys: true) < $1.text(sortedKeys: true) })
        }
        var fact = facts[0]
        (fact.value, fact.words, fact.sentence) = (all(\.value), all(\.words), all(\.sentence))
        if Set(facts.map(\.bound)).count > 1 { fact.bound = nil }
        return fact
    }

    /// The changes of a fact: a new value and new words are two changes, so that neither hides the other.
    private static func changes(_ was: Fact, _ now: Fact) -> [FactRule.Change] {
        let isSame = was.value == now.value || (was.bound != nil && was.bound == now.bound)
        if isSame { return was.words == now.words ? [] : [.reworded] }
        guard let before = was.bound, let after = now.bound else { return [.changed] }
        return [after < before ? .tightened : .loosened] + (was.words == now.words ? [] : [.reworded])
    }

    private func entry(_ difference: Difference) -> [GateEntry] {
        let (change, was, now) = (difference.change, difference.was, difference.now)
        guard let fact = difference.fact, let effect = difference.effect ?? fact.rule.effects[change] else { return [] }
        let breaks = effect.parties(Set((was?.obliged ?? []) + (now?.obliged ?? [])).sorted())
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
            rule: "\(fact.rule.id)-\(change.rawValue)", severity: effect.severity(breakingNobody: breaks.isEmpty),
            direction: nil,
            old: was.map { old.located($0.location, at: $0.place) },
            new: now.map { new.located($0.location, at: $0.place) },
            oldValue: was?.shownValue(change), newValue: now?.shownValue(change),
            why: effect.why)
        // The title names the file anyway.
        let key =
            fact.key.hasPrefix("\(fact.location.file) ")
            ? fact.key.dropFirst(fact.location.file.count + 1) : fact.key[...]
        let rest = fact.rest > 0 ? " and \(fact.rest) more" : ""
        finding.words = "the \(fact.rule.word) \(GateFinding.quoted(key))\(rest) \(verb)"
        if let before = was?.value.stringValue, let after = now?.value.stringValue {
            finding.words? += ", from \(GateFinding.quoted(before)) to \(GateFinding.quoted(after))"
        }
        // Peers need not act on a new table, on explanatory rows, or on how the tools read programs.
        let explains =
            (change == .added && fact.rule == .table)
            || FactRule.explaining.union(FactRule.dialects).contains(fact.rule)
        let bump = explains && breaks.isEmpty ? Bump.patch : nil
        return [GateEntry(finding, breaks: breaks, bump: bump, subjects: difference.subjects)]
    }
}

private struct Difference {
    let change: FactRule.Change
    let was: Fact?
    let now: Fact?
    /// Its effect here; nil to use that of its rule.
    let effect: FactRule.Effect?
    /// Its names in a changelog.
    let subjects: [String]

    init(change: FactRule.Change, was: Fact?, now: Fact?, effect: FactRule.Effect? = nil) {
        (self.change, self.was, self.now, self.effect) = (change, was, now, effect)
        subjects = [(now ?? was)?.subject].compactMap(\.self)
    }

    /// All changes of several facts by one edit.
    init(joining all: [Difference]) {
        (change, effect) = (all[0].change, all[0].effect)
        was = Self.joined(all.compactMap(\.was))
        now = Self.joined(all.compactMap(\.now))
        subjects = Set(all.flatMap(\.subjects)).sorted()
    }

    var fact: Fact? { now ?? was }

    /// The common edit of several differences; nil for a separate difference.
    ///
    /// Such an edit gives several rows of a state table one new text, or changes a part that several requests share.
    var edit: [JSONValue]? {
        guard let fact else { return nil }
        let values = [was?.value ?? .null, now?.value ?? .null]
        let place =
            fact.shared?.description
            ?? (change == .changed && [.stateRow, .stateClause].contains(fact.rule) ? "" : nil)
        return place.map {
            values + [fact.rule.id, change.rawValue, fact.location.file, $0, effect?.why ?? ""].map { .string($0) }
        }
    }

    private static func joined(_ facts: [Fact]) -> Fact? {
        guard var fact = facts.first, facts.count > 1 else { return facts.first }
        let keys = facts.map(\.key)
        fact.rest = keys.count > 4 ? keys.count - 3 : 0
        fact.key = keys.dropLast(fact.rest).joined(separator: "; ")
        fact.location = GateLocation(
            file: fact.location.file,
            pointer: fact.shared
                ?? JSONPointer(tokens: [keys.joined(separator: "; ")] + fact.location.pointer.tokens.dropFirst()))
        return fact
    }
}

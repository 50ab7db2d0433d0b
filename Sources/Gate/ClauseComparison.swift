import Holdfast
import JSON
import SchemaDiff

/// Compares the clauses of two states: who is bound by more, and who can rely on less.
struct ClauseComparison {
    private let old: Specification
    private let new: Specification
    private let newVersion: String

    /// Compares the clauses of two states.
    static func entries(_ old: ProtocolState, _ new: ProtocolState) -> [GateEntry] {
        let comparison = ClauseComparison(
            old: old.specification, new: new.specification, newVersion: new.specification.version)
        return comparison.old.clauses.flatMap { before in
            comparison.new[before.id].map { comparison.changes(from: before, to: $0) } ?? comparison.removal(of: before)
        } + comparison.new.clauses.filter { comparison.old[$0.id] == nil }.flatMap(comparison.addition)
    }

    // MARK: Added and removed

    private func addition(of clause: Clause) -> [GateEntry] {
        var entries: [GateEntry] = []
        let isNewProfile = !old.clauses.contains { $0.profile == clause.profile }
        let binds = clause.keyword.isRequirement && !clause.isWithdrawn && !isNewProfile
        let why =
            if isNewProfile {
                "profile '\(clause.profile.rawValue)' is new; nobody declares it yet"
            } else if binds {
                "\(clause.bound) conform no longer until they keep it: a new obligation in a profile that there was"
            } else if clause.keyword == .may {
                "\(clause.bound) may do this now, and the other side has to bear it"
            } else {
                "a recommendation: \(clause.bound) that do not follow it still conform"
            }
        let severity: GateSeverity =
            binds ? .error : clause.keyword == .may && clause.role == .server && !isNewProfile ? .warning : .information
        entries.append(
            entry(
                "clause-added", severity, nil, clause, new: clause.text, why: why,
                breaks: binds ? [clause.party] : [], rise: binds ? .major : .minor))
        if clause.since != newVersion {
            entries.append(
                entry(
                    "clause-since-wrong", .error, nil, clause, new: .string(clause.since),
                    why: "the clause is new in \(newVersion), and says that it came with \(clause.since)",
                    kind: .policy,
                    rise: .none))
        }
        return entries
    }

    private func removal(of clause: Clause) -> [GateEntry] {
        guard !clause.isWithdrawn else {
            return [
                entry(
                    "clause-removed", .warning, clause, nil, old: clause.text,
                    why: "the clause was withdrawn before, but its number may now be given to another rule",
                    rise: .minor
                )
            ]
        }
        return [
            entry(
                "clause-removed", lost(clause), clause, nil, old: clause.text, why: loss(clause, "is gone"),
                breaks: relying(on: clause), rise: relying(on: clause).isEmpty ? .minor : .major),
            entry(
                "removal-without-deprecation", .error, clause, nil, old: clause.text,
                why: """
                    a clause that is withdrawn keeps its heading and its number, with 'Excluded: withdrawn …', so that \
                    nobody gives the number to another rule
                    """, kind: .policy, rise: .none),
        ]
    }

    // MARK: Changed

    private func changes(from before: Clause, to after: Clause) -> [GateEntry] {
        if !before.isWithdrawn, after.isWithdrawn {
            return [
                entry(
                    "clause-withdrawn", lost(before), before, after, old: before.text,
                    new: after.exclusion.map { .string($0) }, why: loss(before, "is withdrawn"),
                    breaks: relying(on: before), rise: relying(on: before).isEmpty ? .minor : .major)
            ]
        }
        let wording = ClauseWording.comparing(before.unkeyed, after.unkeyed)
        if wording == .replaced || (before.isWithdrawn && !after.isWithdrawn && wording != .same) {
            return [
                entry(
                    "clause-id-reused", .error, before, after, old: before.text, new: after.text,
                    why: "the number names another rule now; reports and waivers of before speak of the old one",
                    kind: .policy, breaks: [before.party, after.party], rise: .major)
            ]
        }
        let keyword = keywordChange(before, after)
        let isInverted = keyword.contains { $0.finding.rule == "clause-inverted" }
        return keyword + (isInverted ? [] : wordingChange(wording, before, after)) + placeChange(before, after)
            + notes(before, after)
    }

    private func keywordChange(_ before: Clause, _ after: Clause) -> [GateEntry] {
        guard before.keyword != after.keyword else { return [] }
        let old = JSONValue.string(before.keyword.rawValue)
        let new = JSONValue.string(after.keyword.rawValue)
        if before.keyword.isNegative != after.keyword.isNegative, before.keyword != .may, after.keyword != .may {
            return [
                entry(
                    "clause-inverted", .error, before, after, old: old, new: new,
                    why: "what was asked for is forbidden now, or the other way round",
                    breaks: [after.party, before.otherParty], rise: .major)
            ]
        }
        if after.keyword.strength > before.keyword.strength {
            let binds = after.keyword.isRequirement
            return [
                entry(
                    "clause-strengthened", binds ? .error : .information, before, after, old: old, new: new,
                    why: binds
                        ? "\(after.bound) that did not do so conformed before and do not now"
                        : "\(after.bound) that do not do so get a warning now, and still conform",
                    breaks: binds ? [after.party] : [], rise: binds ? .major : .minor)
            ]
        }
        let isLost = before.keyword.isRequirement && before.role == .server
        return [
            entry(
                "clause-weakened", isLost ? .error : before.keyword.isRequirement ? .warning : .information, before,
                after,
                old: old, new: new,
                why: isLost
                    ? "clients could rely on it, and servers of the new version need not do so"
                    : "\(before.bound) that did so still conform",
                breaks: isLost ? [before.otherParty] : [], rise: isLost ? .major : .minor)
        ]
    }

    private func wordingChange(_ wording: ClauseWording, _ before: Clause, _ after: Clause) -> [GateEntry] {
        // The numbers of a recommendation bind nobody, and nobody relies on them.
        let binds = before.keyword.isRequirement && after.keyword.isRequirement
        func severity(_ severity: GateSeverity) -> GateSeverity { binds ? severity : .information }
        switch wording {
        case .same, .replaced: return []
        case .tightened(let old, let new):
            return [
                entry(
                    "clause-bound-tightened", severity(.error), before, after, old: .string(old), new: .string(new),
                    why: "\(after.bound) that kept \(old) and no more break the clause now",
                    breaks: binds ? [after.party] : [], rise: binds ? .major : .minor)
            ]
        case .loosened(let old, let new):
            let isLost = binds && before.role == .server
            return [
                entry(
                    "clause-bound-loosened", isLost ? .error : severity(.warning), before, after, old: .string(old),
                    new: .string(new),
                    why: "\(after.bound) need to keep only \(new) now, and whoever talks to them relied on \(old)",
                    breaks: isLost ? [before.otherParty] : [], rise: isLost ? .major : .minor)
            ]
        case .moved(let old, let new):
            return [
                entry(
                    "clause-bound-changed", severity(.error), before, after, old: .string(old), new: .string(new),
                    why: "words do not tell whether that asks for more or for less, so both sides may break",
                    breaks: binds ? [after.party, before.otherParty] : [], rise: binds ? .major : .minor)
            ]
        case .reworded:
            return [
                entry(
                    "clause-reworded", .warning, before, after, old: before.text, new: after.text,
                    why: "comparing words does not tell whether a verdict changes; a person has to", rise: .minor)
            ]
        }
    }

    private func placeChange(_ before: Clause, _ after: Clause) -> [GateEntry] {
        var entries: [GateEntry] = []
        if before.role != after.role {
            entries.append(
                entry(
                    "clause-role-changed", .error, before, after, old: .string(before.role.rawValue),
                    new: .string(after.role.rawValue),
                    why: "\(after.bound) are bound now, and \(before.bound) no longer",
                    breaks: [after.party, before.otherParty], rise: .major))
        } else if before.profileNames != after.profileNames {
            let isNarrower = Set(after.companions + [after.profile]).isSuperset(
                of: before.companions + [before.profile])
            let binds = after.keyword.isRequirement && !isNarrower
            entries.append(
                entry(
                    "clause-profile-changed", binds ? .error : .information, before, after,
                    old: .string(before.profileNames), new: .string(after.profileNames),
                    why: isNarrower
                        ? "only those that declare \(after.profileNames) are bound now"
                        : "\(after.bound) are bound now, also those that do not declare \(before.profileNames)",
                    breaks: binds ? [after.party] : [], rise: binds ? .major : .minor))
        }
        return entries
    }

    private func notes(_ before: Clause, _ after: Clause) -> [GateEntry] {
        var entries: [GateEntry] = []
        switch (before.exclusion, after.exclusion) {
        case (nil, let reason?):
            entries.append(
                entry(
                    "clause-exclusion-added", .warning, before, after, new: .string(reason),
                    why: "no run judges the clause any more, so a build that breaks it stays green", rise: .minor))
        case (let reason?, nil):
            let binds = after.keyword.isRequirement
            entries.append(
                entry(
                    "clause-exclusion-removed", binds ? .warning : .information, before, after, old: .string(reason),
                    why: "runs judge the clause now, so \(after.bound) that broke it unseen turn red", rise: .minor))
        case (let old?, let new?) where old != new:
            entries.append(note(before, after, "Excluded", old, new))
        default: break
        }
        if before.why != after.why { entries.append(note(before, after, "Why", before.why, after.why)) }
        if before.judgedFrom != after.judgedFrom {
            entries.append(note(before, after, "Judged from", before.judgedFrom, after.judgedFrom))
        }
        if before.seen != after.seen {
            entries.append(note(before, after, "Seen", before.seen ?? "", after.seen ?? ""))
        }
        if before.sources != after.sources {
            entries.append(
                note(
                    before, after, "From", before.sources.joined(separator: ", "),
                    after.sources.joined(separator: ", ")))
        }
        if before.since != after.since {
            entries.append(
                entry(
                    "clause-since-wrong", .error, before, after, old: .string(before.since), new: .string(after.since),
                    why: "the clause came with \(before.since), whatever became of it since", kind: .policy, rise: .none
                ))
        }
        return entries
    }

    private func note(_ before: Clause, _ after: Clause, _ label: String, _ old: String, _ new: String) -> GateEntry {
        entry(
            "clause-note-changed", .information, before, after, old: .string(old), new: .string(new),
            why: "'\(label)' explains the clause and binds nobody", rise: .patch)
    }

    // MARK: Words

    /// Clients rely on what servers promise; what clients promise, servers have to do without.
    private func relying(on clause: Clause) -> [GateParty] {
        clause.keyword.isRequirement && clause.role == .server ? [clause.otherParty] : []
    }

    private func lost(_ clause: Clause) -> GateSeverity {
        relying(on: clause).isEmpty ? .warning : .error
    }

    private func loss(_ clause: Clause, _ what: String) -> String {
        relying(on: clause).isEmpty
            ? "the clause \(what); \(clause.bound) that keep it still conform"
            : "the clause \(what); clients relied on it, and servers of the new version need not keep it"
    }

    private func entry(
        _ rule: String, _ severity: GateSeverity, _ before: Clause?, _ after: Clause?, old: JSONValue? = nil,
        new: JSONValue? = nil, why: String, kind: GateEntry.Kind = .change, breaks: [GateParty] = [], rise: Rise
    ) -> GateEntry {
        let finding = GateFinding(
            rule: rule, severity: severity, direction: nil, old: before?.place, new: after?.place, oldValue: old,
            newValue: new, why: why)
        let subject = (after ?? before).map { [$0.id.description] } ?? []
        return GateEntry(
            finding, kind: kind, breaks: Set(breaks).sorted(), rise: rise, subjects: rise >= .minor ? subject : [])
    }
}

extension Clause {
    /// Chapter 8.2: a clause that is withdrawn stays, marked as such.
    var isWithdrawn: Bool { exclusion?.hasPrefix("withdrawn") ?? false }

    fileprivate var party: GateParty { GateParty(role, profile: profile.rawValue) }

    /// The side that talks to the one that is bound.
    fileprivate var otherParty: GateParty { GateParty(role == .server ? .client : .server) }

    fileprivate var bound: String { party.description }

    fileprivate var text: JSONValue { .string(sentence) }

    fileprivate var place: GatePlace {
        GatePlace(file: file, pointer: JSONPointer(tokens: [id.description]), line: line)
    }

    /// The sentence without the strength of its keyword, which is compared apart; a NOT stays, because bounds turn around by it.
    fileprivate var unkeyed: String {
        sentence.replacing(keyword.rawValue, with: keyword.isNegative ? "KEYWORD NOT" : "KEYWORD", maxReplacements: 1)
    }
}

extension Keyword {
    fileprivate var isNegative: Bool { self == .mustNot || self == .shouldNot }

    fileprivate var strength: Int {
        switch self {
        case .must, .mustNot: 2
        case .should, .shouldNot: 1
        case .may: 0
        }
    }
}

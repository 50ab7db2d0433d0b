import Holdfast
import HoldfastJSON
import HoldfastSchemaDiff

/// Compares the clauses of two states: new obligations, and promises that no longer hold.
struct ClauseComparison {
    private let old: Specification
    private let new: Specification

    static func entries(_ old: ProtocolState, _ new: ProtocolState) -> [GateEntry] {
        let comparison = ClauseComparison(old: old.specification, new: new.specification)
        return compare(
            comparison.old.clauses, comparison.new.clauses, by: \.id, removed: comparison.removal,
            changed: comparison.changes, added: comparison.addition) + introductions(old, new)
    }

    private static func introductions(_ old: ProtocolState, _ new: ProtocolState) -> [GateEntry] {
        func introduction(_ text: String) -> Substring {
            text.firstRange(of: "\n### ").map { text[..<$0.lowerBound] } ?? text[...]
        }
        return compare(
            old.texts(below: "clauses/", ".md"), new.texts(below: "clauses/", ".md"), by: \.path, removed: { _ in [] }
        ) { was, now in
            let words = [was.text, now.text].map { introduction($0).split(whereSeparator: \.isWhitespace) }
            guard words[0] != words[1] else { return [] }
            let line = ProseComparison.firstDifference(was.text, now.text)
            return [
                GateEntry(
                    "area-introduction-changed", .warning, old: GateLocation(file: was.path, line: line),
                    new: GateLocation(file: now.path, line: line),
                    why:
                        "it defines the words of its clauses; someone must check whether a verdict changes",
                    bump: .patch)
            ]
        } added: { _ in
            []
        }
    }

    // MARK: Added and removed

    private func addition(of clause: Clause) -> [GateEntry] {
        let isNewProfile = !old.clauses.contains { $0.profile == clause.profile }
        let binds = clause.keyword.isRequirement && !clause.isWithdrawn && !isNewProfile
        let why =
            if isNewProfile {
                "profile '\(clause.profile.rawValue)' is new; no peer declares it yet"
            } else if binds {
                "\(clause.party) do not conform until they keep it: a new obligation in an existing profile"
            } else if clause.keyword == .may {
                "\(clause.party) may do this now, and the other side must handle it"
            } else {
                "a recommendation: \(clause.party) that ignore it still conform"
            }
        let isPermission = clause.keyword == .may && clause.role == .server && !isNewProfile
        let entry = entry(
            "clause-added", binds ? .error : isPermission ? .warning : .information, nil, clause, new: clause.sentence,
            why: why, breaks: binds ? [clause.party] : [])
        if clause.since == new.version { return [entry] }
        return [
            entry,
            .policy(
                "clause-since-wrong", new: clause.location, newValue: .string(clause.since),
                why: "the clause is new in \(new.version) but says 'Since: \(clause.since)'"),
        ]
    }

    private func removal(of clause: Clause) -> [GateEntry] {
        if clause.isWithdrawn {
            return [
                entry(
                    "clause-removed", .warning, clause, nil, old: clause.sentence,
                    why: "the clause was withdrawn before; without its heading someone may reuse the number")
            ]
        }
        return [
            loss("clause-removed", clause, nil, "is gone"),
            .policy(
                "removal-without-deprecation", old: clause.location, oldValue: .string(clause.sentence),
                why: """
                    a withdrawn clause keeps its heading and number, with 'Excluded: withdrawn …', so that \
                    no one reuses the number
                    """),
        ]
    }

    // MARK: Changed

    private func changes(from before: Clause, to after: Clause) -> [GateEntry] {
        if !before.isWithdrawn, after.isWithdrawn { return [loss("clause-withdrawn", before, after, "is withdrawn")] }
        let wording = ClauseWording.comparing(before.withoutKeyword, after.withoutKeyword)
        if wording == .replaced || (before.isWithdrawn && !after.isWithdrawn && wording != .same) {
            return [
                entry(
                    "clause-id-reused", .error, before, after, old: before.sentence, new: after.sentence,
                    why: "the number now names a different rule; older reports and waivers mean the old one",
                    kind: .policy, breaks: [before.party, after.party])
            ]
        }
        let keyword = keywordChange(before, after)
        let words = keyword?.finding.rule == "clause-inverted" ? nil : wordingChange(wording, before, after)
        return [keyword, words, scopeChange(before, after)].compactMap(\.self) + notes(before, after)
    }

    private func keywordChange(_ before: Clause, _ after: Clause) -> GateEntry? {
        guard before.keyword != after.keyword else { return nil }
        func entry(
            _ rule: String, _ severity: GateSeverity, why: String, breaks: [GateParty]
        ) -> GateEntry {
            self.entry(
                rule, severity, before, after, old: before.keyword.rawValue, new: after.keyword.rawValue, why: why,
                breaks: severity == .error ? breaks : [])
        }
        if before.keyword.isNegative != after.keyword.isNegative, before.keyword != .may, after.keyword != .may {
            return entry(
                "clause-inverted", .error, why: "what was required is forbidden now, or the other way round",
                breaks: [after.party, before.otherParty])
        }
        if after.keyword.strength > before.keyword.strength {
            let binds = after.keyword.isRequirement
            return entry(
                "clause-strengthened", binds ? .error : .information,
                why: binds
                    ? "\(after.party) that \(after.keyword.isNegative ? "did" : "did not do") this conformed before and do not now"
                    : "\(after.party) that \(after.keyword.isNegative ? "do" : "do not do") this get a warning now but still conform",
                breaks: [after.party])
        }
        let isLost = !relying(on: before).isEmpty
        return entry(
            "clause-weakened", isLost ? .error : before.keyword.isRequirement ? .warning : .information,
            why: isLost
                ? "clients could rely on it, and new servers do not have to do it"
                : "\(before.party) that do it still conform",
            breaks: [before.otherParty])
    }

    private func wordingChange(_ wording: ClauseWording, _ before: Clause, _ after: Clause) -> GateEntry? {
        // The numbers of a recommendation bind no peer, so no peer relies on them.
        let binds = before.keyword.isRequirement && after.keyword.isRequirement
        func entry(
            _ rule: String, _ severity: GateSeverity, _ old: String, _ new: String, why: String, breaks: [GateParty]
        ) -> GateEntry {
            self.entry(
                rule, binds ? severity : .information, before, after, old: old, new: new, why: why,
                breaks: binds && severity == .error ? breaks : [])
        }
        switch wording {
        case .same, .replaced: return nil
        case .tightened(let old, let new):
            return entry(
                "clause-bound-tightened", .error, old, new,
                why: "\(after.party) now break the clause if they only just kept \(old)", breaks: [after.party])
        case .loosened(let old, let new):
            return entry(
                "clause-bound-loosened", .error, old, new,
                why: "\(after.party) only have to keep \(new) now, and the other side relied on \(old)",
                breaks: [before.otherParty])
        case .moved(let old, let new):
            return entry(
                "clause-bound-changed", .error, old, new,
                why: "the wording does not say whether this requires more or less, so both sides may break",
                breaks: [after.party, before.otherParty])
        case .reworded:
            let isDuty = before.keyword.isRequirement || after.keyword.isRequirement
            return self.entry(
                "clause-reworded", isDuty ? .error : .warning, before, after, old: before.sentence, new: after.sentence,
                why: isDuty
                    ? "a program cannot tell whether the new wording requires more or less: someone waives it, or the major version goes up"
                    : "the sentence binds no peer; someone must check whether a warning changes",
                breaks: isDuty ? [after.party, before.otherParty] : [])
        }
    }

    private func scopeChange(_ before: Clause, _ after: Clause) -> GateEntry? {
        if before.role != after.role {
            return entry(
                "clause-role-changed", .error, before, after, old: before.role.rawValue, new: after.role.rawValue,
                why: "\(after.party) are bound now, and \(before.party) no longer are",
                breaks: [after.party, before.otherParty])
        }
        guard before.profile.rawValue != after.profile.rawValue else { return nil }
        // A subject that declares a profile also declares those that it requires.
        let (oldProfiles, newProfiles) = (before.requiredProfiles, after.requiredProfiles)
        let binds = after.keyword.isRequirement && !newProfiles.isSuperset(of: oldProfiles)
        let affected = newProfiles.isSubset(of: oldProfiles) ? [] : relying(on: before)
        let why = [
            binds
                ? "\(after.party) are bound now, including those that do not declare \(before.profile.rawValue)" : nil,
            affected.isEmpty
                ? nil
                : "clients relied on it, and servers that do not declare \(after.profile.rawValue) do not have to keep it",
        ].compactMap(\.self)
        return entry(
            "clause-profile-changed", why.isEmpty ? .information : .error, before, after, old: before.profile.rawValue,
            new: after.profile.rawValue,
            why: why.isEmpty ? "no peer must do more, and none relied on it" : why.joined(separator: "; "),
            breaks: (binds ? [after.party] : []) + affected)
    }

    private func notes(_ before: Clause, _ after: Clause) -> [GateEntry] {
        var entries: [GateEntry] = []
        var notes = [
            ("Why", before.why, after.why), ("Capture", before.captureText, after.captureText),
            ("Seen", before.seen ?? "", after.seen ?? ""),
            ("From", before.sources.joined(separator: ", "), after.sources.joined(separator: ", ")),
        ]
        switch (before.exclusion, after.exclusion) {
        case (nil, let reason?):
            entries.append(
                entry(
                    "clause-exclusion-added", .warning, before, after, new: reason,
                    why: "runs no longer judge the clause, so a build that breaks it stays green", bump: .patch))
        case (let reason?, nil):
            entries.append(
                entry(
                    "clause-exclusion-removed", after.keyword.isRequirement ? .warning : .information, before, after,
                    old: reason,
                    why: "runs judge the clause now, so \(after.party) that broke it unnoticed fail", bump: .patch))
        case (let old?, let new?): notes.insert(("Excluded", old, new), at: 0)
        case (nil, nil): break
        }
        if before.judgedFrom != after.judgedFrom {
            let binds = after.keyword.isRequirement && after.exclusion == nil
            // Only the sentence of a clause binds, so an obligation here is misplaced.
            let addsObligation = binds && Self.hasObligation(after.judgedFrom) && !Self.hasObligation(before.judgedFrom)
            entries.append(
                entry(
                    "clause-evidence-changed", addsObligation ? .error : binds ? .warning : .information, before, after,
                    old: before.judgedFrom, new: after.judgedFrom,
                    why: addsObligation
                        ? "it requires something of \(after.party); only the sentence may do that"
                        : "runs may judge \(after.party) from other evidence; someone must check whether a verdict changes",
                    breaks: addsObligation ? [after.party] : [], bump: addsObligation ? .major : .patch))
        }
        for (label, old, new) in notes where old != new {
            entries.append(
                entry(
                    "clause-note-changed", .information, before, after, old: old, new: new,
                    why: "'\(label)' explains the clause and binds no peer", bump: .patch))
        }
        if before.since != after.since {
            entries.append(
                .policy(
                    "clause-since-wrong", old: before.location, new: after.location, oldValue: .string(before.since),
                    newValue: .string(after.since),
                    why: "the clause was added in \(before.since), and that never changes"))
        }
        return entries
    }

    // MARK: Words

    private static func hasObligation(_ words: String) -> Bool { words.contains(/\b(MUST|SHOULD|MAY|(has|have) to)\b/) }

    /// Clients rely on the promises of servers; servers cannot rely on those of clients.
    private func relying(on clause: Clause) -> [GateParty] {
        clause.keyword.isRequirement && clause.role == .server ? [clause.otherParty] : []
    }

    private func loss(_ rule: String, _ before: Clause, _ after: Clause?, _ what: String) -> GateEntry {
        let affected = relying(on: before)
        return entry(
            rule, affected.isEmpty ? .warning : .error, before, after, old: before.sentence, new: after?.exclusion,
            why: affected.isEmpty
                ? "the clause \(what); \(before.party) that keep it still conform"
                : "the clause \(what); clients relied on it, and new servers do not have to keep it",
            breaks: affected)
    }

    private func entry(
        _ rule: String, _ severity: GateSeverity, _ before: Clause?, _ after: Clause?, old: String? = nil,
        new: String? = nil, why: String, kind: GateEntry.Kind = .change, breaks: [GateParty] = [], bump: Bump? = nil
    ) -> GateEntry {
        GateEntry(
            rule, severity, old: before?.location, new: after?.location, oldValue: old.map { .string($0) },
            newValue: new.map { .string($0) }, why: why, kind: kind, breaks: breaks, bump: bump,
            subjects: bump == .patch ? [] : (after ?? before).map { [$0.id.description] } ?? [])
    }
}

extension Clause {
    /// Chapter 8.2: a withdrawn clause stays, marked as such.
    var isWithdrawn: Bool { exclusion?.hasPrefix("withdrawn") ?? false }

    var requiredProfiles: Set<Profile> { Set([profile, profile.needed].compactMap(\.self)) }

    fileprivate var captureText: String { (captureNeeds ?? []).map(\.rawValue).joined(separator: ", ") }

    /// The side that it does not bind.
    fileprivate var otherParty: GateParty { GateParty(role == .server ? .client : .server) }

    /// The sentence with a placeholder for its keyword, which is compared separately; NOT stays: it reverses bounds.
    fileprivate var withoutKeyword: String {
        sentence.replacing(keyword.rawValue, with: keyword.isNegative ? "KEYWORD NOT" : "KEYWORD", maxReplacements: 1)
    }
}

extension Keyword {
    fileprivate var isNegative: Bool { self == .mustNot || self == .shouldNot }

    var strength: Int {
        switch self {
        case .must, .mustNot: 2
        case .should, .shouldNot: 1
        case .may: 0
        }
    }
}

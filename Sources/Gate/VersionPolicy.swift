import Holdfast
import HoldfastJSON
import HoldfastSchemaDiff

/// Checks that the version rose far enough for the changes, and that the changelog names them.
struct VersionPolicy {
    private let old: ProtocolState
    private let new: ProtocolState

    /// The shortcomings of the version and the changelog, given every finding that is not waived.
    static func entries(_ old: ProtocolState, _ new: ProtocolState, after entries: [GateEntry]) -> [GateEntry] {
        let policy = VersionPolicy(old: old, new: new)
        let counted = entries.filter { !$0.isWaived }
        return [policy.version(counted), policy.wire(), policy.changelog(counted)].compactMap(\.self).map {
            var entry = $0
            // The reason says what is missing, which the title of the rule does not.
            entry.finding.words = $0.finding.why
            return entry
        }
    }

    static func required(by entries: [GateEntry]) -> Bump {
        entries.filter { !$0.isWaived }.map(\.bump).max() ?? .none
    }

    private func version(_ entries: [GateEntry]) -> GateEntry? {
        let needed = Self.required(by: entries)
        let bump = new.version.bump(from: old.version)
        if new.version < old.version {
            return finding(
                "version-decreased",
                "a version never goes down: peers of \(old.version) take \(new.version) for an older one")
        }
        let wanted = old.version.bumped(by: needed)
        if needed == .major, bump < .major {
            let count = GateReport.count(entries.filter { $0.bump == .major })
            return finding(
                "breaking-without-major",
                """
                \(count == 1 ? "1 change breaks" : "\(count) changes break") peers, so the version must be \
                \(wanted ?? "a new major version") and is \(new.version)
                """)
        }
        // Two numbers cannot express a change of words only.
        guard bump < needed, let wanted else { return nil }
        return finding(
            "version-unchanged",
            "the protocol changed, so the version must be at least \(wanted) and is \(new.version)")
    }

    /// Chapter 8.1: the integer on the wire is the major version of the text, whose minor versions only add.
    private func wire() -> GateEntry? {
        guard let wire = new.wireVersion, wire != new.version.major, old.wireVersion == old.version.major else {
            return nil
        }
        return finding(
            "wire-version-differs",
            "peers recognize the major version by 'protocol', which is \(wire) for version \(new.version)")
    }

    private func changelog(_ entries: [GateEntry]) -> GateEntry? {
        // Evidence for a change needs no entry if a rule reports the change.
        let edits = entries.filter { $0.under == nil && !$0.isEvidence && $0.bump >= .minor }
        let needed = edits.isEmpty ? entries.filter { $0.bump >= .minor } : edits
        let subjects = needed.map(\.subjects).filter { !$0.isEmpty }
        let rises = new.version > old.version
        guard !subjects.isEmpty || rises else { return nil }
        let location = GateLocation(file: "CHANGELOG.md", line: 1)
        guard let changelog = new.changelog else {
            return .policy(
                "changelog-missing", new: location, why: "the protocol changed, and there is no CHANGELOG.md")
        }
        let before = Set((old.changelog ?? "").split(separator: "\n"))
        let added = changelog.split(separator: "\n").filter { !before.contains($0) }.joined(separator: "\n")
        var missing: [String] = []
        for names in subjects where !names.contains(where: { Self.mentions($0, in: added) }) {
            let name = names.prefix(2).joined(separator: " or ")
            if !missing.contains(name) { missing.append(name) }
        }
        if rises, !Self.mentions(new.version.description, in: added) {
            missing.insert("version \(new.version)", at: 0)
        }
        guard !missing.isEmpty else { return nil }
        let shown = missing.prefix(20).joined(separator: ", ")
        let rest = missing.count > 20 ? " and \(missing.count - 20) more" : ""
        return .policy(
            "changelog-missing", new: location, newValue: .array(missing.sorted().map { .string($0) }),
            why: "the new lines of CHANGELOG.md do not name \(shown)\(rest)")
    }

    /// Whether a text contains a name as a whole word: `SYNC-11` does not contain `SYNC-1`.
    static func mentions(_ name: String, in text: String) -> Bool {
        var rest = text[...]
        while let range = rest.firstRange(of: name) {
            let before = range.lowerBound > text.startIndex ? text[text.index(before: range.lowerBound)] : " "
            let after = range.upperBound < text.endIndex ? text[range.upperBound] : " "
            let next = range.upperBound < text.endIndex ? text.index(after: range.upperBound) : text.endIndex
            let isPartOfWord =
                isWord(before) || before == "-" || isWord(after)
                || (".-".contains(after) && next < text.endIndex && isWord(text[next]))
            if !isPartOfWord { return true }
            rest = text[range.upperBound...]
        }
        return false
    }

    private static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }

    private func finding(_ rule: String, _ why: String) -> GateEntry {
        func location(_ state: ProtocolState) -> GateLocation {
            state.location("version.json", JSONPointer(tokens: ["specification"]))
        }
        return .policy(
            rule, old: location(old), new: location(new), oldValue: .string(old.version.description),
            newValue: .string(new.version.description), why: why)
    }
}

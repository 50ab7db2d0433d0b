import HoldfastJSON
import HoldfastSchemaDiff

/// Groups the findings of one edit below the finding that names the edit.
extension [GateEntry] {
    /// The same findings; each consequence of another finding refers to it in `under`.
    func folded() -> [GateEntry] {
        var entries = self
        // Breaking findings come before warnings of the same edit, and rules before the evidence for them.
        let order = indices.sorted { (self[$0].rank, $0) < (self[$1].rank, $1) }
        var heads: [Int] = []
        // The messages affected by an edit, by the finding at its head.
        var reached: [Int: Set<String>] = [:]
        for index in order {
            let entry = entries[index]
            let candidates = heads.filter { entries[$0].isEdit }
            guard
                let head = candidates.first(where: { entry.isSameEdit(as: entries[$0]) })
                    ?? candidates.first(where: { entry.isSwap(with: entries[$0], among: self) })
                    ?? candidates.first(where: { entry.isExample(of: entries[$0], reached[$0] ?? []) })
                    ?? (entry.isTranscriptEvidence ? candidates.first { entries[$0].isJudged } : nil)
            else {
                heads.append(index)
                reached[index] = Set(entry.finding.messages)
                continue
            }
            entries[index].under = entries[head].finding.fingerprint
            reached[head]?.formUnion(entry.isEvidence ? [] : entry.finding.messages)
            guard entry.kind == .change, entry.finding.severity == .error else { continue }
            if entry.isEvidence, !entries[head].breaks.isEmpty {
                // The rule decides which peers break, not the examples.
                entries[index].breaks = entries[head].breaks
            } else {
                entries[head].breaks = Set(entries[head].breaks + entry.breaks).sorted()
            }
        }
        return entries
    }
}

extension GateEntry {
    /// The place of an edit, with the text there if it was added, removed or changed.
    private struct Edit {
        let rule: String
        let path: [String]
        let values: [JSONValue?]
    }

    fileprivate var rank: Int {
        (kind == .policy ? 8 : 0) + (isEvidence ? 4 : 0)
            + (finding.severity == .error ? 0 : finding.severity == .warning ? 1 : 2)
    }

    /// Whether it can be the head of a group; a golden file with a new verdict is an edit too.
    fileprivate var isEdit: Bool { kind == .change && (!isEvidence || finding.rule == "fixture-verdict-changed") }

    /// Whether it concerns something that the judge reads.
    fileprivate var isJudged: Bool {
        ["schemas/", "clauses/"].contains { location?.file.hasPrefix($0) ?? false }
            || [FactRule.timeout, .errorCode].contains { finding.rule.hasPrefix("\($0.id)-") }
    }

    /// Whether one entry was removed and another added in its place: one status, form, reply or value for another.
    fileprivate func isSwap(with other: GateEntry, among all: [GateEntry]) -> Bool {
        guard let path = listPath, path == other.listPath, finding.rule != other.finding.rule else { return false }
        // Other harmless edits of the list do not count, unless this one is harmless too.
        let relevant = all.count {
            $0.listPath == path && $0.finding.direction == finding.direction && $0.finding.severity > .information
        }
        return relevant == (finding.severity > .information ? 2 : 1)
    }

    /// The list in which an element was added or removed.
    private var listPath: [String]? {
        guard let location, let end = finding.rule.lastIndex(of: "-"),
            ["-added", "-removed"].contains(finding.rule[end...])
        else { return nil }
        let kind = String(finding.rule[..<end])
        let isAmongOthers = kind == "enum-value" || [RequestDocument.file, OperationFacts.file].contains(location.file)
        return isAmongOthers ? [location.file, kind] + location.pointer.tokens.dropLast() : nil
    }

    fileprivate var isTranscriptEvidence: Bool { finding.rule.hasPrefix("transcript-") }

    /// Whether golden messages are the evidence for it; such a finding is not an edit.
    private var isMessageEvidence: Bool {
        [
            "fixture-now-invalid", "invalid-fixture-now-valid", "new-fixture-invalid-under-old",
            "fixture-contradicts-schema",
        ].contains(finding.rule)
    }

    private var edits: [Edit] {
        ([finding] + parts).flatMap { finding in
            // A side without a value only gives the location of its parent.
            let isWhole = finding.oldValue == nil && finding.newValue == nil || isMessageEvidence
            return [
                isWhole || finding.oldValue != nil ? finding.old : nil,
                isWhole || finding.newValue != nil ? finding.new : nil,
            ].compactMap(\.self).map {
                Edit(
                    rule: finding.rule, path: [$0.file] + $0.pointer.tokens,
                    values: [finding.oldValue, finding.newValue])
            }
        }
    }

    private var wholeRow: GateLocation? {
        guard (finding.old == nil) != (finding.new == nil), let location, location.file.hasPrefix("chapters/") else {
            return nil
        }
        return GateLocation(file: location.file, pointer: JSONPointer(), line: location.line)
    }

    /// Whether both concern one edited place: the same one, or one inside the other.
    fileprivate func isSameEdit(as other: GateEntry) -> Bool {
        let ignoresValues = kind == .policy || isMessageEvidence
        // An added or removed row covers its cells.
        if let one = wholeRow, one == other.wholeRow { return true }
        return edits.contains { mine in
            other.edits.contains { theirs in
                // A finding about a whole file is the same edit only with the same message.
                if mine.path.count == 1 || theirs.path.count == 1 {
                    return mine.rule == theirs.rule && mine.path == theirs.path && mine.values == theirs.values
                }
                if mine.path == theirs.path { return ignoresValues || mine.values == theirs.values }
                return mine.path.starts(with: theirs.path) || theirs.path.starts(with: mine.path)
            }
        }
    }

    /// Whether it is an example of the other finding: the same message or clause.
    fileprivate func isExample(of other: GateEntry, _ reached: Set<String>) -> Bool {
        if isMessageEvidence { return !reached.isDisjoint(with: finding.messages) }
        // Another expected verdict of a golden transcript follows from the change of its clause.
        let isVerdict = isTranscriptEvidence || finding.rule == "fixture-verdict-changed" && finding.messages.isEmpty
        return isVerdict && !Set(subjects).isDisjoint(with: other.subjects)
    }
}

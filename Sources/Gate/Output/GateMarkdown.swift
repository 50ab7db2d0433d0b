/// The report of the gate as an entry of a changelog, for a pull request or a release.
package struct GateMarkdown {
    private let report: GateReport

    /// The report of a comparison.
    package init(_ report: GateReport) {
        self.report = report
    }

    /// The whole text: the verdict, then one list of what changed, those first who must act.
    package var text: String {
        let changes = report.entries.filter { $0.kind == .change }
        let breaking = changes.filter { $0.finding.severity == .error && !$0.isEvidence }
        let other = changes.filter { $0.finding.severity != .error && !$0.isEvidence }
        var parts = ["**\(Self.escaped(report.headline))**", "## \(report.passes ? report.new.version : nextVersion)"]
        if !breaking.isEmpty {
            parts.append("### Breaking\n\n" + breaking.map(line).joined(separator: "\n"))
        }
        let protocolChanges = other.filter { $0.rise >= .minor }
        if !protocolChanges.isEmpty {
            parts.append("### Protocol\n\n" + protocolChanges.map(line).joined(separator: "\n"))
        }
        let words = other.filter { $0.rise < .minor }
        if !words.isEmpty { parts.append("### Words and tools\n\n" + words.map(line).joined(separator: "\n")) }
        let evidence = changes.filter(\.isEvidence)
        if !evidence.isEmpty { parts.append("### Who would break\n\n" + evidence.map(shown).joined(separator: "\n")) }
        let rules = report.failures.filter { $0.kind == .policy }
        if !rules.isEmpty {
            parts.append(
                "### To mend\n\n"
                    + rules.map {
                        "- `\($0.finding.rule)`: \(Self.escaped(GateWords($0.finding).reason))\(address($0))"
                    }
                    .joined(separator: "\n"))
        }
        if changes.isEmpty { parts.append("Nothing changed.") }
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// What the version has to be, where it is not that yet.
    private var nextVersion: String {
        guard report.rise < report.required, let required = report.requiredVersion else { return report.new.version }
        return "\(required) (is \(report.new.version))"
    }

    private func line(_ entry: GateEntry) -> String {
        let change = Self.escaped(GateWords(entry.finding).change)
        let words = "- \(change)\(change.hasSuffix(".") ? "" : ".")"
        let must =
            entry.breaks.isEmpty
            ? entry.rise >= .minor ? " Nobody must act." : ""
            : " **\(capitalised(entry.breaks.map(\.description).joined(separator: " and "))) must act**: \(Self.escaped(GateWords(entry.finding).reason))."
        let waived =
            if case .waived(let reason, let until) = entry.standing {
                " Waived until \(until): \(Self.escaped(reason))."
            } else { "" }
        return words + must + waived + witness(entry)
    }

    private func witness(_ entry: GateEntry) -> String {
        guard let witness = entry.finding.witness else { return "" }
        let json = witness.json.replacing("\n", with: " ")
        let shown = json.count > 400 ? String(json.prefix(399)) + "…" : json
        // A run of backticks in the text must not end it, and one at its edge must not join the fence.
        let fence = String(repeating: "`", count: Self.longestRun(of: "`", in: shown) + 1)
        let gap = shown.hasPrefix("`") || shown.hasSuffix("`") ? " " : ""
        return "\n  For example \(fence)\(gap)\(shown)\(gap)\(fence)."
    }

    private func shown(_ entry: GateEntry) -> String {
        let head = "- `\(entry.finding.rule)`: \(Self.escaped(GateWords(entry.finding).reason))\(address(entry))"
        let frames = entry.occurrences.prefix(10).map { "  - \(Self.escaped($0.words))" }
        let rest = entry.occurrences.count > 10 ? ["  - and \(entry.occurrences.count - 10) more"] : []
        return ([head] + frames + rest).joined(separator: "\n")
    }

    private func address(_ entry: GateEntry) -> String {
        ((entry.finding.new ?? entry.finding.old)?.address).map { " (`\($0)`)" } ?? ""
    }

    private func capitalised(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

    /// Words of the specification as they are, without becoming tags or links.
    ///
    /// Code marks stay, so what stands between them is left as it is: nothing is a tag there.
    static func escaped(_ text: String) -> String {
        let parts = text.replacing("\n", with: " ").split(separator: "`", omittingEmptySubsequences: false)
        // Marks that do not pair, or come in runs, would hide where code ends: then they are prose too.
        let pairs = parts.count % 2 == 1 && !text.contains("``")
        let shown = parts.indices.map { index in
            pairs && index % 2 == 1 ? String(parts[index]) : prose(parts[index])
        }
        return shown.joined(separator: pairs ? "`" : "\\`")
    }

    private static func prose(_ text: Substring) -> String {
        var shown = ""
        for character in text {
            switch character {
            case "&": shown += "&amp;"
            case "<": shown += "&lt;"
            case ">": shown += "&gt;"
            case "@": shown += "&#64;"
            case "\\", "*", "_", "[", "]", "|", "~", "!", "#": shown += "\\\(character)"
            default: shown.append(character)
            }
        }
        return shown
    }

    private static func longestRun(of mark: Character, in text: String) -> Int {
        var (longest, run) = (0, 0)
        for character in text {
            run = character == mark ? run + 1 : 0
            longest = max(longest, run)
        }
        return longest
    }
}

import HoldfastReport

/// The report of the gate as a changelog entry, for a pull request or a release.
struct GateMarkdown {
    let report: GateReport

    /// The whole text: the verdict, then a list of the changes, by the peers that must act.
    var text: String {
        let all = report.entries.filter { $0.kind == .change }
        let changes = report.heads.filter { $0.kind == .change && !$0.isEvidence }
        let others = changes.filter { $0.finding.severity != .error }
        var parts = [
            "**\(Self.escaped(report.headline))**",
            "## \(report.passes ? report.new.version.description : nextVersion)",
        ]
        func section(_ title: String, _ entries: [GateEntry], _ show: (GateEntry) -> String) {
            if !entries.isEmpty { parts.append("### \(title)\n\n" + entries.map(show).joined(separator: "\n")) }
        }
        section("Breaking", changes.filter { $0.finding.severity == .error }, line)
        section("Protocol", others.filter { $0.bump >= .minor }, line)
        section("Words and tools", others.filter { $0.bump < .minor }, line)
        section("Who would break", all.filter(\.isEvidence), shown)
        section("To fix", report.heads.filter { $0.fails && $0.kind == .policy }, head)
        if all.isEmpty { parts.append("Nothing changed.") }
        return parts.joined(separator: "\n\n") + "\n"
    }

    private var nextVersion: String {
        guard report.bump < report.required, let required = report.requiredVersion else {
            return report.new.version.description
        }
        return "\(required) (is \(report.new.version))"
    }

    private func line(_ entry: GateEntry) -> String {
        let change = Self.escaped(entry.finding.change)
        var words = "- \(change)\(change.hasSuffix(".") ? "" : ".")"
        let parties = entry.breaks.map(\.description).joined(separator: " and ")
        if !parties.isEmpty {
            let whom = parties.prefix(1).uppercased() + parties.dropFirst()
            words += " **\(whom) must act**: \(Self.escaped(entry.finding.reason))."
            if let first = entry.first { words += " \(first == .server ? "Servers" : "Clients") go first." }
            if let shown = entry.shown {
                words += " \(Self.escaped(shown.prefix(1).uppercased() + shown.dropFirst()))."
            }
        } else if entry.bump >= .minor {
            words += " No peer has to act."
        }
        if case .waived(let reason, let until) = entry.status {
            words += " Waived until \(until): \(Self.escaped(reason))."
        }
        return words + witness(entry)
    }

    private func witness(_ entry: GateEntry) -> String {
        guard let witness = entry.finding.witness else { return "" }
        let json = witness.json.replacing("\n", with: " ")
        let shown = json.count > 400 ? String(json.prefix(399)) + "…" : json
        // Backticks in the text must not end the code, and backticks at its edge must not join the fence.
        let fence = String(repeating: "`", count: longestRun(of: "`", in: shown) + 1)
        let gap = shown.hasPrefix("`") || shown.hasSuffix("`") ? " " : ""
        return "\n  For example \(fence)\(gap)\(shown)\(gap)\(fence)."
    }

    private func head(_ entry: GateEntry) -> String {
        let address = entry.location.map { " (`\($0.address)`)" } ?? ""
        return "- `\(entry.finding.rule)`: \(Self.escaped(entry.finding.reason))\(address)"
    }

    private func shown(_ entry: GateEntry) -> String {
        let frames = entry.occurrences.prefix(10).map { "  - \(Self.escaped($0.words))" }
        let rest = entry.occurrences.count > 10 ? ["  - and \(entry.occurrences.count - 10) more"] : []
        return ([head(entry)] + frames + rest).joined(separator: "\n")
    }

    /// Words of the specification, escaped so that they become no tags or links.
    ///
    /// Code marks stay, and the text between them is unchanged: nothing is a tag there.
    static func escaped(_ text: String) -> String {
        let parts = text.replacing("\n", with: " ").split(separator: "`", omittingEmptySubsequences: false)
        // Unpaired or repeated marks would hide where code ends, so they are escaped too.
        let isPaired = parts.count % 2 == 1 && !text.contains("``")
        let shown = parts.indices.map { index in
            isPaired && index % 2 == 1 ? String(parts[index]) : prose(parts[index])
        }
        return shown.joined(separator: isPaired ? "`" : "\\`")
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
}

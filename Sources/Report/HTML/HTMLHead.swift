import Holdfast
import HoldfastBasics
import HoldfastJudge

/// The top of a report: the verdict, the subject, and the strength of the proof.
struct HTMLHead {
    let report: RunReport

    func verdict(level: Int) -> Markup {
        """
        <div class="verdict \(Self.tone(of: report.exit))"><h\(level)><span class="sign" aria-hidden="true">\
        \(Self.sign(of: report.exit))</span> \(report.verdict)</h\(level)>
        <p class="lead">\(report.reason)</p></div>\n
        """
    }

    var facts: Markup {
        let profiles = report.subject.profileNames
        let performed = report.scenarios.count { $0.skipped == nil }
        let skipped = report.scenarios.count - performed
        var rows: [(String, Markup)] = [
            ("Subject", "\(PlainText.line(report.subject.name)) <small>\(report.subject.role.rawValue)</small>"),
            ("Address", "<code>\(PlainText.line(report.address))</code>"), ("Profiles", "\(profiles)"),
        ]
        if let agent = report.agentWords { rows.append(("Agent", "\(agent)")) }
        rows += [
            (
                "Versions",
                "specification \(PlainText.line(report.specification))\(report.tool.map { ", program \(PlainText.line($0))" } ?? "")"
            ),
            ("Date", "\(Self.day(report.startedAt)), took \(readable(report.duration))"),
            ("Scenarios", "\(readable(performed)) ran\(skipped > 0 ? ", \(readable(skipped)) skipped" : "")"),
            ("Exit code", "\(Int(report.exit.rawValue)), \(report.exit.meaning)"),
        ]
        if let proof = report.persistenceProof {
            rows.append(
                (
                    "Persistence proof",
                    "\(HTMLBadge(proof.outcome).html) \(.prose(PlainText.line(proof.words, limit: 600)))"
                ))
        }
        if let rerun = report.rerun {
            let text = rerun.command + (rerun.driver.map { " -- \($0)" } ?? "")
            rows.append(("Full run", "<code class=\"copy\">\(PlainText.line(text, limit: 2_000))</code>"))
        }
        return "<dl class=\"facts\">\(rows.map(Self.row))</dl>\n"
    }

    private static func row(_ title: String, _ content: Markup) -> Markup {
        let isWide = title == "Persistence proof" || title == "Full run"
        return "<div\(isWide ? " class=\"wide\"" as Markup : "")><dt>\(title)</dt><dd>\(content)</dd></div>\n"
    }

    /// `2026-11-22T01:46:16Z` in readable form.
    static func day(_ text: String) -> String {
        let line = PlainText.line(text, limit: 40)
        guard line.count == 20, line.hasSuffix("Z"), let separator = line.firstIndex(of: "T") else { return line }
        return "\(line[..<separator]) \(line[line.index(after: separator)...].prefix(5)) UTC"
    }

    static func tone(of exit: ExitStatus) -> String {
        switch exit {
        case .conforms: "good"
        case .violation, .harness: "bad"
        default: "open"
        }
    }

    static func sign(of exit: ExitStatus) -> String {
        switch exit {
        case .conforms: "✓"
        case .violation: "✕"
        case .harness: "⚠"
        default: "?"
        }
    }
}

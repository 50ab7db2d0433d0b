import Holdfast
import HoldfastBasics
import HoldfastReport
import HoldfastSchemaDiff

/// The report of the gate for a terminal: the verdict, then the findings, then other changes in short form.
package struct GateConsoleReport {
    private let report: GateReport
    private let style: ConsoleStyle

    package init(_ report: GateReport, style: ConsoleStyle) { (self.report, self.style) = (report, style) }

    package var text: String {
        var parts = [style.bold(report.passes ? style.green(report.headline) : style.red(report.headline))]
        func section(_ title: String, _ entries: [GateEntry], _ show: (GateEntry) -> String) {
            if !entries.isEmpty { parts.append(style.bold(title) + "\n" + entries.map(show).joined(separator: "\n")) }
        }
        let heads = report.heads
        let rest = heads.filter { !$0.fails }
        section("Fails", heads.filter(\.fails), fullText)
        section("Announced by the new major version", rest.filter { $0.status == .announced }, fullText)
        section("Waived", rest.filter(\.isWaived), fullText)
        let others = rest.filter { $0.status == .counts }
        section("Warnings", others.filter { $0.finding.severity == .warning }, fullText)
        section("Other changes", others.filter { $0.finding.severity == .information }) { entry in
            style.wrapped("\(entry.finding.change) (\(entry.location?.address ?? ""))", indent: 2, hanging: 2)
        }
        parts.append(closing)
        return parts.joined(separator: "\n\n") + "\n"
    }

    private var closing: String {
        var lines: [String] = []
        let needs = report.requiredVersion.map { " (requires version \($0) or later)" } ?? ""
        if report.required > .none {
            lines.append("change level: \(report.required.word)\(needs); the version is \(report.new.version)")
        }
        if report.judgedTranscripts > 0 {
            lines.append(
                "this program judged \(readable(report.judgedTranscripts)) transcripts under both specifications")
        }
        if !report.supported.isEmpty { lines.append("also compared with \(report.supported.joined(separator: ", "))") }
        lines += report.notes
        lines.append("exit \(report.exit.rawValue): \(report.passes ? "compatible" : "not compatible")")
        return lines.map { style.dim($0) }.joined(separator: "\n")
    }

    private func fullText(_ entry: GateEntry) -> String {
        let finding = entry.finding
        var lines: [String] = []
        let word = finding.severity.rawValue
        let severity = entry.fails ? style.red(word) : finding.severity == .error ? word : style.yellow(word)
        let direction = finding.direction.map { "  \($0.arrow)" } ?? ""
        let messages = finding.messages.isEmpty ? "" : "  \(finding.messages.joined(separator: ", "))"
        lines.append("  \(severity) \(style.bold(finding.rule))\(messages)\(direction)")
        lines += report.labeled(entry).map { label, text in
            let line = style.wrapped("\(label): \(text)", indent: 4, hanging: 2)
            return label == "fingerprint" ? style.dim(line) : line
        }
        return lines.joined(separator: "\n")
    }
}

extension GateDirection {
    var arrow: String {
        switch self {
        case .clientToServer: "client → server"
        case .serverToClient: "server → client"
        }
    }
}

extension GateOccurrence {
    /// The transcript, the frame and both verdicts in one line.
    var words: String {
        let location = transcript + (line.map { ":\($0)" } ?? "")
        let verdicts = "\(before?.rawValue ?? "no such clause") → \(after?.rawValue ?? "no such clause")"
        return "\(location) (\(subject)): \(PlainText.harmless(event, keepsLines: false))  \(verdicts)"
            + (what.isEmpty ? "" : ": \(PlainText.harmless(what, keepsLines: false))")
    }
}

extension Bump {
    /// The kind of change that requires this version increment.
    var word: String {
        switch self {
        case .none: "none"
        case .patch: "wording and tests only"
        case .minor: "additions"
        case .major: "breaking"
        }
    }
}

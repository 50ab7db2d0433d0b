import HoldfastReport
import HoldfastSchemaDiff

/// The report of the gate as JUnit XML: one case a finding; what fails is a failure, what is waived or announced is skipped.
struct GateJUnitReport {
    let report: GateReport

    /// The whole text, as the schema of Jenkins has it; the verdict is what the suite prints.
    var text: String {
        let heads = report.heads
        let cases = heads.map(testCase)
        let skipped = heads.count { !$0.fails && $0.standing != .counts }
        // A comparison without findings is a case that passes: a suite without cases looks like one that did not run.
        let all = cases.isEmpty ? [#"    <testcase classname="gate" name="nothing changed" time="0"/>"#] : cases
        let counts = #"tests="\#(all.count)" failures="\#(heads.count(where: \.fails))" errors="0" time="0""#
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="protocol gate" \(counts)>
              <testsuite name="protocol gate" \(counts) skipped="\(skipped)">
            \(all.joined(separator: "\n"))
                <system-out>\(XMLText.escaped(report.headline))</system-out>
              </testsuite>
            </testsuites>

            """
    }

    private func testCase(_ entry: GateEntry) -> String {
        let finding = entry.finding
        func attribute(_ name: String, _ value: String) -> String { #" \#(name)="\#(XMLText.escaped(value))""# }
        let location = entry.location
        let detail = XMLText.escaped(report.detail(of: entry))
        let inner =
            switch entry.standing {
            case _ where entry.fails:
                "<failure\(attribute("message", finding.change))\(attribute("type", finding.rule))>\(detail)</failure>"
            case .announced: "<skipped\(attribute("message", "announced by the new major version"))/>"
            case .waived(let reason, let until): "<skipped\(attribute("message", "waived until \(until): \(reason)"))/>"
            case .counts: "<system-out>\(detail)</system-out>"
            }
        return """
                <testcase\(attribute("classname", location?.path ?? "gate"))\(attribute("name", entry.title)) time="0">
                  \(inner)
                </testcase>
            """
    }
}

extension GateEntry {
    /// The change and its place, in one sentence.
    var title: String { finding.change + (location.map { " (\($0.address))" } ?? "") }

    /// A finding that follows from another, in one line.
    var brief: String { "\(finding.rule) (\(finding.severity)), \(finding.change): \(finding.reason)" }
}

extension GateReport {
    /// Everything about a finding below its title, in a few lines of plain text.
    func detail(of entry: GateEntry) -> String {
        let (finding, breaks, occurrences) = (entry.finding, entry.breaks, entry.occurrences)
        var lines = [finding.why]
        if let old = finding.old { lines.append("old: \(old.address) #\(old.pointer)") }
        if let new = finding.new { lines.append("new: \(new.address) #\(new.pointer)") }
        if !breaks.isEmpty { lines.append("breaks: \(breaks.map(\.description).joined(separator: ", "))") }
        if let first = entry.first { lines.append("\(GateParty(first).description) go first, then nobody breaks") }
        if let shown = entry.shown { lines.append(shown) }
        if let witness = finding.witness {
            lines.append(
                "witness: \(witness.message) \(witness.json) is valid by the \(witness.validBy) version; the "
                    + "\(witness.invalidBy) one says: \(witness.complaint)")
        }
        lines += occurrences.prefix(5).map(\.words)
        lines += folded(under: entry).prefix(5).map { "with it: \($0.brief)" }
        lines.append("fingerprint: \(finding.fingerprint)")
        return lines.joined(separator: "\n")
    }
}

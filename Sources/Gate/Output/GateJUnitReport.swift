import HoldfastBasics
import HoldfastJSON
import HoldfastReport
import HoldfastSchemaDiff

/// The report of the gate as JUnit XML: one case per finding; a waived or announced finding is a skipped case.
struct GateJUnitReport {
    let report: GateReport

    /// The whole text, in the schema of Jenkins; the printed verdict is in the output of the suite.
    var text: String {
        let heads = report.heads
        let cases = heads.map(testCase)
        let skipped = heads.count { !$0.fails && $0.status != .counts }
        // A comparison without findings is a passing case: an empty suite looks like one that did not run.
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
            switch entry.status {
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
    var title: String { finding.change + (location.map { " (\($0.address))" } ?? "") }

    var brief: String { "\(finding.rule) (\(finding.severity)), \(finding.change): \(finding.reason)" }
}

extension GateReport {
    func detail(of entry: GateEntry) -> String {
        labeled(entry).map { "\($0.label): \($0.text)" }.joined(separator: "\n")
    }

    /// Everything about a finding below its title.
    func labeled(_ entry: GateEntry) -> [(label: String, text: String)] {
        let finding = entry.finding
        func cut(_ text: String, to limit: Int) -> String {
            ConsoleStyle().cut(PlainText.harmless(text, keepsLines: false), to: limit)
        }
        func place(_ location: GateLocation, _ value: JSONValue?) -> String {
            let pointer = location.pointer.isRoot ? "" : " #\(location.pointer)"
            // The reason, the witness and the frames report the evidence for a change.
            let shown = entry.isEvidence ? nil : value.map { "  \(cut($0.text(), to: 300))" }
            return location.address + pointer + (shown ?? "")
        }
        func first<Element>(_ label: String, _ all: [Element], _ words: (Element) -> String) -> [(String, String?)] {
            all.prefix(5).map { (label, words($0)) }
                + [(label, all.count > 5 ? "\(all.count - 5) more, in the JSON report" : nil)]
        }
        var lines: [(label: String, text: String?)] = [
            ("old", finding.old.map { place($0, finding.oldValue) }),
            ("new", finding.new.map { place($0, finding.newValue) }), ("why", finding.why),
            ("breaks", entry.breaks.isEmpty ? nil : entry.breaks.map(\.description).joined(separator: ", ")),
            ("first", entry.first.map { "\(GateParty($0).description) go first, then no peer breaks" }),
            ("shown", entry.shown), ("witness", finding.witness.map { "\($0.message) \(cut($0.json, to: 600))" }),
            (
                "which is",
                finding.witness.map {
                    "valid by the \($0.validBy) version, rejected by the \($0.invalidBy): \($0.complaint)"
                }
            ),
        ]
        lines += first("frame", entry.occurrences, \.words) + first("with it", folded(under: entry), \.brief)
        if case .waived(let reason, let until) = entry.status { lines.append(("waived until \(until)", reason)) }
        lines.append(("fingerprint", entry.reachesThreshold ? finding.fingerprint : nil))
        return lines.compactMap { line in line.text.map { (line.label, $0) } }
    }
}

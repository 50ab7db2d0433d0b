import Basics

/// The report as JUnit XML: a suite for each area, a case for each clause, failures first.
///
/// A violation is a failure, and so is a clause that nothing shows to be kept; what the suite or a driver could not do is an
/// error; what is expected or not in question is skipped.
struct JUnitReport {
    let report: RunReport

    /// The whole document; the verdict is the name of its root.
    var text: String {
        let cases = ReportCases(report)
        let seconds = Self.seconds(report.duration)
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            "<testsuites name=\(quoted(report.headline))\(counts(cases.all)) time=\"\(seconds)\">",
        ]
        for suite in cases.suites {
            lines.append(
                "  <testsuite name=\(quoted(suite.name))\(counts(suite.cases)) timestamp=\(quoted(report.startedAt))>")
            lines += suite.cases.flatMap { self.lines(of: $0, in: suite.name) }
            lines.append("  </testsuite>")
        }
        lines.append("</testsuites>")
        return lines.joined(separator: "\n") + "\n"
    }

    private func lines(of one: ReportCases.Case, in suite: String) -> [String] {
        let name = one.title.isEmpty ? one.id : "\(one.id) \(one.title)"
        let place = "holdfast.\(report.subject.role.rawValue).\(suite)"
        let start = "    <testcase name=\(quoted(PlainText.line(name))) classname=\(quoted(place))"
        guard let inner = inner(one) else { return [start + "/>"] }
        return [start + ">", "      " + inner, "    </testcase>"]
    }

    private func inner(_ one: ReportCases.Case) -> String? {
        let message = quoted(PlainText.line(one.message))
        let details = XMLText.escaped(PlainText.harmless(PlainText.cut(one.details, to: 20_000)))
        switch one.status {
        case .passed(nil): return nil
        case .passed: return "<system-out>\(details)</system-out>"
        case .failed: return "<failure message=\(message) type=\(quoted(one.kind))>\(details)</failure>"
        case .errored: return "<error message=\(message) type=\(quoted(one.kind))>\(details)</error>"
        case .skipped(let reason), .expected(let reason):
            return "<skipped message=\(quoted(PlainText.line(reason)))/>"
        }
    }

    private func counts(_ cases: [ReportCases.Case]) -> String {
        func count(_ isCounted: (ReportCases.Status) -> Bool) -> Int { cases.count { isCounted($0.status) } }
        let skipped = count { status in
            switch status {
            case .skipped, .expected: true
            default: false
            }
        }
        return
            " tests=\"\(cases.count)\" failures=\"\(count { $0 == .failed })\" errors=\"\(count { $0 == .errored })\""
            + " skipped=\"\(skipped)\""
    }

    private func quoted(_ text: String) -> String { "\"\(XMLText.escaped(PlainText.harmless(text)))\"" }

    private static func seconds(_ duration: Duration) -> String {
        "\(duration.milliseconds / 1000).\(String(1000 + duration.milliseconds % 1000).dropFirst())"
    }
}

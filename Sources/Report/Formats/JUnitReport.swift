import HoldfastBasics
import HoldfastJudge

/// The report as JUnit XML in Jenkins' format: a suite for each area, a case for each clause, failures first.
///
/// A case has only the id of its clause or scenario as its name, so that its history survives rewording. Its time is
/// that of the scenarios that determined it; one scenario may determine several clauses.
///
/// A violation is a failure, and so is a clause without proof; a failure of the suite or a driver is an error; expected
/// violations, consequences of other violations, and clauses that do not apply are skipped.
struct JUnitReport {
    let report: RunReport
    /// Whether unexercised clauses count as skipped instead of failed.
    var skipsUntested = false

    /// The whole document; the name of the root is the verdict.
    var text: String {
        let cases = ReportCases(report)
        let seconds = Self.seconds(report.duration)
        let times = Dictionary(report.scenarios.map { ($0.name, $0.duration) }, uniquingKeysWith: +)
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            "<testsuites name=\(quoted(report.headline))\(counts(cases.all)) time=\"\(seconds)\">",
        ]
        for suite in cases.suites {
            // Scenarios overlap, so the sum of the cases may exceed the run.
            let time = min(report.duration, suite.cases.reduce(.zero) { $0 + self.time(of: $1, times) })
            lines.append(
                "  <testsuite name=\(quoted(suite.name))\(counts(suite.cases)) skipped=\"\(suite.cases.count(where: isSkipped))\""
                    + " time=\"\(Self.seconds(time))\" timestamp=\(quoted(report.startedAt))>")
            lines += suite.cases.flatMap { self.lines(of: $0, in: suite.name, times) }
            lines.append("  </testsuite>")
        }
        lines.append("</testsuites>")
        return lines.joined(separator: "\n") + "\n"
    }

    private func time(of one: ReportCases.Case, _ times: [String: Duration]) -> Duration {
        one.scenarios.reduce(.zero) { $0 + (times[$1] ?? .zero) }
    }

    private func lines(of one: ReportCases.Case, in suite: String, _ times: [String: Duration]) -> [String] {
        let location = "holdfast.\(report.subject.role.rawValue).\(suite)"
        let start =
            "    <testcase name=\(quoted(PlainText.line(one.id))) classname=\(quoted(location))"
            + " time=\"\(Self.seconds(time(of: one, times)))\""
        guard let inner = inner(one) else { return [start + "/>"] }
        return [start + ">", "      " + inner, "    </testcase>"]
    }

    private func inner(_ one: ReportCases.Case) -> String? {
        let message = quoted(PlainText.line(one.message))
        let details = XMLText.escaped(PlainText.harmless(PlainText.cut(one.details, to: 20_000)))
        switch one.status {
        case .passed(nil): return nil
        case .passed: return "<system-out>\(details)</system-out>"
        case .failed where isSkipped(one): return "<skipped message=\(message)/>"
        case .failed: return "<failure message=\(message) type=\(quoted(one.kind))>\(details)</failure>"
        case .errored: return "<error message=\(message) type=\(quoted(one.kind))>\(details)</error>"
        case .follows: return "<skipped message=\(message)/>"
        case .skipped(let reason), .expected(let reason):
            return "<skipped message=\(quoted(PlainText.line(reason)))/>"
        }
    }

    private func isSkipped(_ one: ReportCases.Case) -> Bool {
        switch one.status {
        case .skipped, .expected, .follows: true
        case .failed: skipsUntested && one.kind == Outcome.untested.word
        default: false
        }
    }

    private func counts(_ cases: [ReportCases.Case]) -> String {
        let failures = cases.count { $0.status == .failed && !isSkipped($0) }
        return " tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(cases.count { $0.status == .errored })\""
    }

    private func quoted(_ text: String) -> String { "\"\(XMLText.escaped(PlainText.harmless(text)))\"" }

    private static func seconds(_ duration: Duration) -> String {
        "\(duration.milliseconds / 1000).\(String(1000 + duration.milliseconds % 1000).dropFirst())"
    }
}

package enum XMLText {
    /// Escapes a text for content and for attributes in double quotes.
    ///
    /// XML 1.0 cannot represent most control characters and two noncharacters, so they are shown by number; line ends
    /// and tabs survive in attributes only as references.
    package static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in escapedForMarkup(text).unicodeScalars {
            switch scalar.value {
            case 0x09, 0x0A, 0x0D: result += "&#\(scalar.value);"
            case 0..<0x20, 0x7F...0x9F, 0xFFFE, 0xFFFF: result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

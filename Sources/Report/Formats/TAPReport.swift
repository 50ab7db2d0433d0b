import HoldfastJSON

/// The report as TAP, version 14: a test for each clause, failures first.
///
/// Expected violations and consequences of other failures are TODO tests.
struct TAPReport {
    let report: RunReport

    /// The whole stream; the first comment is the verdict.
    var text: String {
        let cases = ReportCases(report).all
        var lines = ["TAP version 14", "# \(PlainText.line(report.headline))", "1..\(cases.count)"]
        if cases.isEmpty { lines[2] += " # SKIP no clause applies" }
        for (index, one) in cases.enumerated() { lines += self.lines(of: one, number: index + 1) }
        return lines.joined(separator: "\n") + "\n"
    }

    private func lines(of one: ReportCases.Case, number: Int) -> [String] {
        let title = one.title.isEmpty ? "" : " " + one.title
        let start = "\(number) - \(escaped(PlainText.line(one.id + title)))"
        switch one.status {
        case .passed(nil): return ["ok \(start)"]
        case .passed: return ["ok \(start)"] + diagnosis(one)
        case .skipped(let reason): return ["ok \(start) # SKIP \(escaped(PlainText.line(reason)))"]
        case .expected(let reason): return ["not ok \(start) # TODO \(escaped(PlainText.line(reason)))"]
        case .follows: return ["not ok \(start) # TODO \(escaped(PlainText.line(one.message)))"]
        case .failed, .errored: return ["not ok \(start)"] + diagnosis(one)
        }
    }

    /// A YAML block; strings are quoted as in JSON, which is valid YAML.
    private func diagnosis(_ one: ReportCases.Case) -> [String] {
        func quoted(_ text: String) -> String { JSONValue.string(PlainText.harmless(text)).text() }
        return [
            "  ---", "  message: \(quoted(PlainText.line(one.message)))", "  severity: \(quoted(one.kind))",
            "  details: \(quoted(PlainText.cut(one.details, to: 20_000)))", "  ...",
        ]
    }

    /// Escapes `#`, which would start a directive.
    private func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("#", with: "\\#")
    }
}

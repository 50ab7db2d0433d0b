/// The report as annotations that a workflow of GitHub shows beside a change.
struct GitHubReport {
    private let report: RunReport

    /// GitHub shows so many of a kind for a step, and drops the rest in silence.
    private static let limit = 10

    init(_ report: RunReport) {
        self.report = report
    }

    /// A line for the verdict, then one for each thing to look at, as many as are shown.
    var text: String {
        let cases = ReportCases(report).all
        let conforms = report.exit == .conforms
        // The verdict is an annotation of its kind itself.
        var lines = [GitHubAnnotation(conforms ? .notice : .error, title: "Holdfast", message: report.headline)]
        lines += bounded(cases.filter(\.isWrong), .error, room: Self.limit - (conforms ? 0 : 1))
        lines += bounded(cases.filter(\.isRemarked), .warning, room: Self.limit)
        return lines.map(\.text).joined()
    }

    private func bounded(
        _ cases: [ReportCases.Case], _ level: GitHubAnnotation.Level, room: Int
    ) -> [GitHubAnnotation] {
        let shown = cases.count <= room ? cases[...] : cases.prefix(room - 1)
        var lines = shown.map { one in
            let text = one.details.isEmpty ? one.message : one.details
            return GitHubAnnotation(
                level, title: PlainText.line("\(one.id) \(one.kind)", limit: 120),
                message: PlainText.harmless(PlainText.cut(text, to: 4_000)), file: one.file?.name, line: one.file?.line)
        }
        if cases.count > shown.count {
            let rest = cases[shown.count...].map(\.id).joined(separator: ", ")
            lines.append(
                GitHubAnnotation(
                    level, title: "and \(cases.count - shown.count) more", message: PlainText.line(rest)))
        }
        return lines
    }
}

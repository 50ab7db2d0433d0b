import HoldfastBasics

/// The report as GitHub annotations, which are shown next to a change.
struct GitHubReport {
    let report: RunReport

    /// A line for the verdict, then one for each problem, up to the limit.
    var text: String {
        let cases = ReportCases(report).all
        let conforms = report.exit == .conforms
        // The verdict uses one annotation of its level.
        var lines = [GitHubAnnotation(conforms ? .notice : .error, title: "Holdfast", message: report.headline)]
        let limit = GitHubAnnotation.limit
        lines += GitHubAnnotation.bounded(
            annotations(cases.filter(\.isWrong), .error), to: limit - (conforms ? 0 : 1))
        lines += GitHubAnnotation.bounded(annotations(cases.filter(\.hasRemark), .warning))
        let following = annotations(cases.filter { $0.head != nil }, .notice)
        let unreached = report.outOfReach.map { gap in
            GitHubAnnotation(
                .notice, title: "\(counted(gap.clauses.count, "clause")) out of reach",
                message: GitHubAnnotation.words(gap.line))
        }
        lines += GitHubAnnotation.bounded(following + unreached, to: limit - (conforms ? 1 : 0))
        return lines.map(\.text).joined()
    }

    private func annotations(_ cases: [ReportCases.Case], _ level: GitHubAnnotation.Level) -> [GitHubAnnotation] {
        cases.map { one in
            GitHubAnnotation(
                level, title: PlainText.line("\(one.id) \(one.kind)", limit: 120),
                message: GitHubAnnotation.words(one.details.isEmpty ? one.message : one.details),
                file: one.file?.name, line: one.file?.line)
        }
    }
}

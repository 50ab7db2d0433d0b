import Holdfast
import HoldfastBasics
import HoldfastJudge

extension RunHistory {
    /// The history for a console, with a final newline: a letter for each run, oldest first.
    package func text(_ style: ConsoleStyle = ConsoleStyle()) -> String {
        var lines = [
            "\(style.bold(PlainText.line(subject))): \(counted(runs.count, "run")), \(span)", "clauses: \(summary)", "",
        ]
        // The latest runs, as many as fit.
        let most = max(8, style.width - 52)
        let shown = runs.suffix(most)
        if shown.count < runs.count { lines += ["the latest \(shown.count) of \(counted(runs.count, "run")):", ""] }
        let notable = trends.filter { $0.trend < .kept }
        for (clause, trend) in notable {
            let letters = shown.map { letter(clause, in: $0, style) }.joined()
            lines.append("\(padded(clause.description, 11))\(letters)  \(words(trend))")
        }
        if !notable.isEmpty {
            lines.append(
                style.wrapped(
                    ". pass  X violated  x expected  ! warning  ? inconclusive  o untested  - not in this run",
                    indent: 11))
            lines.append("")
        }
        for run in shown {
            let text = "\(HTMLHead.day(run.startedAt))  \(PlainText.line(run.name))  \(run.headline)"
            lines.append(style.wrapped(text, indent: 0, hanging: 2))
        }
        return style.spelled(lines.joined(separator: "\n")) + "\n"
    }

    private func letter(_ clause: ClauseID, in run: Run, _ style: ConsoleStyle) -> String {
        guard let outcome = run.outcomes[clause] else { return "-" }
        let letter =
            switch outcome {
            case .pass: "."
            case .violation: run.expected.contains(clause) ? "x" : "X"
            case .warning: "!"
            case .inconclusive: "?"
            case .untested: "o"
            case .harnessError: "E"
            case .notApplicable: "-"
            }
        return style.painted(letter, as: outcome)
    }
}

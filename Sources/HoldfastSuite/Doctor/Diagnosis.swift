import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastReport
import HoldfastStage

/// The result of examining a setup, with the clauses that the suite cannot decide because of it.
package struct Diagnosis: Sendable {
    enum Status: String, Sendable {
        case ok
        /// Worth knowing, but no obstacle.
        case note
        /// A run will leave some clauses undecided.
        case gap
        /// The setup is wrong, or the server breaks a clause.
        case fault
    }

    package struct Finding: Sendable {
        /// A stable machine-readable word, such as `auth`.
        let check: String
        let status: Status
        package let what: String
        /// The remedy; nil if none is needed.
        package let fix: String?
    }

    /// Clauses that a run will leave undecided.
    struct Open: Sendable {
        enum Outcome: String, CaseIterable {
            case untested, inconclusive
            case outOfReach = "out of reach"
            case setAside = "set aside"
        }

        let outcome: Outcome
        let gap: Gap
        let fix: String?

        /// Whether a run can conform without these clauses.
        var isPassedOver: Bool { outcome == .setAside || outcome == .outOfReach }
    }

    var findings: [Finding] = []
    var open: [Open] = []
    var isUnreachable = false
    /// Whether the subject speaks another protocol.
    var isForeign = false
    /// Flags that let a run test more, found by the examination.
    var betterFlags: [String] = []

    package var exit: ExitStatus {
        if isUnreachable { return .unreachable }
        let isClean = findings.allSatisfy { $0.status == .ok || $0.status == .note }
        return isClean && open.allSatisfy(\.isPassedOver) ? .conforms : .incomplete
    }
}

package struct DiagnosisReport {
    let diagnosis: Diagnosis
    let subject: String
    /// The next command, without secrets.
    let next: String

    package init(_ diagnosis: Diagnosis, of subject: ServerSubject, next: String) {
        self.diagnosis = diagnosis
        self.subject = "\(subject.name) at \(subject.shownAddress)"
        self.next = ([next] + diagnosis.betterFlags).joined(separator: " ")
    }

    var headline: String {
        let faults = diagnosis.findings.count { $0.status == .fault }
        let gaps = diagnosis.findings.count { $0.status == .gap }
        let clauses = diagnosis.open.filter { !$0.isPassedOver }.flatMap(\.gap.clauses).count
        let unreached = diagnosis.open.filter { $0.outcome == .outOfReach }.flatMap(\.gap.clauses).count
        if diagnosis.isUnreachable { return "not ready: nothing can be tested" }
        let parts = [(faults, "fault", ""), (gaps, "gap", ""), (clauses, "clause", " may stay undecided")]
            .filter { $0.0 > 0 }.map { counted($0, $1) + $2 }
        if !parts.isEmpty { return "not ready: " + parts.joined(separator: ", ") }
        return unreached > 0
            ? "ready: \(counted(unreached, "clause")) out of reach with this setup"
            : "ready: the suite can test every clause"
    }

    package func text(_ style: ConsoleStyle) -> String {
        var lines = [colored(headline, style), subject, ""]
        for finding in diagnosis.findings {
            let start = "\(word(finding.status, style)) \(padded(finding.check, 11)) "
            let body = style.wrapped(finding.what, indent: Self.margin).split(separator: "\n").map(String.init)
            lines += [start + (body.first ?? "").dropFirst(Self.margin)] + body.dropFirst()
            if let fix = finding.fix { lines.append(style.wrapped("fix: \(fix)", indent: Self.margin, hanging: 2)) }
        }
        for open in diagnosis.open {
            lines += ["", style.wrapped("\(open.outcome.rawValue): \(open.gap.line)", indent: 0, hanging: 2)]
            if let fix = open.fix { lines.append(style.wrapped("fix: \(fix)", indent: 2, hanging: 2)) }
        }
        if !diagnosis.isUnreachable, !diagnosis.isForeign { lines += ["", "next: \(next)"] }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let margin = 18

    private func word(_ status: Diagnosis.Status, _ style: ConsoleStyle) -> String {
        let text = padded(status.rawValue, 5)
        return switch status {
        case .ok: style.green(text)
        case .note: style.dim(text)
        case .gap: style.yellow(text)
        case .fault: style.red(text)
        }
    }

    private func colored(_ text: String, _ style: ConsoleStyle) -> String {
        switch diagnosis.exit {
        case .conforms: style.green(text)
        case .unreachable: style.red(text)
        default: style.yellow(text)
        }
    }

    /// Valid under `Spec/schemas/files/diagnosis.json`, version 1.
    package var value: JSONValue {
        JSONValue(members: [
            "format": "holdfast-diagnosis", "version": 1, "headline": headline,
            "exit": JSONValue(members: [
                "code": Int(diagnosis.exit.rawValue), "meaning": diagnosis.exit.meaning,
            ]),
            "subject": subject,
            "findings": diagnosis.findings.map {
                JSONValue(members: ["check": $0.check, "status": $0.status.rawValue, "what": $0.what, "fix": $0.fix])
            },
            "open": diagnosis.open.map {
                JSONValue(members: [
                    "outcome": $0.outcome.rawValue, "reason": $0.gap.reason, "clauses": $0.gap.clauses,
                    "fix": $0.fix,
                ])
            },
        ])
    }
}

import Holdfast
import Report

/// What an examination of a set-up found, and what the suite will therefore leave open.
struct Diagnosis: Sendable {
    /// What became of one thing that was looked at.
    enum Status: String, Sendable {
        /// As it has to be.
        case ok
        /// Worth knowing, and no hindrance.
        case note
        /// Parts of a run will be left open.
        case gap
        /// Something is set up wrongly, or the server does what it must not.
        case fault
    }

    /// One thing that was looked at.
    struct Finding: Sendable {
        /// A stable word for machines, such as `auth`.
        let check: String
        let status: Status
        let what: String
        /// What to do about it; nil where nothing is to be done.
        let fix: String?

        init(_ check: String, _ status: Status, _ what: String, fix: String? = nil) {
            self.check = check
            self.status = status
            self.what = what
            self.fix = fix
        }
    }

    /// Clauses that a run will leave open.
    struct Open: Sendable {
        /// How they will end: untested, inconclusive, or set aside on request.
        let outcome: String
        let gap: Gap
        let fix: String?
    }

    var findings: [Finding] = []
    var open: [Open] = []
    /// Whether nothing can be reached at all.
    var isUnreachable = false

    /// The one place that says how the command ends.
    var exit: ExitStatus {
        if isUnreachable { return .unreachable }
        let isClean = findings.allSatisfy { $0.status == .ok || $0.status == .note }
        return isClean && open.allSatisfy { $0.outcome == Open.setAside } ? .conforms : .incomplete
    }

    mutating func note(_ check: String, _ status: Status, _ what: String, fix: String? = nil) {
        findings.append(Finding(check, status, what, fix: fix))
    }
}

extension Diagnosis.Open {
    static let untested = "untested"
    static let inconclusive = "inconclusive"
    static let setAside = "set aside"
}

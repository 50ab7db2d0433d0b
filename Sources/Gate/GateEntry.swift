import Holdfast
import Report
import SchemaDiff

/// One finding with what the gate makes of it.
package struct GateEntry: Sendable {
    /// What a finding is about, which decides what can settle it.
    package enum Kind: String, Sendable, Hashable {
        /// The protocol changed; a new major version may do that.
        case change
        /// The way of changing is wrong, whatever the version.
        case policy
    }

    /// What became of an error.
    package enum Standing: Sendable, Equatable {
        /// It counts.
        case counts
        /// The new version is a new major version, which may break.
        case announced
        /// Somebody accepted it, for a reason and until a day.
        case waived(reason: String, until: CivilDate)
    }

    /// The comparison.
    package let finding: GateFinding
    /// What it is about.
    package let kind: Kind
    /// Who breaks, or has to act; empty when nobody does.
    package let breaks: [GateParty]
    /// How much the version has to rise at least.
    let rise: Rise
    /// What the changelog has to name, one of them; empty when it need not.
    package let subjects: [String]
    /// The frames of transcripts at which it shows.
    package internal(set) var occurrences: [GateOccurrence] = []
    /// What became of it.
    package internal(set) var standing = Standing.counts

    init(
        _ finding: GateFinding, kind: Kind = .change, breaks: [GateParty] = [], rise: Rise, subjects: [String] = []
    ) {
        self.finding = finding
        self.kind = kind
        self.breaks = breaks
        self.rise = rise
        self.subjects = subjects
    }

    /// Where in a checkout it is, in the new state when it is there: `Spec/clauses/SYNC.md`.
    package var path: String? { (finding.new ?? finding.old).map(\.path) }

    /// Whether it shows by example what other findings say by rule.
    var isEvidence: Bool { finding.rule.hasPrefix("transcript-") || finding.rule.contains("fixture") }

    /// Whether the gate fails because of it.
    package var fails: Bool { finding.severity == .error && standing == .counts }
}

/// Those who break by a change, or have to act.
package struct GateParty: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Their side.
    package let role: Role
    /// The profile they declare; nil for all of that side.
    package let profile: String?

    init(_ role: Role, profile: String? = nil) {
        self.role = role
        self.profile = profile
    }

    /// In words: `clients`, `servers that declare sync`.
    package var description: String {
        let side = role == .server ? "servers" : "clients"
        return profile.map { "\(side) that declare \($0)" } ?? side
    }

    /// Servers first, then by profile.
    package static func < (left: GateParty, right: GateParty) -> Bool {
        left.role == right.role ? (left.profile ?? "") < (right.profile ?? "") : left.role == .server
    }
}

extension GatePlace {
    /// The file from the root of a state; findings about the specification name it from `Spec/`, those about other files
    /// with `/` or `./` in front.
    package var path: String {
        if file.hasPrefix("./") { return String(file.dropFirst(2)) }
        let isWhole = file.hasPrefix("/") || file.hasPrefix("Fixtures/") || ProtocolState.parts.contains(file)
        return isWhole ? file : "Spec/\(file)"
    }

    /// Path and line, as editors open it.
    package var address: String { path + (line.map { ":\($0)" } ?? "") }
}

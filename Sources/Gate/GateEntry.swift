import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastReport
import HoldfastSchemaDiff

package struct GateEntry: Sendable {
    /// The subject of a finding, which decides how it can be settled.
    package enum Kind: String, Sendable, Hashable {
        /// The protocol changed; a new major version may do that.
        case change
        /// The change was made in the wrong way, whatever the version.
        case policy
    }

    /// The state of an error.
    package enum Status: Sendable, Equatable {
        case counts
        /// The new version is a new major version, which may break.
        case announced
        /// It was accepted, with a reason and an expiry date.
        case waived(reason: String, until: CivilDate)
    }

    package internal(set) var finding: GateFinding
    package let kind: Kind
    package internal(set) var breaks: [GateParty]
    /// The smallest version bump that it requires.
    private(set) var bump: Bump
    /// Names for the changelog, which must contain one of them; empty if none is needed.
    package let subjects: [String]
    package internal(set) var occurrences: [GateOccurrence] = []
    /// The evidence in all transcripts; nil if they were not judged.
    package internal(set) var shown: String?
    /// The findings that it summarizes; empty if it is a single finding.
    var parts: [GateFinding] = []
    /// The fingerprint of the finding for the edit that caused it; nil if it is an edit itself.
    package internal(set) var under: String?
    /// The least severity at which the gate fails.
    var threshold = GateSeverity.error
    package internal(set) var status = Status.counts

    /// A finding; by default, an error requires a new major version and anything else a minor one.
    init(
        _ finding: GateFinding, kind: Kind = .change, breaks: [GateParty] = [], bump: Bump? = nil,
        subjects: [String] = []
    ) {
        self.finding = finding
        self.kind = kind
        self.breaks = Set(breaks).sorted()
        self.bump = bump ?? (finding.severity == .error ? .major : .minor)
        self.subjects = subjects
    }

    init(
        _ rule: String, _ severity: GateSeverity, direction: GateDirection? = nil, messages: [String] = [],
        old: GateLocation? = nil, new: GateLocation? = nil, oldValue: JSONValue? = nil, newValue: JSONValue? = nil,
        why: String, witness: GateWitness? = nil, kind: Kind = .change, breaks: [GateParty] = [], bump: Bump? = nil,
        subjects: [String] = []
    ) {
        self.init(
            GateFinding(
                rule: rule, severity: severity, direction: direction, messages: messages, old: old, new: new,
                oldValue: oldValue, newValue: newValue, why: why, witness: witness),
            kind: kind, breaks: breaks, bump: bump, subjects: subjects)
    }

    /// A change that was made in the wrong way, whatever the version.
    static func policy(
        _ rule: String, messages: [String] = [], old: GateLocation? = nil, new: GateLocation? = nil,
        oldValue: JSONValue? = nil, newValue: JSONValue? = nil, why: String
    ) -> GateEntry {
        GateEntry(
            rule, .error, messages: messages, old: old, new: new, oldValue: oldValue, newValue: newValue, why: why,
            kind: .policy, bump: Bump.none)
    }

    var location: GateLocation? { finding.new ?? finding.old }

    /// Whether it is an example of other findings.
    var isEvidence: Bool { finding.rule.hasPrefix("transcript-") || finding.rule.contains("fixture") }

    package var fails: Bool { reachesThreshold && status == .counts }

    var reachesThreshold: Bool { finding.severity >= threshold }

    /// The same finding with another severity; below an error, it requires no new major version.
    func weighing(_ severity: GateSeverity) -> GateEntry {
        var entry = self
        entry.finding.severity = severity
        entry.bump = severity == .error ? bump : min(bump, .minor)
        return entry
    }

    /// The side that must deploy first, because only this side breaks if it stays behind; nil if there is no such side.
    package var first: Role? {
        let roles = Set(breaks.map(\.role))
        // Clauses concern conformance, not two peers that meet.
        guard finding.direction != nil || finding.words != nil, roles.count == 1 else { return nil }
        return roles.first
    }

    var isWaived: Bool { if case .waived = status { true } else { false } }
}

extension GateParty {
    init(_ peer: GatePeer) { self.init(peer == .server ? Role.server : Role.client, profile: nil) }
}

/// The peers that a change breaks, or that must act.
package struct GateParty: Sendable, Hashable, Comparable, CustomStringConvertible {
    package let role: Role
    /// The profile they declare; nil for all of that side.
    package let profile: String?

    /// All of a side, or those of it that declare a profile.
    package init(_ role: Role, profile: String? = nil) { (self.role, self.profile) = (role, profile) }

    package var description: String {
        let side = role == .server ? "servers" : "clients"
        return profile.map { "\(side) that declare \($0)" } ?? side
    }

    package static func < (left: GateParty, right: GateParty) -> Bool {
        left.role == right.role ? (left.profile ?? "") < (right.profile ?? "") : left.role == .server
    }
}

extension Clause {
    /// The peers that it binds.
    var party: GateParty { GateParty(role, profile: profile.rawValue) }

    var location: GateLocation { GateLocation(file: file, pointer: JSONPointer(tokens: [id.description]), line: line) }
}

extension GateLocation {
    /// The file's path from the root of a state; `file` itself is relative to `Spec/`, unless it begins with `/` or
    /// `./`, or names another part of the state.
    package var path: String {
        if file.hasPrefix("./") { return String(file.dropFirst(2)) }
        let isWhole = file.hasPrefix("/") || file.hasPrefix("Fixtures/") || ProtocolState.parts.contains(file)
        return isWhole ? file : "Spec/\(file)"
    }

    package var address: String { path + (line.map { ":\($0)" } ?? "") }
}

/// Compares the elements of one kind in two states, by a key: removed and changed ones in the order of the old state,
/// then added ones.
func compare<Element, Key: Hashable>(
    _ old: [Element], _ new: [Element], by key: (Element) -> Key, removed: (Element) -> [GateEntry],
    changed: (Element, Element) -> [GateEntry], added: (Element) -> [GateEntry]
) -> [GateEntry] {
    let after = new.keyed(by: key)
    let known = Set(old.map(key))
    return old.flatMap { was in after[key(was)].map { changed(was, $0) } ?? removed(was) }
        + new.filter { !known.contains(key($0)) }.flatMap(added)
}

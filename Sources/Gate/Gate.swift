import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastPlatform
import HoldfastReport
import HoldfastSchemaDiff

package struct GateOptions: Sendable {
    /// Older states that are still supported; the report also lists the changes that break their peers.
    package var supported: [ProtocolState] = []
    package var archive: [ArchivedTranscript] = []
    package var waivers = Waivers()
    package var severities = Severities()
    /// The least severity at which the gate fails.
    package var failOn = GateSeverity.error
    /// Performs scenarios under a specification, and counts the evidence for each clause; nil if it cannot perform any.
    package var exercise: Exercise?
    package typealias Exercise = @Sendable ([String], Specification) async throws -> [String: [ClauseID: Int]]
    package var today: CivilDate

    package init(today: CivilDate) { self.today = today }
}

/// Compares two states of a protocol: the changes, the peers they break, and whether version and changelog match.
/// - Throws: Every schema that is not usable.
package func gate(
    from old: ProtocolState, to new: ProtocolState, options: GateOptions
) async throws(InputProblems) -> GateReport {
    let transcripts = await TranscriptComparison.result(old, new, archive: options.archive)
    var entries = try await onDeepStack { comparison(from: old, to: new) }.get()
    if let exercise = options.exercise {
        await ScenarioComparison.reportLosses(in: &entries, old, new, by: exercise)
    }
    entries += transcripts.entries
    for index in entries.indices {
        if let shown = transcripts.shown(entries[index]) { entries[index].shown = shown }
    }
    let supported = options.supported.filter { $0.version.major == new.version.major }
    entries += try await transitive(supported, to: new, known: entries, by: options.severities)
    entries += DeprecationPolicy.entries(old, new, after: entries)
    func weigh(_ entries: [GateEntry]) -> [GateEntry] {
        entries.map {
            var entry = options.severities.weighed($0)
            entry.threshold = options.failOn
            return entry
        }
    }
    entries = weigh(entries).folded()
    if new.version.bump(from: old.version) == .major {
        for index in entries.indices where entries[index].kind == .change && entries[index].reachesThreshold {
            entries[index].status = .announced
        }
    }
    // Waivers first decide which version is required; then they apply to the findings about the version too.
    var waived = entries
    _ = options.waivers.apply(to: &waived, on: options.today)
    entries += weigh(VersionPolicy.entries(old, new, after: waived))
    let required = VersionPolicy.required(by: waived)
    entries += weigh(options.waivers.apply(to: &entries, on: options.today))
    return GateReport(
        old: old, new: new, entries: entries.inOrder, required: required, judgedTranscripts: transcripts.judged,
        failOn: options.failOn, supported: supported.map(\.name),
        notes: transcripts.notes
            + options.supported.filter { $0.version.major != new.version.major }.map {
                "not compared with \($0.name): \($0.version) is another major version than \(new.version), and may break"
            })
}

@Sendable private func comparison(
    from old: ProtocolState, to new: ProtocolState
) -> Result<[GateEntry], InputProblems> {
    Result { () throws(InputProblems) in
        let entries =
            try SchemaEntries.entries(old, new) + RequestSchemas.entries(old, new)
            + ClauseComparison.entries(old, new) + FactComparison.entries(old, new)
            + FixtureComparison.entries(old, new) + ScenarioComparison.entries(old, new)
        return entries + ProseComparison.entries(old, new, besides: Set(entries.compactMap(\.location?.file)))
    }
}

/// Changes that break peers of older supported versions, but not those of the last one.
private func transitive(
    _ supported: [ProtocolState], to new: ProtocolState, known: [GateEntry], by severities: Severities
) async throws(InputProblems) -> [GateEntry] {
    var known = Set(known.map(\.finding.fingerprint))
    var entries: [GateEntry] = []
    for state in supported {
        let files = await onDeepStack { comparison(from: state, to: new) }
        for entry in try files.get().map(severities.weighed) {
            let finding = entry.finding
            guard entry.kind == .change, finding.severity == .error, known.insert(finding.fingerprint).inserted else {
                continue
            }
            var derived = finding
            derived.rule = "transitive-break"
            derived.why =
                "\(finding.rule) since \(state.name) (\(state.version)), which is still supported: \(finding.why)"
            entries.append(GateEntry(derived, breaks: entry.breaks, bump: entry.bump, subjects: entry.subjects))
        }
    }
    return entries
}

extension [GateEntry] {
    /// By severity, failures first; then rules before their evidence, then by place.
    fileprivate var inOrder: [GateEntry] {
        func key(_ entry: GateEntry) -> (Int, String, Int, String) {
            let weight =
                switch entry.finding.severity {
                case _ where entry.fails: entry.kind == .change ? 0 : 2
                case .error: 4
                case .warning: 6
                case .information: 8
                }
            return (
                weight + (entry.isEvidence ? 1 : 0), entry.location?.file ?? "", entry.location?.line ?? 0,
                entry.finding.rule
            )
        }
        return sorted { key($0) < key($1) }
    }
}

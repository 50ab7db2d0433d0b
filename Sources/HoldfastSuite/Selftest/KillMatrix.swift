import Holdfast
import HoldfastJudge
import HoldfastReference
import HoldfastReport
import ReferenceClient

/// Runs the suites against the reference peers, healthy, varied, and with each named defect.
package struct KillMatrix {
    private let specification: Specification
    /// The path of the program that contains the reference peers.
    private let program: String
    private let show: ProgressDisplay?

    package init(under specification: Specification, program: String, showing show: ProgressDisplay? = nil) {
        (self.specification, self.program, self.show) = (specification, program, show)
    }

    package struct Peers {
        let defects: [Defect]
        let variations: [Variation]
        /// The dialects of healthy servers.
        let dialects: [Dialect]
        let clientDefects: [ClientDefect]
        let clientVariations: [ClientVariation]

        package init(of specification: Specification, where isWanted: (String) -> Bool) throws {
            dialects = try specification.dialects().filter { isWanted(Self.name(ofDialect: $0.name)) }
            defects = Defect.all.filter { isWanted($0.name) }
            variations = Variation.allCases.filter { isWanted($0.rawValue) }
            clientDefects = ClientDefect.all.filter { isWanted($0.name) }
            clientVariations = ClientVariation.allCases.filter { isWanted($0.rawValue) }
        }

        var hasServers: Bool { !(defects.isEmpty && variations.isEmpty && dialects.isEmpty) }
        var hasClients: Bool { !(clientDefects.isEmpty && clientVariations.isEmpty) }
        package var isEmpty: Bool { !hasServers && !hasClients }

        static func name(ofDialect name: String) -> String { "dialect-\(name)" }

        package static func names(of specification: Specification) -> [String] {
            Defect.all.map(\.name) + Variation.allCases.map(\.rawValue) + ClientDefect.all.map(\.name)
                + ClientVariation.allCases.map(\.rawValue)
                + specification.dialectNames.filter { $0 != Dialect.canonical.name }.map(name(ofDialect:))
        }
    }

    package struct Result {
        var peers: [KillMatrixPeer] = []
        /// Defects of clauses that have no check yet; nothing can catch them.
        var waiting: [KillMatrixPeer] = []
        /// Clauses with a check that neither a caught defect nor a transcript among the fixtures breaks.
        var unbroken: [ClauseID] = []
        /// Clauses that only a transcript breaks.
        var shownByTranscript: [ClauseID] = []
        var duration = Duration.zero

        /// The reports of misjudged peers, by name.
        package var reports: [(name: String, report: RunReport)] {
            peers.compactMap { peer in peer.report.map { (peer.name, $0) } }
        }

        /// Whether the healthy peers and all variations pass, dialects break only what their wire format cannot keep,
        /// every defect is caught by its own clause, and every check catches something.
        package var holds: Bool { !peers.isEmpty && peers.allSatisfy(\.holds) && unbroken.isEmpty && waiting.isEmpty }
    }

    /// Tests all peers; `isWhole` if no defect was left out, so that every check must have caught something.
    package func run(_ peers: Peers, isWhole: Bool) async throws -> Result {
        let began = ContinuousClock.now
        let checked = Set(Checks.all.map(\.clause))
        var groups: [KillMatrixGroup] = []
        if peers.hasServers {
            groups += try ServerKills(
                specification: specification, scenarios: specification.scenarios(), program: program
            ).groups(peers.defects.filter { checked.contains($0.clause) }, peers.variations, peers.dialects)
        }
        if peers.hasClients {
            groups += try ClientKills(specification: specification, scenarios: specification.clientScenarios())
                .groups(peers.clientDefects.filter { checked.contains($0.clause) }, peers.clientVariations)
        }
        let items = groups.flatMap { group in group.candidates.map { ($0.name, group.kind) } }
        let meter = Meter(Dictionary(items, uniquingKeysWith: { $1 }), flaw: .misjudged, showing: show)
        var result = Result()
        for group in groups { result.peers += try await group.run(showing: meter) }
        meter.close()
        // Defects of servers run in two groups, and are reported in the order of the list.
        let order = Dictionary(peers.defects.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { $1 })
        let indices = result.peers.indices.filter { order[result.peers[$0].name] != nil }
        let sorted = indices.map { result.peers[$0] }.sorted { order[$0.name] ?? 0 < order[$1.name] ?? 0 }
        for (index, peer) in zip(indices, sorted) { result.peers[index] = peer }
        let all = peers.defects.map { ($0.name, $0.clause) } + peers.clientDefects.map { ($0.name, $0.clause) }
        result.waiting = all.filter { !checked.contains($0.1) }.map(KillMatrixPeer.untested)
        if isWhole { try noteUnbroken(&result) }
        result.duration = .now - began
        return result
    }

    private func noteUnbroken(_ result: inout Result) throws {
        let caught = Set(result.peers.filter(\.holds).compactMap(\.clause))
        let shown = try FixtureIndex(specification.files).brokenByTranscripts
        let others = Checks.all.map(\.clause).filter { !caught.contains($0) }
        result.shownByTranscript = others.filter(shown.contains)
        result.unbroken = others.filter { !shown.contains($0) }
    }
}

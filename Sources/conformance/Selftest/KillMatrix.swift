import Foundation
import Holdfast
import Judge
import Reference
import ReferenceClient
import Report

/// Runs the suites against the reference peers, healthy, varied, and broken in each named way, and tells what was caught.
struct KillMatrix {
    let specification: Specification
    var showsProgress = false

    /// How many scenarios are performed at a time where eight were too many for the machine.
    static let jobsAlone = 2

    /// The peers that are met besides the healthy ones.
    struct Peers {
        var defects: [Defect]
        var variations: [Variation]
        /// What healthy servers speak.
        var dialects: [Dialect]
        var clientDefects: [ClientDefect]
        var clientVariations: [ClientVariation]

        /// Those whose names are wanted.
        init(of specification: Specification, where isWanted: (String) -> Bool) throws {
            dialects = try Tool.dialects(of: specification).filter {
                !$0.isCanonical && isWanted(Self.name(ofDialect: $0.name))
            }
            defects = Defect.all.filter { isWanted($0.name) }
            variations = Variation.all.filter { isWanted($0.name) }
            clientDefects = ClientDefect.all.filter { isWanted($0.name) }
            clientVariations = ClientVariation.all.filter { isWanted($0.name) }
        }

        var serverCount: Int { defects.count + variations.count + dialects.count }
        var clientCount: Int { clientDefects.count + clientVariations.count }
        var isEmpty: Bool { serverCount + clientCount == 0 }

        /// What the healthy server is called that speaks a dialect.
        static func name(ofDialect name: String) -> String { "dialect-\(name)" }

        /// All names there are.
        static func names(of specification: Specification) -> [String] {
            Defect.all.map(\.name) + Variation.all.map(\.name) + ClientDefect.all.map(\.name)
                + ClientVariation.all.map(\.name)
                + specification.dialectNames.filter { $0 != Dialect.canonical.name }.map(name(ofDialect:))
        }
    }

    /// What became of each defect and variation.
    struct Result {
        var peers: [KillMatrixPeer] = []
        /// Defects of clauses that have no check yet; nothing can catch them.
        var waiting: [KillMatrixPeer] = []
        /// Clauses with a check that neither a caught defect nor a transcript among the fixtures breaks.
        var unbroken: [ClauseID] = []
        /// Clauses that only a transcript breaks.
        var shownByTranscript: [ClauseID] = []
        var duration = Duration.zero

        /// Whether the healthy peers and all variations are green, those with a wire of their own break what it cannot keep,
        /// every defect is caught by its own clause, and no check is without something that it catches.
        var holds: Bool { !peers.isEmpty && peers.allSatisfy(\.holds) && unbroken.isEmpty && waiting.isEmpty }
    }

    /// Meets all of them; `isWhole` when no defect was left out, so that each clause must have been shown to catch.
    func run(_ peers: Peers, isWhole: Bool) async throws -> Result {
        let began = ContinuousClock.now
        var result = Result()
        let hasCheck = { (clause: ClauseID) in Checks.check(of: clause) != nil }
        result.waiting =
            peers.defects.filter { !hasCheck($0.clause) }.map { .unmet($0.name, $0.clause) }
            + peers.clientDefects.filter { !hasCheck($0.clause) }.map { .unmet($0.name, $0.clause) }
        let meter = Meter(
            items(peers, where: hasCheck), flaw: .misjudged, isShown: showsProgress, wipesWhenInterrupted: true)
        if peers.serverCount > 0 {
            result.peers += try await ServerKills(
                specification: specification, scenarios: Tool.scenarios(of: specification), meter: meter
            ).peers(peers.defects.filter { hasCheck($0.clause) }, peers.variations, peers.dialects)
        }
        if peers.clientCount > 0 {
            result.peers += try await ClientKills(
                specification: specification, scenarios: Tool.clientScenarios(of: specification), meter: meter
            ).peers(peers.clientDefects.filter { hasCheck($0.clause) }, peers.clientVariations)
        }
        meter.close()
        if isWhole { try account(&result) }
        result.duration = .now - began
        return result
    }

    /// The peers that are met, by name; a server of its own takes longer than one of this process, a client less.
    private func items(_ peers: Peers, where hasCheck: (ClauseID) -> Bool) -> [String: Int] {
        var items: [String: Int] = [:]
        if peers.serverCount > 0 { items["healthy"] = 0 }
        for variation in peers.variations { items[variation.name] = 0 }
        for dialect in peers.dialects { items[Peers.name(ofDialect: dialect.name)] = 0 }
        for defect in peers.defects where hasCheck(defect.clause) {
            items[defect.name] = ServerKills.needsStart(defect) ? 1 : 2
        }
        if peers.clientCount > 0 { items["healthy-client"] = 3 }
        for variation in peers.clientVariations { items[variation.name] = 3 }
        for defect in peers.clientDefects where hasCheck(defect.clause) { items[defect.name] = 4 }
        return items
    }

    /// Which checks were seen to catch something.
    private func account(_ result: inout Result) throws {
        let caught = Set(result.peers.filter(\.holds).compactMap(\.clause))
        let shown = try Tool.fixtures(of: specification).brokenByTranscripts
        let others = Checks.all.map(\.clause).filter { !caught.contains($0) }
        result.shownByTranscript = others.filter(shown.contains)
        result.unbroken = others.filter { !shown.contains($0) }
    }
}

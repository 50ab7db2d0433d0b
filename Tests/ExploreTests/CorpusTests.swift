import Foundation
import Holdfast
import HoldfastExplore
import HoldfastJSON
import HoldfastJudge
import TestSupport
import Testing

/// The plans of `Corpus`, each of which reaches what the ones before it do not.
///
/// `HOLDFAST_RECORD=1` searches for them anew.
@Suite struct CorpusTests {
    private static let folder = SourceTree.root + "/Tests/ExploreTests/Corpus"
    private static let size = 16
    private let explorer: Explorer

    init() throws { explorer = Explorer(under: try Specification(.embedded)) }

    @Test func `what the stored plans reach is reached again, and a healthy server keeps every clause in it`() throws {
        if Golden.isRecording { try record() }
        var coverage = Coverage()
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder).sorted()
        #expect(names.count == Self.size)
        for name in names {
            let text = try SourceTree.text("Tests/ExploreTests/Corpus/\(name)")
            let plan = try #require(Plan(text, named: "server/explored/\(name.prefix(2))"), "\(name)")
            let trial = try #require(explorer.trial(of: plan, seed: 1))
            #expect(trial.broken.isEmpty, "\(name): \(trial.broken)")
            #expect(trial.simulation.problem == nil, "\(name)")
            #expect(coverage.formUnion(explorer.coverage(of: trial)) > 0, "\(name) reaches nothing new")
        }
        let clauses = Set(coverage.marks.compactMap { $0.firstMatch(of: /^([A-Z]+-[0-9]+) pass/)?.1 })
        #expect(clauses.count >= 80, "\(clauses.count) clauses were kept")
        #expect(coverage.marks.count >= 600, "\(coverage.marks.count) situations")
    }

    private func record() throws {
        var found: [(plan: Plan, reached: Coverage)] = []
        var guide = Guide(explorer.draw)
        for seed in UInt64(1)...200 {
            let plan = guide.plan(seed: seed)
            guard let trial = explorer.trial(of: plan, seed: 1), trial.broken.isEmpty, trial.simulation.problem == nil
            else { continue }
            let reached = explorer.coverage(of: trial)
            if guide.learn(from: plan, reached) { found.append((plan, reached)) }
        }
        try? FileManager.default.removeItem(atPath: Self.folder)
        try FileManager.default.createDirectory(atPath: Self.folder, withIntermediateDirectories: true)
        var coverage = Coverage()
        for number in 1...Self.size {
            // The one that adds most to those before it.
            let best = try #require(
                found.max {
                    $0.reached.marks.subtracting(coverage.marks).count
                        < $1.reached.marks.subtracting(coverage.marks).count
                })
            coverage.formUnion(best.reached)
            var file = best.plan.file(about: [ClauseID(.TURN, 1)])
            let steps = (file["steps"]?.arrayValue ?? []).map { "    " + $0.text() }.joined(separator: ",\n")
            file["steps"] = nil
            let text = file.text(pretty: true).dropLast(2) + ",\n  \"steps\": [\n\(steps)\n  ]\n}\n"
            let name = number < 10 ? "0\(number)" : "\(number)"
            try text.write(toFile: "\(Self.folder)/\(name).json", atomically: true, encoding: .utf8)
        }
    }
}

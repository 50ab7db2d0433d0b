import HoldfastBasics
import HoldfastJudge

/// Something that people or machines do repeatedly in a life.
protocol SteeredFeature {
    var name: String { get }
    var raises: [Reach.Dimension] { get }
}

/// Tracks the progress of a life, and chooses what comes next.
///
/// It counts what was drawn, not how the subject reacted, so equal seeds draw equal rounds.
struct LifeSteering: Sendable {
    let goals: [Reach.Dimension: Int]
    private(set) var reached: [Reach.Dimension: Int] = [:]
    /// The number of times each feature was drawn, and the pairs that met in a round.
    private var drawn: [String: Int] = [:]
    private var drawnPairs: Set<Set<String>> = []

    init(_ goals: [Reach.Dimension: Int]) { self.goals = goals }

    mutating func raise(_ dimension: Reach.Dimension, to value: Int) {
        reached[dimension] = max(reached[dimension, default: 0], value)
    }

    mutating func raise(_ dimension: Reach.Dimension, by value: Int = 1) { reached[dimension, default: 0] += value }

    func isReached(_ dimension: Reach.Dimension) -> Bool {
        goals[dimension].map { reached[dimension, default: 0] >= $0 } ?? true
    }

    /// The progress of a feature: its least share of a goal; if it has reached its goals, or raises none, a number that
    /// grows with the times it was drawn.
    private func progress(_ feature: some SteeredFeature) -> Double {
        let count = Double(count(of: feature.name))
        let shares = feature.raises.compactMap { dimension in
            goals[dimension].map { Double(reached[dimension, default: 0]) / Double(max(1, $0)) }
        }
        guard let least = shares.min(), least < 1 else { return max(shares.isEmpty ? 0.8 : 1, count / 10) }
        return least + count / 100
    }

    /// Chooses features: a third are furthest behind; each of the others has met the fewest of those already chosen.
    func choose<Feature: SteeredFeature>(
        _ count: Int, of features: [Feature], by chance: inout SplitMix64,
        where fit: (Feature, Feature) -> Bool = { _, _ in true }
    ) -> [Feature] {
        var chosen: [Feature] = []
        while chosen.count < count {
            let others = features.filter { other in
                chosen.allSatisfy { $0.name != other.name && fit($0, other) }
            }
            if chosen.count < max(1, count / 3) {
                let progress = others.map(progress)
                let least = progress.min() ?? 0
                let behind = zip(others, progress).filter { $0.1 <= least + 0.05 }.map(\.0)
                guard let next = chance.any(behind) else { break }
                chosen.append(next)
                continue
            }
            let newPairs = others.map { other in chosen.count { !drawnPairs.contains([$0.name, other.name]) } }
            let best = zip(others, newPairs).filter { $0.1 == newPairs.max() }.map(\.0)
            guard let next = chance.any(best) else { break }
            chosen.append(next)
        }
        return chosen
    }

    func count(of name: String) -> Int { drawn[name, default: 0] }

    mutating func note(_ names: [String]) {
        for name in names {
            drawn[name, default: 0] += 1
            for other in names where other > name { drawnPairs.insert([name, other]) }
        }
    }

    /// The number of possible pairs of features that have met, and some that have not, in words.
    func summary<Feature: SteeredFeature>(
        of features: [Feature], where fit: (Feature, Feature) -> Bool = { _, _ in true }
    ) -> String {
        let pairs = features.indices.flatMap { index in
            features[(index + 1)...].filter { fit(features[index], $0) }.map { (features[index].name, $0.name) }
        }
        let holes = pairs.filter { !drawnPairs.contains([$0, $1]) }
        return "\(pairs.count - holes.count) of \(counted(pairs.count, "pair")) of features met"
            + (holes.isEmpty ? "" : "; not met: " + listed(holes.map { "\($0) and \($1)" }, limit: 3))
    }
}

import Holdfast

/// One shard of a run that several machines share.
package struct Shard: Sendable, Equatable, CustomStringConvertible {
    /// The number of the shard, from 1.
    package let index: Int
    package let count: Int

    static let maxCount = 1000

    /// The environment variable with the index, from 0, of an indexed Kubernetes job.
    static let variable = "JOB_COMPLETION_INDEX"

    init(_ index: Int, of count: Int) { (self.index, self.count) = (index, count) }

    /// Reads `2/3`, or `/3` if the environment has the index.
    package init(_ text: String, environment: [String: String]) throws(InputProblem) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Self.number(parts[1]), (1...Self.maxCount).contains(count) else {
            throw InputProblem(
                location: "--shard", what: "'\(clipped(text))' is not a shard",
                expected: "I/N, shard I of N from 1 to \(Self.maxCount), or /N in an indexed job",
                fix: "for example --shard 1/3")
        }
        guard parts[0].isEmpty else {
            guard let index = Self.number(parts[0]), (1...count).contains(index) else {
                throw InputProblem(
                    location: "--shard", what: "there is no shard '\(clipped(String(parts[0])))' of \(count)",
                    expected: "a number from 1 to \(count)", fix: "count the shards from 1")
            }
            self.init(index, of: count)
            return
        }
        guard let value = environment[Self.variable] else {
            throw InputProblem(
                location: "--shard", what: "'\(clipped(text))' takes the index from \(Self.variable), which is not set",
                expected: "\(Self.variable) from 0 to \(count - 1), set by Kubernetes for indexed jobs",
                fix: "give the index: --shard 1\(text)")
        }
        guard let index = Self.number(value[...]), (0..<count).contains(index) else {
            throw InputProblem(
                location: Self.variable, what: "'\(clipped(value))' is not a shard index below \(count)",
                expected: "a number from 0 to \(count - 1)",
                fix: "use the job's 'completions' as N in --shard /N")
        }
        self.init(index + 1, of: count)
    }

    /// Reads digits only, without a sign or spaces.
    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
    }

    package var description: String { "\(index)/\(count)" }

    /// The items of this shard, in order.
    ///
    /// Items are dealt round-robin by kind, so each shard gets its share of each; equal inputs give equal shards.
    package func share<Item>(of items: [Item], kind: (Item) -> Int) -> [Item] {
        let kinds = items.map(kind)
        let order = items.indices.sorted { (kinds[$0], $0) < (kinds[$1], $1) }
        let own = order.enumerated().filter { $0.offset % count == index - 1 }.map(\.element)
        return own.sorted().map { items[$0] }
    }

    package struct Part: Sendable, Equatable {
        package let shard: Shard
        package let total: Int
        /// The index of each scenario in the whole run, from 0.
        package let positions: [Int]
    }
}

extension Shard.Part {
    package init(_ shard: Shard, of plan: [String], holding scenarios: [String]) {
        let positions = Dictionary(plan.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { $1 })
        self.init(shard: shard, total: plan.count, positions: scenarios.compactMap { positions[$0] })
    }

    /// The shard of a load, whose number of histories is unknown in advance.
    package init(_ shard: Shard, holding count: Int) {
        self.init(
            shard: shard, total: count * shard.count,
            positions: (0..<count).map { $0 * shard.count + shard.index - 1 })
    }
}

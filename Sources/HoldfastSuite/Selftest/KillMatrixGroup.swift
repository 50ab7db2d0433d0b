/// Peers that are tested in the same way, several at a time.
struct KillMatrixGroup {
    struct Candidate: Sendable {
        let name: String
        let run: @Sendable (_ isAlone: Bool) async throws -> KillMatrixPeer
    }

    /// The number of scenarios performed at a time for a peer that is tested alone.
    static let jobsAlone = 2

    let candidates: [Candidate]
    /// The kind of the peers; peers of one kind take about equally long.
    let kind: Int
    let jobs: Int
    /// Whether a misjudged peer should be tested once more, alone.
    let shouldRetry: @Sendable (KillMatrixPeer) -> Bool

    init<Item: Sendable>(
        _ items: [Item], named name: (Item) -> String, kind: Int, atOnce jobs: Int,
        retry shouldRetry: @escaping @Sendable (KillMatrixPeer) -> Bool,
        _ run: @escaping @Sendable (Item, _ isAlone: Bool) async throws -> KillMatrixPeer
    ) {
        candidates = items.map { item in Candidate(name: name(item)) { try await run(item, $0) } }
        (self.kind, self.jobs, self.shouldRetry) = (kind, jobs, shouldRetry)
    }

    func run(showing meter: Meter) async throws -> [KillMatrixPeer] {
        var peers = try await withThrowingTaskGroup(of: (Int, KillMatrixPeer).self) { group in
            var waiting = candidates.enumerated().makeIterator()
            var done: [(Int, KillMatrixPeer)] = []
            func begin() {
                guard let (index, candidate) = waiting.next() else { return }
                group.addTask { [shouldRetry] in
                    meter.begin(candidate.name)
                    let peer = try await candidate.run(false)
                    if !peer.holds, shouldRetry(peer) {
                        meter.repeatLater(candidate.name)
                    } else {
                        meter.end(candidate.name, isFlawed: !peer.holds)
                    }
                    return (index, peer)
                }
            }
            for _ in 0..<jobs { begin() }
            while let result = try await group.next() {
                done.append(result)
                begin()
            }
            return done.sorted { $0.0 < $1.0 }.map(\.1)
        }
        for (index, candidate) in candidates.enumerated() where !peers[index].holds && shouldRetry(peers[index]) {
            meter.begin(candidate.name)
            var peer = try await candidate.run(true)
            meter.end(candidate.name, isFlawed: !peer.holds)
            peer.attempts += peers[index].attempts
            peers[index] = peer
        }
        return peers
    }
}

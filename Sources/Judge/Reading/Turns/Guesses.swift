/// The turns of a history of which it is a guess which question was asked, or which frames are theirs.
struct Guesses {
    /// Their places.
    private(set) var turns: Set<Int> = []

    /// Marks a turn.
    mutating func doubt(_ turn: Int) { turns.insert(turn) }

    /// The turns without those, as if others had asked them.
    func sure(of all: [ObservedTurn]) -> [ObservedTurn] {
        all.indices.filter { !turns.contains($0) }.map { all[$0] }
    }
}

/// The turns whose question or frames are a guess.
struct Guesses {
    /// Their indices.
    private(set) var turns: Set<Int> = []

    mutating func doubt(_ turn: Int) { turns.insert(turn) }

    /// The turns without these, as if others had asked them.
    func sure(of all: [ObservedTurn]) -> [ObservedTurn] {
        all.indices.filter { !turns.contains($0) }.map { all[$0] }
    }
}

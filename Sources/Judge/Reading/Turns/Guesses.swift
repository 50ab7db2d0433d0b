import HoldfastTranscript

/// What was guessed of a history when the frames without names were put to the questions they answer.
struct Guesses {
    /// Turns that such a frame could have been of, by their places.
    private(set) var turns: Set<Int> = []
    /// Those of which it could have been the question or the ending.
    private(set) var ends: Set<Int> = []
    /// The events of the frames that came in between.
    private(set) var frames: Set<Int> = []

    /// Marks turns of which it is not known who asked, or how they ended.
    mutating func doubt(_ turns: some Sequence<Int>) {
        self.turns.formUnion(turns)
        ends.formUnion(turns)
    }

    /// Marks turns that one of them had a frame, which began and ended none of them.
    mutating func doubt(_ turns: some Sequence<Int>, frame: Int) {
        self.turns.formUnion(turns)
        frames.insert(frame)
    }

    /// The same of turns that stand in other places, or nowhere.
    func moved(_ place: (Int) -> Int?) -> Guesses {
        var moved = self
        (moved.turns, moved.ends) = (Set(turns.compactMap(place)), Set(ends.compactMap(place)))
        return moved
    }

    enum Belief {
        /// All of it: the order of frames tells whose they are.
        case all
        /// What began and ended turns is known, what came in between is not.
        case ends
        /// Nothing: of a turn that a guess was made about, nothing is known.
        case none
    }

    /// The turns as far as they are believed, as if others had asked the rest.
    func turns(of all: [ObservedTurn], _ belief: Belief) -> [ObservedTurn] {
        let doubted: Set<Int>
        switch belief {
        case .all: return all
        case .ends: doubted = ends
        case .none: doubted = turns
        }
        return all.indices.filter { !doubted.contains($0) }.map { place in
            var turn = all[place]
            turn.frames.removeAll { frames.contains($0.event) }
            return turn
        }
    }

    /// Every turn, and of those that a guess was made about only the questions and what names them: enough to count them.
    ///
    /// An ack and a refusal name a question by its key, and a response over REST answers its own request.
    /// - Parameters:
    ///   - all: The turns, as they were guessed.
    ///   - key: The key that the frame of an event names.
    /// - Returns: As many turns, in the same order.
    func questions(of all: [ObservedTurn], naming key: (Int) -> String?) -> [ObservedTurn] {
        all.indices.map { place in
            guard turns.contains(place) else { return all[place] }
            var turn = ObservedTurn(
                requests: all[place].requests.map { request in
                    guard request.connection != nil else { return request }
                    func names(_ event: Int) -> Bool { key(event).map { $0 == request.clientMessageId } ?? false }
                    var request = request
                    if let ack = request.ack, !names(ack.event) { request.ack = nil }
                    if let refusal = request.refusal, !names(refusal) {
                        (request.refusal, request.refusalCode) = (nil, nil)
                    }
                    return request
                })
            turn.acks = all[place].acks.filter { $0.clientMessageId.map { $0 == turn.clientMessageId } ?? false }
            return turn
        }
    }

    /// Frames that ``turns(of:_:)`` leaves without a turn when nothing is believed: each is of one of them, and says of none.
    ///
    /// An error is not among them, for it may just as well have refused something.
    func strays(of all: [ObservedTurn]) -> [Frame] {
        turns.sorted().flatMap { all[$0].frames + all[$0].endings + all[$0].copies }
            .filter { $0.turnId == nil && $0.type != "error" }
    }
}

import HoldfastTranscript

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

    /// Every turn, and of those that a guess was made about only the questions and what names them: enough to count them.
    ///
    /// An ack and a refusal name a question by its key, and a response over REST answers its own request.
    /// - Parameters:
    ///   - all: The turns, as they were guessed.
    ///   - key: The key that the frame of an event names on its wire.
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
            turn.acks = all[place].acks.filter { ack in key(ack.event).map { $0 == turn.clientMessageId } ?? false }
            return turn
        }
    }
}

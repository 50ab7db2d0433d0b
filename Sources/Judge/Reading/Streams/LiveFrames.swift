import HoldfastTranscript

/// A number that the `done` of an accepted turn surely lies beyond.
struct StreamFloor {
    /// The turn, as an index into `Observations.turns`.
    let turn: Int
    /// The greatest number shown before the question, or by the turn's own first frames; 0 without any.
    let seq: Int
    /// The greatest of these numbers up to and with this turn.
    let highest: Int

    /// The floors of a principal's turns in one epoch, in the order of asking.
    static func all(of key: Stream.Key, _ history: Observations) -> [StreamFloor] {
        let stream = history.stream(of: key.principal, epoch: key.epoch)
        var floors: [StreamFloor] = []
        for (index, turn) in history.turns.enumerated() where turn.principal == key.principal && turn.isAccepted {
            let own = turn.frames.compactMap { stream.greatest(at: $0.event) }.max()
            let seq = [stream.greatest(before: turn.event), own].compactMap { $0 }.max() ?? 0
            floors.append(StreamFloor(turn: index, seq: seq, highest: max(seq, floors.last?.highest ?? seq)))
        }
        return floors
    }
}

/// What came live on one connection.
struct LiveFrames {
    /// The numbered frames, in order.
    let frames: [Frame]
    /// Their numbers, and those of frames of types that this version does not know.
    let numbers: Set<Int>
    /// Numbers that need not come: those of its own questions (TURN-11).
    let unowed: Set<Int>

    init(on connection: Int, _ history: Observations) {
        let received = history.connections[connection].received
        frames = received.filter { history.isNumbered($0) }
        numbers = Set(received.filter(NumberedFrame.mayBeNumbered).compactMap(\.seq))
        let asked: [Frame] = history.index.turns(on: connection).flatMap { index in
            history.turns[index].frames + history.turns[index].replayed
        }
        let questions: [Frame] = asked.filter { $0.type == "message" }
        unowed = Set(questions.compactMap(\.seq)).subtracting(numbers)
    }
}

extension Replay {
    /// The wanted frames that are surely among those promised.
    func promised(in history: Observations) -> [NumberedFrame] {
        wanted.values.filter { history.isPromised($0, in: self) }
    }
    /// Whether more pages were to come that nobody asked for.
    var isCutShort: Bool { result.hasMore }
}

extension Frame {
    /// What a `syncResult` says of itself: whether it is whole; nil where it says neither.
    var complete: Bool? { self["complete"]?.boolValue }
    /// Whether a `syncResult` is a page that others follow.
    var hasMore: Bool { self["more"]?.boolValue == true }
}

extension ObservedSync {
    /// What it asks for, as findings say it.
    var words: String {
        "epoch \(shown(request.epoch)), lastSeqSeen \(lastSeqSeen.map(String.init) ?? "none")"
    }
}

import HoldfastTranscript

/// A lower bound for the number of an accepted turn's `done`.
struct StreamFloor {
    /// The turn, as an index of `Observations.turns`.
    let turn: Int
    /// The greatest number shown before the question, or by the turn's own first frames; 0 if there is none.
    let seq: Int
    /// The maximum over the turns up to this one.
    let highest: Int

    /// The bounds for a principal's turns in one epoch, in order.
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

/// The live frames on one connection.
struct LiveFrames {
    /// The numbered frames, in order.
    let frames: [Frame]
    /// Their numbers, and those of frames with types outside this version.
    let numbers: Set<Int>
    /// Numbers that need not arrive: those of its own questions (TURN-11).
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
    /// The wanted frames that are certainly covered by the replay promise.
    func promised(in history: Observations) -> [NumberedFrame] {
        wanted.values.filter { history.isPromised($0, in: self) }
    }
    /// Whether further pages were available but not requested.
    var isCutShort: Bool { result.hasMore }
}

extension Frame {
    /// Whether a `syncResult` says that it is complete; nil if it does not say.
    var complete: Bool? { self["complete"]?.boolValue }
    var hasMore: Bool { self["more"]?.boolValue == true }
}

extension ObservedSync {
    /// The request in the words of a finding.
    var words: String {
        "epoch \(shown(request.epoch)), lastSeqSeen \(lastSeqSeen.map(String.init) ?? "none")"
    }
}

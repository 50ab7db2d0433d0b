import HoldfastTranscript

struct LiveFrames {
    /// The numbered frames, in order.
    let frames: [Frame]
    /// Their numbers, and those of frames with types outside this version.
    let numbers: Set<Int>
    /// The numbers of the questions asked on this connection, and those of them that need not arrive (TURN-11).
    let (own, unowed): (Set<Int>, Set<Int>)

    init(on connection: Int, _ history: Observations) {
        let received = history.connections[connection].received
        frames = received.filter(NumberedFrame.isNumbered)
        numbers = Set(received.filter(NumberedFrame.mayBeNumbered).compactMap(\.seq))
        let asked: [Frame] = history.turns(on: connection).flatMap { $0.frames + $0.replayed }
        let questions: [Frame] = asked.filter { $0.kind == .message }
        let own = Set(questions.compactMap(\.seq))
        (self.own, unowed) = (own, own.subtracting(numbers))
    }

    /// Whether a frame shown elsewhere also arrived here, under its number or, unless it is a `toolUse`, another.
    func hasReceived(_ item: NumberedFrame) -> Bool {
        numbers.contains(item.seq)
            || item.frame.kind != .toolUse && frames.contains { $0.identity == item.frame.identity }
    }
}

extension Replay {
    func promised(in history: Observations) -> [NumberedFrame] {
        wanted.values.filter { history.isPromised($0, in: self) }.sorted { $0.seq < $1.seq }
    }
}

extension Frame {
    /// Whether a `syncResult` says that it is complete; nil if it does not say.
    var complete: Bool? { self["complete"]?.boolValue }
    var hasMore: Bool { self["more"]?.boolValue == true }
    var isQuestion: Bool { kind == .message && string("role") == "user" }
}

extension ObservedSync {
    var words: String { "epoch \(shown(request.epoch)), lastSeqSeen \(lastSeqSeen.map(String.init) ?? "none")" }
}

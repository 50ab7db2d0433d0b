import Holdfast
import HoldfastJSON

/// The whole server without its sockets, disk and clock: takes inputs, returns effects.
///
/// All decisions are made here, on one thread, one input at a time. That makes three hard promises easy: a principal's
/// stream has one order, a `sync` is atomic, and a test can replay any interleaving. Slow work (disk, agent, network)
/// is an effect whose outcome returns as an input.
struct ServerCore: Sendable {
    let rules: CoreRules
    let reader: MessageReader
    let shaper: FrameShaper
    var ids: IDSource
    /// Identifies this run's numbering: replay lives in memory, so positions end with the process.
    var epoch: String

    var now = Moment(steady: 0, wall: 0)
    var effects: [Effect] = []
    var connections = Connections()
    var streams: [String: ReplayBuffer] = [:]
    var sessions = SessionStore()
    var ledger = IdempotencyLedger()
    var rates: [String: RateWindow] = [:]
    var queue = TurnQueue()
    /// Turns without an ending, by id.
    var turns: [String: LiveTurn] = [:]
    var writes: [Int: Write] = [:]
    var timers: [Int: String] = [:]
    var outbox = PushOutbox()
    /// Devices whose first notice is retried when a timer fires.
    var pushTimers: [Int: String] = [:]
    /// Connections that asked a question and still wait for its `ack`, by turn.
    var dueAcks: [String: Int] = [:]
    /// Turns whose `ack` is due when a timer fires.
    var ackTimers: [Int: String] = [:]
    var isStopping = false
    var replies = Replies()
    var mockRules = MockRules()
    /// Whether the numbering continues that of another process, so that interrupted turns are ended in the same stream.
    var continuesStream = false
    /// Answers sent live, with no sign of life since.
    var maybeUnseen: [MaybeUnseenAnswer] = []
    var lastBeat: Int?

    private var counter = 0
    private var lastStamp = 0

    enum Write: Sendable {
        case question(StoredRecord.Post)
        case ending(StoredRecord.Ending)
        /// An unsolicited message of the agent; devices are notified always, or only if no device receives it live.
        case remark(StoredRecord.Post, notice: PushNotice, isPushed: Bool)
    }

    init(rules: CoreRules, records: [StoredRecord], ids: IDSource = IDSource()) {
        self.rules = rules
        self.ids = ids
        reader = MessageReader(callsOddIDsUnknown: rules.variations.contains(.sessionNotFoundForOddIDs))
        shaper = FrameShaper(variations: rules.variations, keeps: rules.keeps)
        self.ids.isLong = rules.variations.contains(.longIDs)
        let name = self.ids.next("epo")
        let odd = String(("\"é/\\ {#1} ⏱ " + name + String(repeating: "~", count: 128)).unicodeScalars.prefix(128))
        epoch = rules.onlyEpoch ?? (rules.variations.contains(.longEpoch) ? odd : name)
        queue.isShared = rules.sharesOneQueue
        for record in records { restore(record) }
        lastStamp = sessions.newest
        continuesStream = rules.keepsStream
        effects = []
    }

    /// Restores the in-memory state of an earlier process of the same server; call it before the first input.
    mutating func remember(_ memory: ServerMemory) {
        mockRules = memory.mockRules
        replies = memory.replies
        guard memory.keepsEpoch else { return }
        epoch = memory.epoch
        streams = memory.streams
        continuesStream = true
    }

    func memory(keepingEpoch keepsEpoch: Bool) -> ServerMemory {
        ServerMemory(epoch: epoch, streams: streams, mockRules: mockRules, replies: replies, keepsEpoch: keepsEpoch)
    }

    var hasNoPendingPushes: Bool { outbox.isEmpty }

    var isIdle: Bool { turns.isEmpty && writes.isEmpty }

    mutating func handle(_ input: Input, at moment: Moment) -> [Effect] {
        now = moment
        switch input {
        case .started: closeInterrupted()
        case .opened(let socket, let principal): open(socket, upgradePrincipal: principal)
        case .received(let socket, let received): receive(received, on: socket)
        case .heard(let socket, let time): connections[socket]?.hear(at: time ?? now.steady)
        case .ended(let socket): leave(socket)
        case .asked(let request, let asked): answer(asked, request: request)
        // A disconnect cancels nothing (TURN-6).
        case .left: break
        case .stored(let write, let succeeded): stored(write, succeeded)
        case .pushed(_, let device, let outcome): pushed(to: device, outcome)
        case .elapsed(let timer):
            if let device = pushTimers.removeValue(forKey: timer) { deliver(to: device) }
            if let turn = ackTimers.removeValue(forKey: timer).flatMap({ turns[$0] }) { sendDueAck(of: turn) }
            if let turn = timers.removeValue(forKey: timer) { advance(turn) }
        case .beat: beat()
        case .stopping: stop()
        }
        defer { effects.removeAll(keepingCapacity: true) }
        return effects
    }

    private mutating func closeInterrupted() {
        // In the order of creation, so that equal records lead to equal writes.
        for session in sessions.all.sorted(by: { $0.createdAt < $1.createdAt }) {
            for turn in session.turns where turn.ending == nil {
                store(Self.interrupted, of: turn.id, in: session.id)
            }
        }
    }

    // MARK: what the parts share

    mutating func nextNumber() -> Int {
        counter += 1
        return counter
    }

    /// The time of a record: later than any other, even if the clock was set back.
    mutating func stamp() -> Int {
        lastStamp = max(lastStamp + 1, now.wall)
        return lastStamp
    }

    mutating func store(_ record: StoredRecord, as purpose: Write) {
        let write = nextNumber()
        writes[write] = purpose
        effects.append(.store(write: write, [record]))
    }

    /// Stores how a turn ended; the ending is announced after that.
    mutating func store(_ ending: TurnEnding, of turn: String, in session: String) {
        let record = StoredRecord.Ending(session: session, turn: turn, ending: ending, at: stamp())
        store(.ending(record), as: .ending(record))
    }

    static let interrupted = TurnEnding.failed(
        code: ErrorCode.interrupted.rawValue, text: "the server stopped while this turn ran")

    mutating func send(_ frame: JSONValue, to socket: Int) {
        guard let connection = connections[socket], !connection.isClosing else { return }
        let frame = shaper.shape(frame)
        effects.append(.send(to: [socket], Outgoing(frame: frame, text: shaper.text(ofShaped: frame))))
        if rules.variations.contains(.extraPings) { effects.append(.ping(socket: socket)) }
    }

    mutating func close(_ socket: Int, code: UInt16, reason: String) {
        guard let connection = connections[socket], !connection.isClosing else { return }
        connections[socket]?.isClosing = true
        effects.append(.close(socket: socket, code: code, reason: reason))
    }

    private mutating func restore(_ record: StoredRecord) {
        sessions.apply(record)
        if rules.keepsStream { restream(record) }
        if case .question(let question) = record { ledger.record(question) }
    }
}

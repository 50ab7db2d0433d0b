import Holdfast
import HoldfastJSON

/// The whole server without its sockets, its disk and its clock: inputs go in, effects come out.
///
/// Everything that decides is here and runs on one thread, one input after the other. That makes three hard promises cheap:
/// the stream of a principal has one order, a `sync` sees a moment in which nothing else happens, and a test can replay any
/// interleaving. What takes time (disk, agent, network) is an effect whose outcome comes back as an input.
struct ServerCore: Sendable {
    let rules: CoreRules
    let reader: MessageReader
    let shaper: FrameShaper
    var ids: IDSource
    /// Names this run's numbering: replay lives in memory, so no position outlives the process.
    var epoch: String

    var now = Moment(steady: 0, wall: 0)
    var effects: [Effect] = []
    var connections = Connections()
    var streams: [String: ReplayBuffer] = [:]
    var sessions = SessionStore()
    var ledger = IdempotencyLedger()
    var rates: [String: RateWindow] = [:]
    var queue = TurnQueue()
    /// Turns that did not end yet, by their id.
    var turns: [String: LiveTurn] = [:]
    var writes: [Int: Write] = [:]
    var timers: [Int: String] = [:]
    var outbox = PushOutbox()
    /// Devices whose first notice is tried again when a wait is over.
    var pushTimers: [Int: String] = [:]
    /// Connections that asked a question and have no `ack` yet, by the turn.
    var dueAcks: [String: Int] = [:]
    /// Turns whose `ack` is due when a timer ends.
    var ackTimers: [Int: String] = [:]
    var isStopping = false
    /// What the agent says, where that is not an echo.
    var replies = Replies()
    /// What was ordered for questions to come.
    var standing = StandingOrders()
    /// Whether the numbering is that of another process, so that what its end broke belongs into the stream.
    var goesOn = false
    /// Answers that went out live and that nobody has shown a sign of life since.
    var unheard: [UnheardAnswer] = []
    /// When time was last looked at.
    var lastBeat: Int?

    private var counter = 0
    private var lastStamp = 0

    /// What waits for the disk.
    enum Write: Sendable {
        case question(StoredRecord.Question)
        case ending(StoredRecord.Ending)
        /// What the agent says of its own accord; devices are told of it always, or when nobody takes it live.
        case remark(StoredRecord.Remark, notice: PushNotice, isPushed: Bool)
    }

    /// A server that knows these records from before.
    init(rules: CoreRules, records: [StoredRecord], ids: IDSource = IDSource()) {
        self.rules = rules
        self.ids = ids
        reader = MessageReader(callsOddIDsUnknown: rules.variations.contains(.sessionNotFoundForOddIDs))
        shaper = FrameShaper(variations: rules.variations, keeps: rules.keeps)
        self.ids.isLong = rules.variations.contains(.longIDs)
        let name = self.ids.next("epo")
        let odd = String(("\"é/\\ {#1} ⏱ " + name + String(repeating: "~", count: 128)).unicodeScalars.prefix(128))
        epoch = rules.onlyEpoch ?? (rules.variations.contains(.longEpoch) ? odd : name)
        queue.isShared = rules.hasOneLine
        for record in records { restore(record) }
        lastStamp = sessions.newest
        goesOn = rules.keepsStream
        effects = []
    }

    /// Takes over what another process of the same server knew in memory alone; before the first input.
    mutating func remember(_ memory: ServerMemory) {
        standing = memory.standing
        replies = memory.replies
        guard memory.keepsEpoch else { return }
        epoch = memory.epoch
        streams = memory.streams
        goesOn = true
    }

    /// What is in memory alone.
    func memory(keepingEpoch keepsEpoch: Bool) -> ServerMemory {
        ServerMemory(epoch: epoch, streams: streams, standing: standing, replies: replies, keepsEpoch: keepsEpoch)
    }

    /// Whether no notice is on its way.
    var isQuiet: Bool { outbox.isEmpty }

    /// Whether no turn runs and no record waits for the disk.
    var isIdle: Bool { turns.isEmpty && writes.isEmpty }

    /// Takes in what happened and tells what to do about it, in order.
    mutating func handle(_ input: Input, at moment: Moment) -> [Effect] {
        now = moment
        switch input {
        case .started: closeInterrupted()
        case .opened(let socket, let principal): open(socket, admitted: principal)
        case .received(let socket, let received): receive(received, on: socket)
        case .heard(let socket, let time): connections[socket]?.hear(at: time ?? now.steady)
        case .ended(let socket): leave(socket)
        case .asked(let request, let asked): answer(asked, request: request)
        // Leaving cancels nothing (TURN-6).
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

    /// Closes the turns that the end of the last process interrupted.
    private mutating func closeInterrupted() {
        // In the order in which they began: what is stored is the same for the same records.
        for session in sessions.all.sorted(by: { $0.createdAt < $1.createdAt }) {
            for turn in session.turns where turn.ending == nil {
                store(Self.interrupted, of: turn.id, in: session.id)
            }
        }
    }

    // MARK: what the parts share

    /// A number for a request to the outside that nothing else has.
    mutating func nextNumber() -> Int {
        counter += 1
        return counter
    }

    /// The time of a record: later than that of any other, also when the clock was set back.
    mutating func stamp() -> Int {
        lastStamp = max(lastStamp + 1, now.wall)
        return lastStamp
    }

    mutating func store(_ record: StoredRecord, as purpose: Write) {
        let write = nextNumber()
        writes[write] = purpose
        effects.append(.store(write: write, [record]))
    }

    /// Stores how a turn ended, and tells of it then.
    mutating func store(_ ending: TurnEnding, of turn: String, in session: String) {
        let record = StoredRecord.Ending(session: session, turn: turn, ending: ending, at: stamp())
        store(.ending(record), as: .ending(record))
    }

    /// How a turn ends that the end of the server has cut short.
    static let interrupted = TurnEnding.failed(
        code: ErrorCode.interrupted.rawValue, text: "the server stopped while this turn ran")

    /// Sends a frame that belongs to one connection alone.
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
        if rules.keepsStream { say(record) }
        guard case .question(let question) = record else { return }
        ledger.record(
            IdempotencyLedger.Entry(
                session: question.session, turn: question.turn, message: question.message, content: question.content),
            under: question.key, of: question.principal)
    }
}

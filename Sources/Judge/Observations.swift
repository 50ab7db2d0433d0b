import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// The facts of a history, each derived once, for all checks.
///
/// Everything here is derived from the events alone; indices called `event` point into `history.events`. Facts of
/// single events come first. The turn of a frame may be a guess; guesses and their consequences are below
/// ``questions``, and can be omitted.
///
/// A class, because it is passed to every check.
final class Observations {
    let history: History
    /// Whether the wire has acks; it may have none if its dialect generates the ids.
    let hasAcks: Bool
    let timeouts: Timeouts
    private let latenessClock: LatenessClock
    let lives: SubjectLives
    /// The schemas under the profiles the subject declares.
    let schemas: MessageSchemas
    /// The schemas that apply under any declaration.
    let coreSchemas: MessageSchemas
    /// The state table of a client's message; nil for a server.
    let messageTable: StateTable?
    /// The events of questions whose frames have guessed ids.
    private let inDoubt: Set<Int>
    private let isWithoutGuesses: Bool
    /// Memory for validating one message after another.
    var tape = JSONTape()

    /// WebSocket connections, in the order in which they were requested.
    let connections: [ObservedConnection]
    /// Every frame the server sent on any connection, in the order of time.
    let received: [Frame]
    /// Every frame sent to the server on any connection, in the order of time.
    let sent: [Frame]
    /// HTTP exchanges, in the order of their requests.
    let exchanges: [ObservedExchange]
    /// The client as a program; empty if the subject is a server.
    let client: ObservedClient

    /// Derives the facts of a history; `inDoubt` are the events of questions with guessed ids.
    ///
    /// With `isWithoutGuesses`, the guessed turns are omitted.
    init(
        _ history: History, under specification: Specification, hasAcks: Bool = true, inDoubt: Set<Int> = [],
        isWithoutGuesses: Bool = false
    ) {
        (self.history, self.hasAcks, self.inDoubt) = (history, hasAcks, inDoubt)
        self.isWithoutGuesses = isWithoutGuesses
        let subject = history.header.subject
        latenessClock = LatenessClock(history.header.lateness)
        timeouts = history.header.capture == nil ? history.header.timeouts : .ofCaptures(history.header.timeouts)
        lives = SubjectLives(history)
        schemas = specification.schemasOfSent(for: subject.profiles)
        coreSchemas = specification.messageSchemas(for: [])
        messageTable = subject.role == .client ? specification.states(of: "message", .client) : nil
        (connections, received, sent) = ObservedConnection.all(in: history)
        exchanges = ObservedExchange.all(in: history)
        client = ObservedClient(history, connections: connections, exchanges: exchanges)
    }

    // MARK: Facts of single events

    /// The acts of the stage after which the subject does nothing more, in time order.
    private(set) lazy var halts = events.indices.filter { index in
        guard case .act(let name, _) = events[index].kind else { return false }
        return ["kill", "stop", "exit"].contains(name)
    }
    /// The server's frames of a type that this specification defines for servers.
    private(set) lazy var receivedOfKnownType: [Frame] = {
        let known = Set(schemas.types(sentBy: .server))
        return received.filter { $0.type.map(known.contains) ?? false }
    }()
    private(set) lazy var handshakes = Handshake.all(
        on: connections, schemas: coreSchemas, checksTokens: profiles.contains(.auth))
    /// Successful session reads, in the order of the responses.
    private(set) lazy var sessionReads = exchanges.compactMap(ObservedSessionRead.init)
    private(set) lazy var readsBySession = Dictionary(grouping: sessionReads, by: \.name)
    /// Successful list reads, in the order of the responses.
    private(set) lazy var listReads = exchanges.compactMap(ObservedListRead.init)
    /// The positions of the questions and answers in each session read, by its event.
    private lazy var storedIndices = Dictionary(
        sessionReads.map { ($0.event, StoredIndices($0)) }, uniquingKeysWith: { first, _ in first })
    private lazy var exchangesByResponse = Dictionary(
        exchanges.compactMap { exchange in exchange.response.map { ($0, exchange) } },
        uniquingKeysWith: { first, _ in first })
    private lazy var connectionsByPrincipal = Dictionary(grouping: connections.indices) { connections[$0].principal }
    /// The kind of each message that the server must not, or need not, accept, by event.
    private lazy var hostileKinds = HostileFrame.kinds(
        in: history, on: connections, schemas: coreSchemas, hasSync: profiles.contains(.sync))
    private(set) lazy var syncs = ObservedSync.all(on: connections, hostile: hostileKinds, isCapture: isCapture)
    /// Every numbered frame shown to anyone, in the order of time; a replay in the order of its list.
    private(set) lazy var shown = NumberedFrame.all(on: connections, syncs: syncs)
    private(set) lazy var streams = Stream.all(in: shown)
    private(set) lazy var replays = Replay.all(of: syncs, on: connections, from: streams)
    private(set) lazy var pushes = ObservedPush.all(in: history)
    /// Every frame of the server: those of connections, then those of replays, each in time order.
    private(set) lazy var allFrames = received + syncs.flatMap(\.missed)
    /// The schema problems of each frame of a known type and of each body, by event.
    private(set) lazy var schemaProblems: [Int: [MessageProblem]] = {
        var problems: [Int: [MessageProblem]] = [:]
        func check(_ value: JSONValue?, at event: Int) {
            guard let value, let name = schemas.name(of: value) else { return }
            let found = schemas.validate(value, as: name, in: &tape)
            if !found.isEmpty { problems[event] = found }
        }
        for frame in receivedOfKnownType { check(frame.stated, at: frame.event) }
        for exchange in exchanges where exchange.route != .other {
            if let response = exchange.response { check(exchange.stated, at: response) }
        }
        return problems
    }()
    /// The subject's messages on each connection, each with the event that it answers: for a server its pongs, for a
    /// client all of them.
    private(set) lazy var roundTrips = connections.indices.map { index -> [(asked: Int, stated: Int)] in
        subject.role == .client
            ? connections[index].sent.map { ($0.event, $0.event) }
            : pings(on: index).compactMap { ping in ping.pong.map { (ping.request.event, $0.event) } }
    }

    // MARK: Facts of a client

    private(set) lazy var samples = ScreenSample.all(in: history, by: client)
    private(set) lazy var clientQuestions = ClientQuestion.reconstructed(in: self)
    /// Everything that brought the client a message, in time order.
    private(set) lazy var clientDeliveries = ClientDelivery.reconstructed(in: self)
    private(set) lazy var clientPositions = ClientPositions(self)
    private(set) lazy var clientMessages = ClientMessages(self)
    private(set) lazy var messageModel = MessageModel(self)

    // MARK: Turns

    /// Questions asked in this history, with everything the server said about each, in the order of asking.
    private(set) lazy var questions = TurnReconstruction.turns(in: self, hostile: hostileKinds, inDoubt: inDoubt)
    /// The guessed turns, even if they are omitted elsewhere.
    private(set) lazy var guessedTurns = questions.filter(\.isGuessed)
    /// The questions that checks judge, without guessed turns if guesses are omitted.
    ///
    /// Turns without a question in this history are legal (another device, a schedule) and are not listed.
    private(set) lazy var turns = isWithoutGuesses ? questions.filter { !$0.isGuessed } : questions
    /// The turns by their session, in the order of asking; nil is the key of turns with an unknown session.
    private(set) lazy var turnsBySession = Dictionary(grouping: turns, by: \.session)
    private lazy var turnsByConnection = turns.reduce(into: [Int: [ObservedTurn]]()) { known, turn in
        for connection in Set(turn.requests.compactMap(\.connection)) { known[connection, default: []].append(turn) }
    }
    private lazy var turnsByWords = Dictionary(grouping: turns) { ExactString($0.request.prompt) }
    private(set) lazy var sessions = SessionKnowledge(self)
    private(set) lazy var rateLedger = RateLedger(self)
    /// Messages that the server must not, or need not, accept, with their answers, in time order.
    private(set) lazy var hostileFrames = HostileFrame.all(of: hostileKinds, in: self)

    // MARK: Lookups

    /// The turns that were asked, or repeated, on a connection, in the order of asking.
    func turns(on connection: Int) -> [ObservedTurn] { turnsByConnection[connection] ?? [] }

    func turns(asking text: String) -> [ObservedTurn] { turnsByWords[ExactString(text)] ?? [] }

    func connections(of principal: String) -> [Int] { connectionsByPrincipal[principal] ?? [] }

    func reads(of session: String, by principal: String) -> [ObservedSessionRead] {
        readsBySession[ScopedName(session, of: principal)] ?? []
    }

    func exchange(ofResponse event: Int) -> ObservedExchange? { exchangesByResponse[event] }

    /// The first problem that a clause covers in the server's frame or response at an event.
    func problem(at event: Int?, of clause: ClauseID) -> MessageProblem? {
        schemaProblems.isEmpty ? nil : event.flatMap { schemaProblems[$0] }?.first { $0.clause == clause }
    }

    func hostileKind(of event: Int) -> HostileFrame.Kind? { hostileKinds[event] }

    func places(in read: ObservedSessionRead) -> StoredIndices { storedIndices[read.event] ?? StoredIndices(read) }

    func read(in exchange: ObservedExchange) -> ObservedSessionRead? {
        exchange.response.flatMap { storedIndices[$0]?.read }
    }

    var events: [Event] { history.events }
    var frames: [Frame?] { history.frames }
    var subject: History.Subject { history.header.subject }
    var profiles: Set<Profile> { subject.profiles }
    /// Nil for a history that a stage recorded.
    var capture: History.Capture? { history.header.capture }

    var knowsTimes: Bool { capture?.lacks.contains(.times) != true }

    /// The time of an event, in microseconds since the history began; at most 2^52, so that sums stay in range.
    func time(of event: Int) -> Int { min(history.events[event].at, 1 << 52) }

    /// The time of an event on the clock for bounds, which runs more slowly while the machine is late.
    ///
    /// Use it for lateness, and ``time(of:)`` for events that are too early or too frequent.
    func effectiveTime(of event: Int) -> Int { effectiveTime(at: time(of: event)) }

    func effectiveTime(at moment: Int) -> Int { latenessClock.time(at: moment) }

    func wasLate(from first: Int, to last: Int) -> Bool {
        latenessClock.wasLate(from: time(of: first), to: time(of: last))
    }
}

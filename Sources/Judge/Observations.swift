import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// The facts of a history, derived once for all checks.
///
/// Everything here is derived from the events alone; indices called `event` point into `history.events`. Facts of
/// single events come first. The turn of a frame may be a guess; it and its consequences are below ``turns``, and
/// depend on how far guesses are believed.
///
/// An object, because every check hands it on; it changes only while it is made.
final class Observations {
    let history: History
    /// Whether the wire has acks; one whose names are made by its dialect may have none.
    let hasAcks: Bool
    /// The bounds the stage waited by.
    let timeouts: Timeouts
    private let patientClock: PatientClock
    /// The lives of the subject's process, and the faults of its disk.
    let lives: SubjectLives
    /// The acts of the stage after which the subject does nothing more, in the order of time.
    let halts: [Int]
    /// The schemas under the profiles the subject declares.
    let schemas: MessageSchemas
    /// The schemas that hold whatever the subject declares.
    let coreSchemas: MessageSchemas

    /// WebSocket connections, in the order in which they were asked for.
    let connections: [ObservedConnection]
    /// Every frame the server sent on any connection, in the order of time.
    let received: [Frame]
    /// Those of them whose type this specification defines for servers.
    let receivedOfKnownType: [Frame]
    /// Every frame sent to the server on any connection, in the order of time.
    let sent: [Frame]
    /// Every handshake that was begun in order: an `auth` as the first frame, valid except perhaps for its version and
    /// its token.
    let handshakes: [Handshake]
    /// HTTP exchanges, in the order of their requests.
    let exchanges: [ObservedExchange]
    /// Conversations as REST showed them, in the order of the responses.
    let sessionReads: [ObservedSessionRead]
    /// Lists of conversations as REST showed them, in the order of the responses.
    let listReads: [ObservedListRead]
    /// Requests for missed frames with their answers, in the order of asking.
    let syncs: [ObservedSync]
    /// Every numbered frame shown to anyone, in the order of time; a replay in the order of its list.
    let shown: [NumberedFrame]
    /// The same frames by the stream they belong to.
    let streams: [Stream.Key: Stream]
    /// Each replay whose position means something: it names the epoch of the answer, or is 0.
    let replays: [Replay]
    /// Requests to the push service, in the order of time.
    let pushes: [ObservedPush]
    /// Every frame that told a client something, those of a connection before those of replays, each in the order of time.
    let framesTold: [Frame]
    /// Where the questions and answers of each session read stand; made of a server's alone.
    private let storedPlaces: [Int: StoredPlaces]
    /// The client as a program; empty where the subject is a server.
    let client: ObservedClient
    /// Every moment at which its screen was looked at, in order; empty where the subject is a server.
    private(set) var looks: [Look] = []
    /// The person's messages and their fate; empty for a server.
    private(set) var clientQuestions: [ClientQuestion] = []
    /// Everything that brought a client a message, in the order of time; empty where the subject is a server.
    private(set) var clientDeliveries: [ClientDelivery] = []
    /// The client's knowledge of its place in the stream, and of messages; computed on first use.
    private(set) lazy var clientPlaces = ClientPlaces(self)
    private(set) lazy var clientMessages = ClientMessages(self)
    /// The schema problems of each frame of a known type and of each body, by event; computed on first use.
    private(set) lazy var schemaProblems: [Int: [MessageProblem]] = {
        var problems: [Int: [MessageProblem]] = [:]
        var tape = JSONTape()
        func take(_ value: JSONValue?, at event: Int) {
            guard let value, let name = schemas.name(of: value) else { return }
            let found = schemas.validate(value, as: name, in: &tape)
            if !found.isEmpty { problems[event] = found }
        }
        for frame in receivedOfKnownType { take(frame.said, at: frame.event) }
        for exchange in exchanges where exchange.route != .other {
            if let response = exchange.response { take(exchange.said, at: response) }
        }
        return problems
    }()
    /// The subject's messages on each connection, each with the event that it answers; computed on first use.
    var knownRoundTrips: [Int: [(asked: Int, said: Int)]] = [:]
    /// The messages of the person, run through their states; made when first asked for.
    private(set) lazy var messageModel = MessageModel(self)
    /// The state table of a client's message; nil for a server.
    let messageTable: StateTable?
    /// The problem of each message that the server may not simply accept, by event.
    private let hostileKinds: [Int: HostileFrame.Kind]

    /// Questions asked in this history, with everything the server said about each, in the order of asking.
    ///
    /// Turns without a question in this history are legal (another device, a schedule) and are not listed.
    private(set) var turns: [ObservedTurn] = []
    /// The same questions for who only counts them: where turns are left out because of a guess, what was asked in them stays.
    private(set) var questions: [ObservedTurn] = []
    /// Turns that a guess was made about, also where they are left out.
    private(set) var guessedTurns: [ObservedTurn] = []
    /// Which conversations the server named, and when.
    private(set) var sessions = SessionKnowledge()
    /// Messages to the server that it may not simply take, with their answers, in the order of time.
    private(set) var hostileFrames: [HostileFrame] = []
    /// Where to find the turns, reads and exchanges that checks ask for.
    private(set) var index = ObservationIndex()

    /// Puts a history in order; its wire may have had no acks, and the questions of some events names that are a guess.
    init(
        _ history: History, under specification: Specification, hasAcks: Bool = true, inDoubt: Set<Int> = []
    ) {
        (self.history, self.hasAcks) = (history, hasAcks)
        patientClock = PatientClock(history.header.lateness)
        timeouts = history.header.capture == nil ? history.header.timeouts : .ofCaptures(history.header.timeouts)
        lives = SubjectLives(history)
        halts = history.events.indices.filter { index in
            guard case .act(let name, _) = history.events[index].kind else { return false }
            return ["kill", "stop", "exit"].contains(name)
        }
        let profiles = history.header.subject.profiles
        schemas = specification.schemasOfSent(for: profiles)
        coreSchemas = specification.messageSchemas(for: [])
        (connections, received, sent) = ObservedConnection.all(in: history)
        let known = Set(schemas.types(sentBy: .server))
        receivedOfKnownType = received.filter { $0.type.map(known.contains) ?? false }
        handshakes = Handshake.all(on: connections, schemas: coreSchemas, checksTokens: profiles.contains(.auth))
        exchanges = ObservedExchange.all(in: history)
        sessionReads = exchanges.compactMap(ObservedSessionRead.init)
        listReads = exchanges.compactMap(ObservedListRead.init)
        hostileKinds = HostileFrame.kinds(
            in: history, on: connections, schemas: coreSchemas, hasSync: profiles.contains(.sync))
        syncs = ObservedSync.all(
            on: connections, hostile: hostileKinds, isCapture: history.header.capture != nil)
        shown = NumberedFrame.all(on: connections, syncs: syncs)
        streams = Stream.all(in: shown)
        replays = Replay.all(of: syncs, on: connections, from: streams)
        pushes = ObservedPush.all(in: history)
        framesTold = received + syncs.flatMap(\.missed)
        let isClient = history.header.subject.role == .client
        messageTable = isClient ? specification.states(of: "message", .client) : nil
        storedPlaces =
            isClient
            ? [:]
            : Dictionary(sessionReads.map { ($0.event, StoredPlaces($0)) }, uniquingKeysWith: { first, _ in first })
        client = ObservedClient(history, connections: connections, exchanges: exchanges)
        questions = TurnReconstruction.turns(in: self, hostile: hostileKinds, inDoubt: inDoubt)
        guessedTurns = questions.filter(\.isGuessed)
        take(questions)
        if isClient {
            looks = Look.all(in: history, by: client)
            clientQuestions = ClientQuestion.reconstructed(in: self)
            clientDeliveries = ClientDelivery.reconstructed(in: self)
        }
    }

    /// The same history without the turns that a guess was made about.
    func withoutGuesses() -> Observations {
        let less = Observations(sharing: self)
        (less.questions, less.guessedTurns) = (questions, guessedTurns)
        less.take(questions.filter { !$0.isGuessed })
        return less
    }

    /// The facts of single events, as already derived.
    private init(sharing other: Observations) {
        (history, hasAcks, patientClock, timeouts, lives, halts) =
            (other.history, other.hasAcks, other.patientClock, other.timeouts, other.lives, other.halts)
        (schemas, coreSchemas, connections, handshakes, exchanges) =
            (other.schemas, other.coreSchemas, other.connections, other.handshakes, other.exchanges)
        (received, receivedOfKnownType, sent, framesTold) =
            (other.received, other.receivedOfKnownType, other.sent, other.framesTold)
        (sessionReads, listReads, storedPlaces) = (other.sessionReads, other.listReads, other.storedPlaces)
        (looks, messageTable) = (other.looks, other.messageTable)
        (syncs, shown, streams, replays, pushes) =
            (other.syncs, other.shown, other.streams, other.replays, other.pushes)
        (client, clientQuestions, clientDeliveries) = (other.client, other.clientQuestions, other.clientDeliveries)
        hostileKinds = other.hostileKinds
    }

    private func take(_ turns: [ObservedTurn]) {
        self.turns = turns
        sessions = SessionKnowledge(self)
        hostileFrames = HostileFrame.all(of: hostileKinds, in: self)
        index = ObservationIndex(self)
    }

    /// The first problem of the server's frame or response at an event that belongs to a clause.
    func problem(at event: Int?, of clause: ClauseID) -> MessageProblem? {
        event.flatMap { schemaProblems[$0] }?.first { $0.clause == clause }
    }

    /// The problem of a message to the server; nil if the server may simply accept it.
    func hostileKind(of event: Int) -> HostileFrame.Kind? { hostileKinds[event] }

    /// Where the questions and answers of a session read stand.
    func places(in read: ObservedSessionRead) -> StoredPlaces { storedPlaces[read.event] ?? StoredPlaces(read) }

    /// The successful session read in an exchange, if it is one; of a server's history alone.
    func read(in exchange: ObservedExchange) -> ObservedSessionRead? {
        exchange.response.flatMap { storedPlaces[$0]?.read }
    }

    var events: [Event] { history.events }
    var frames: [Frame?] { history.frames }
    var subject: History.Subject { history.header.subject }
    var profiles: Set<Profile> { subject.profiles }
    /// The parts that a capture lacks; nil for a history recorded by a stage.
    var capture: History.Capture? { history.header.capture }

    /// Whether each event has its time.
    var knowsTimes: Bool { capture?.lacks.contains(.times) != true }

    /// The time of an event, in microseconds since the history began; no more than a century, so that sums stay in range.
    func time(of event: Int) -> Int { min(history.events[event].at, 1 << 52) }

    /// The time of an event by the clock that bounds are judged by: it passes more slowly while the machine is late.
    ///
    /// For what comes too late; what comes too early, or too often, is judged by ``time(of:)``.
    func patience(of event: Int) -> Int { patience(at: time(of: event)) }

    func patience(at moment: Int) -> Int { patientClock.time(at: moment) }

    /// Whether the machine was late at some time between two events.
    func wasLate(from first: Int, to last: Int) -> Bool {
        patientClock.wasLate(from: time(of: first), to: time(of: last))
    }
}

import Holdfast
import JSON
import Transcript

/// What a history shows, put in order once so that every check can ask for it.
///
/// Everything here is derived from the events alone; indices called `event` point into `history.events`.
struct Observations: Sendable {
    /// The events that everything else here is derived from.
    let history: History
    /// WebSocket connections, in the order in which they were asked for.
    let connections: [ObservedConnection]
    /// HTTP exchanges, in the order of their requests.
    let exchanges: [ObservedExchange]
    /// Questions asked in this history, with everything the server said about each, in the order of asking.
    ///
    /// Turns that nobody in this history asked for are legal (another device, a schedule) and are not listed.
    let turns: [ObservedTurn]
    /// Requests for missed frames with their answers, in the order of asking.
    let syncs: [ObservedSync]
    /// Conversations as REST showed them, in the order of the responses.
    let sessionReads: [ObservedSessionRead]
    /// Requests to the push service, in the order of time.
    let pushes: [ObservedPush]
    /// Lists of conversations as REST showed them, in the order of the responses.
    let listReads: [ObservedListRead]
    /// The client as a program; empty where the subject is a server.
    let client: ObservedClient

    /// The schemas under the profiles the subject declares.
    let schemas: MessageSchemas
    /// The schemas that hold whatever the subject declares.
    let coreSchemas: MessageSchemas
    /// Which conversations the server named, and when.
    let sessions: SessionKnowledge
    /// Every frame the server sent on any connection, in the order of time.
    let received: [Frame]
    /// Every frame sent to the server on any connection, in the order of time.
    let sent: [Frame]
    /// The lives of the subject's process, and the faults of its disk.
    let lives: SubjectLives
    /// Messages to the server that it may not simply take, with their answers, in the order of time.
    let hostileFrames: [HostileFrame]
    /// Every numbered frame shown to anyone, in the order of time; a replay in the order of its list.
    let shown: [NumberedFrame]
    /// The same frames by the stream they belong to.
    let streams: [Stream.Key: Stream]
    /// Each replay whose position means something: it names the epoch of the answer, or is 0.
    let replays: [Replay]
    /// Every handshake that was begun in order: an `auth` as the first frame, valid but for its version and its token.
    let handshakes: [Handshake]
    /// Where to find the turns, reads and exchanges that checks ask for.
    let index: ObservationIndex
    /// The acts of the stage after which the subject does nothing more, in the order of time.
    let halts: [Int]

    /// The same questions for who only counts them: where turns are left out because of a guess, what was asked in them stays.
    let questions: [ObservedTurn]
    /// Turns that a guess was made about; empty where they are left out.
    let guessedTurns: [ObservedTurn]
    /// Frames of one of the turns of this history that say of none, where nothing else tells; see ``turns``.
    let strays: [Frame]

    /// The time that counts for bounds.
    private let patientClock: PatientClock

    /// Puts a history in order.
    init(_ history: History, under specification: Specification) {
        self.init(history, under: specification, believing: .all)
    }

    /// Puts a history in order, and believes so much of what only the order of frames tells.
    init(_ history: History, under specification: Specification, believing belief: Guesses.Belief) {
        self.history = history
        patientClock = PatientClock(history.header.lateness)
        timeouts = history.header.capture == nil ? history.header.timeouts : .ofCaptures(history.header.timeouts)
        let lives = SubjectLives(history)
        self.lives = lives
        schemas = specification.messageSchemas(for: history.header.subject.profiles)
        coreSchemas = specification.messageSchemas(for: [])
        connections = ObservedConnection.all(in: history)
        exchanges = ObservedExchange.all(in: history)
        syncs = ObservedSync.all(on: connections, isCapture: history.header.capture != nil)
        sessionReads = exchanges.compactMap(ObservedSessionRead.init)
        pushes = ObservedPush.all(in: history)
        listReads = exchanges.compactMap(ObservedListRead.init)
        client = ObservedClient(history, connections: connections, exchanges: exchanges, syncs: syncs)
        let kinds = Self.hostileKinds(in: history, connections: connections, schemas: coreSchemas)
        let (all, guesses) = TurnReconstruction.turns(
            in: history, connections: connections, exchanges: exchanges, syncs: syncs, sessionReads: sessionReads,
            hostile: kinds, lives: lives)
        turns = guesses.turns(of: all, belief)
        received = connections.flatMap(\.received).sorted { $0.event < $1.event }
        if belief == .all {
            questions = all
        } else {
            let keys = Dictionary(received.map { ($0.event, $0.clientMessageId) }) { first, _ in first }
            questions = guesses.questions(of: all) { keys[$0] ?? nil }
        }
        guessedTurns = belief == .all ? guesses.turns.sorted().map { all[$0] } : []
        strays = guesses.strays(of: all)
        sessions = SessionKnowledge(
            connections: connections, exchanges: exchanges, syncs: syncs, turns: turns, reads: sessionReads,
            lists: listReads, lives: lives)
        hostileFrames = Self.hostileFrames(of: kinds, in: history, connections: connections, turns: turns)
        sent = connections.flatMap(\.sent).sorted { $0.event < $1.event }
        shown = NumberedFrame.all(on: connections, syncs: syncs)
        streams = Stream.all(in: shown)
        replays = Replay.all(of: syncs, on: connections, from: streams)
        handshakes = Handshake.all(
            on: connections, schemas: coreSchemas, checksTokens: history.header.subject.profiles.contains(.auth))
        index = ObservationIndex(turns: turns, reads: sessionReads, exchanges: exchanges)
        halts = history.events.indices.filter { index in
            guard case .act(let name, _) = history.events[index].kind else { return false }
            return ["kill", "stop", "exit"].contains(name)
        }
    }

    /// What the subject declares to keep.
    var profiles: Set<Profile> { history.header.subject.profiles }

    /// The bounds the stage waited by.
    let timeouts: Timeouts

    /// The time of an event, in microseconds since the history began; no more than a century, so that sums stay in range.
    func time(of event: Int) -> Int { min(history.events[event].at, 1 << 52) }

    /// The time of an event by the clock that bounds are judged by: it passes more slowly while the machine is late.
    ///
    /// For what comes too late; what comes too early, or too often, is judged by ``time(of:)``.
    func patience(of event: Int) -> Int { patientClock.time(at: time(of: event)) }

    /// Whether the machine was late at some time between two events.
    func wasLate(from first: Int, to last: Int) -> Bool {
        patientClock.wasLate(from: time(of: first), to: time(of: last))
    }
}

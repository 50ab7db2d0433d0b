import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastPlatform
import HoldfastTranscript
import HoldfastTransport

/// One open WebSocket of a scenario: everything that arrives is recorded and offered to the waits.
final class ConnectionLane: Sendable {
    let letter: String
    /// Its principal; nil if its credential belongs to none.
    let principal: String?
    let mailbox = Mailbox()

    private struct State {
        var isAuthenticated = false
        var isPaused = false
        var lastSync: JSONValue?
        var answersDueBy: ContinuousClock.Instant?
        var cutAt: ContinuousClock.Instant?
        var closeSent = false
        var closeReceived = false
        var lostAt: ContinuousClock.Instant?
        /// The close code by which the server said that it stops, restarts or is overloaded.
        var goodbye: Int?
        var isGreeted = false
        var pump: Task<Void, Never>?
        var epochs: ConnectionEpochs
        var position: (epoch: String, seq: Int)?
    }

    /// The name of the message that stands for the pong to a WebSocket ping.
    static let pong = "‹pong›"
    /// The name of the message by which a server asks for credentials.
    static let challenge = "‹challenge›"

    private let connection: WebSocketConnection
    private let recorder: Recorder
    private let dialect: Dialect
    private let openedAt: ContinuousClock.Instant
    private let run: OpenConnections?
    private let number: Int?
    private let state: Mutex<State>
    /// Held while a message is recorded and queued.
    private let sending = Mutex(())
    /// Set when nothing more is read from it.
    private let over = Latch<Bool>()

    /// Takes each message with its time of arrival instead of the mailbox, which then gets only the greeting.
    private let hear: (@Sendable (JSONValue, ContinuousClock.Instant) -> Void)?

    init(
        _ letter: String, _ connection: WebSocketConnection, dialect: Dialect, recorder: Recorder,
        run: OpenConnections? = nil, principal: String? = nil,
        hear: (@Sendable (JSONValue, ContinuousClock.Instant) -> Void)? = nil
    ) {
        (self.hear, self.letter, self.connection, self.dialect) = (hear, letter, connection, dialect)
        self.principal = principal
        self.run = run
        state = Mutex(State(epochs: ConnectionEpochs(dialect)))
        self.recorder = recorder
        openedAt = recorder.note(.opened, on: .connection(letter))
        number = run?.add(openedAt: openedAt)
        let pump = Task { await self.pump() }
        state.withLock { $0.pump = pump }
    }

    var lane: Lane { .connection(letter) }

    var isAuthenticated: Bool { state.withLock { $0.isAuthenticated } }

    func authenticate() {
        state.withLock { $0.isAuthenticated = true }
        greet(at: .now)
    }

    private func greet(at time: ContinuousClock.Instant) {
        state.withLock { $0.isGreeted = true }
        if let number { run?.noteGreeting(number, at: time) }
    }

    var lastSync: JSONValue? {
        get { state.withLock { $0.lastSync } }
        set { state.withLock { $0.lastSync = newValue } }
    }

    /// Notes how long answers to the messages sent now may take.
    func expectAnswers(within bound: Duration) {
        state.withLock { $0.answersDueBy = max($0.answersDueBy ?? .now, .now + bound) }
    }

    /// The time for which an answer may still come; until then, silence proves nothing.
    var timeLeftForAnswers: Duration { state.withLock { $0.answersDueBy.map { max(.zero, $0 - .now) } ?? .zero } }

    var wasEndedHere: Bool { state.withLock { $0.cutAt != nil || $0.closeSent } }
    /// Whether it is about to end; its last events may still arrive.
    var isEnding: Bool { (wasEndedHere || mailbox.hasEnded) && over.value == nil }
    var isPaused: Bool { state.withLock { $0.isPaused } }
    var isOver: Bool { over.value != nil }

    /// The stream position it has reached; nil before any frame.
    var position: (epoch: String, seq: Int)? { state.withLock { $0.position } }

    /// When it ended without a goodbye; nil if it did not.
    var lostAt: ContinuousClock.Instant? { state.withLock { $0.lostAt } }

    /// The code by which the server announced a stop, restart or overload, and whether it had greeted; nil if none.
    ///
    /// The number is that of the connection in the run.
    var goodbye: (code: Int, number: Int?, wasGreeted: Bool)? {
        state.withLock { state in state.goodbye.map { ($0, number, state.isGreeted) } }
    }

    // MARK: doing

    func send(text: String, fragments: Int = 1) async throws(TransportProblem) {
        try await send(WireMessage(text), fragments: fragments)
    }

    func send(_ message: WireMessage, fragments: Int = 1) async throws(TransportProblem) {
        try await send(pieces: Self.pieces(of: message.text, count: fragments), shown: message.shown)
    }

    /// A text in this many pieces, cut between bytes, even inside a character.
    static func pieces(of text: String, count: Int) -> [[UInt8]] {
        let bytes = Array(text.utf8)
        let count = max(1, min(count, bytes.count))
        return (0..<count).map { index in
            Array(bytes[index * bytes.count / count..<(index + 1) * bytes.count / count])
        }
    }

    /// Records a text and sends each piece as a fragment.
    ///
    /// As proxies do, it sends a ping and an unsolicited pong between the first two (RFC 6455, section 5.5).
    func send(pieces: [[UInt8]], shown: String? = nil) async throws(TransportProblem) {
        let text = shown ?? String(decoding: pieces.joined(), as: UTF8.self)
        let fragments = Event.Kind.act("fragments", ["count": JSONValue(pieces.count)])
        var frames = pieces.enumerated().map { index, piece in
            WebSocketFrame(index == 0 ? .text : .continuation, piece, isFinal: index == pieces.count - 1)
        }
        guard pieces.count > 1 else { return try await send(frames, as: [.text(.toServer, text)]) }
        frames.insert(contentsOf: [WebSocketFrame(.ping, []), WebSocketFrame(.pong, Array("here".utf8))], at: 1)
        try await send(frames, as: [fragments, .text(.toServer, text), .ping(.toServer), .pong(.toServer)])
    }

    func send(binary: [UInt8]) async throws(TransportProblem) {
        try await send([WebSocketFrame(.binary, binary)], as: [.binary(.toServer, binary)])
    }

    func ping(_ payload: String = "") async throws(TransportProblem) {
        try await send([WebSocketFrame(.ping, Array(payload.utf8))], as: [.ping(.toServer)])
    }

    /// Records and queues frames in one step, so that the record has the order in which they are sent.
    private func send(_ frames: [WebSocketFrame], as kinds: [Event.Kind]) async throws(TransportProblem) {
        let queued = try sending.withLock { _ throws(TransportProblem) in
            for kind in kinds { recorder.note(kind, on: lane) }
            return try connection.queue(frames)
        }
        try await queued.value()
    }

    /// Keeps reading, but answers no more WebSocket pings.
    func mute() {
        connection.answersPings = false
        recorder.note(.act("mute", [:]), on: lane)
    }

    func stopReading() {
        recorder.note(.act("stopReading", [:]), on: lane)
        state.withLock { $0.isPaused = true }
        connection.stopReading()
    }

    func resumeReading() {
        recorder.note(.act("resumeReading", [:]), on: lane)
        state.withLock { $0.isPaused = false }
        connection.resumeReading()
    }

    func cut(_ how: Cut) {
        let now = recorder.note(.act("cut", ["how": .string(how.rawValue)]), on: lane)
        state.withLock { $0.cutAt = $0.cutAt ?? now }
        connection.cut(how)
        mailbox.end()
    }

    func close(code: Int, timeout: Duration) async {
        let isFirst = state.withLock { state in
            defer { state.closeSent = true }
            return !state.closeSent && state.cutAt == nil
        }
        guard isFirst, !mailbox.hasEnded else { return }
        if isPaused { resumeReading() }
        recorder.note(.close(.toServer, code: code, reason: ""), on: lane)
        await connection.close(code: UInt16(clamping: code), timeout: timeout)
        _ = await mailbox.waitForEnd(within: .seconds(1))
    }

    /// Waits until a closing connection is gone, at most for the given time, then abandons it.
    ///
    /// Its end comes after its close frame, and by then another connection may have its letter. A connection that was
    /// cut records nothing more, and one that fell silent stays silent.
    func waitUntilGone(within limit: Duration) async {
        guard mailbox.hasEnded, state.withLock({ $0.cutAt == nil }) else { return }
        _ = await over.wait(within: limit)
        await abandon()
    }

    /// Ends the socket at once and returns when its recording has ended.
    func abandon() async {
        let pump = state.withLock { state in
            state.cutAt = state.cutAt ?? .now
            return state.pump
        }
        connection.cut(.reset)
        pump?.cancel()
        await pump?.value
    }

    func watch(with tripwire: Tripwire) { connection.watch(with: tripwire) }

    // MARK: observing

    private func pump() async {
        while let arrival = await connection.next() {
            if let cutAt = state.withLock({ $0.cutAt }), arrival.at > cutAt { break }
            // Data that arrives with the response to the upgrade has a time before the socket was known to be open.
            guard take(arrival.event, at: max(arrival.at, openedAt)) else { break }
            if arrival.event.showsLife, let number { run?.noteHeard(number, at: arrival.at) }
        }
        if let number { run?.noteEnd(number) }
        mailbox.end()
        over.set(true)
    }

    /// Records an event; false when nothing more is to be read.
    private func take(_ event: WebSocketEvent, at time: ContinuousClock.Instant) -> Bool {
        switch event {
        case .text(let text):
            let frame = Frame(text)
            // A listener gets so many messages that keeping them parsed would take too much memory.
            let kept = hear == nil ? frame : nil
            guard recorder.record(.text(.fromServer, text), on: lane, at: time, frame: kept) else {
                return flooded(time)
            }
            guard let message = frame.value else { return true }
            if message["type"] == "connected" { greet(at: time) }
            hear?(message, time)
            if hear == nil || message["type"] == "connected" { deliver(message) }
            return true
        case .invalidText(let bytes), .binary(let bytes):
            return recorder.record(.binary(.fromServer, bytes), on: lane, at: time) || flooded(time)
        case .ping:
            // A lane that is not mute has answered it already; a sign of life belongs in the history (LIVE-2, LIVE-3).
            let isAnswered = connection.answersPings
            guard recorder.record(.ping(.fromServer), on: lane, at: time) else { return flooded(time) }
            return !isAnswered || recorder.record(.pong(.toServer), on: lane, at: time) || flooded(time)
        case .pong(let payload):
            guard recorder.record(.pong(.fromServer), on: lane, at: time) else { return flooded(time) }
            if !payload.isEmpty { mailbox.add(.string(String(decoding: payload, as: UTF8.self)), as: Self.pong) }
            return true
        case .tooLarge(let bytes): return refused(moreThan: bytes - 1, time)
        case .close(let code, let reason):
            let kind = Event.Kind.close(.fromServer, code: code.map(Int.init), reason: reason)
            guard recorder.record(kind, on: lane, at: time) else { return flooded(time) }
            state.withLock { state in
                state.closeReceived = true
                guard !state.closeSent, kind.isGoodbye else { return }
                state.goodbye = code.map(Int.init)
                if let number { run?.noteGoodbye(number, at: time) }
            }
            mailbox.end(with: code.map(Int.init))
            return true
        case .eof: return ended("", time)
        case .failed(let problem):
            if case .tooLarge(let limit) = problem.code { return refused(moreThan: limit, time) }
            return ended(Self.words(problem), time)
        case .flooded: return flooded(time)
        }
    }

    private func deliver(_ message: JSONValue) {
        if dialect.isChallenge(message) { mailbox.add(message, as: Self.challenge) }
        if let canonical = dialect.meaning(of: message, sentBy: .server) {
            mailbox.add(
                state.withLock { state in
                    if let epoch = canonical["epoch"]?.stringValue, let last = canonical["lastSeq"]?.intValue {
                        state.position = (
                            epoch, max(last, state.position?.epoch == epoch ? state.position?.seq ?? 0 : 0)
                        )
                    } else if let seq = canonical["seq"]?.intValue, let known = state.position {
                        state.position = (known.epoch, max(known.seq, seq))
                    }
                    return state.epochs.withEpoch(in: canonical, on: lane)
                })
        }
    }

    private func ended(_ reason: String, _ time: ContinuousClock.Instant) -> Bool {
        state.withLock { state in
            if state.cutAt == nil, !state.closeSent, !state.closeReceived { state.lostAt = time }
        }
        _ = recorder.record(.eof(reason: reason), on: lane, at: time)
        return false
    }

    /// Abandons a connection for a message that is larger than any client must read (ENV-9).
    private func refused(moreThan bytes: Int, _ time: ContinuousClock.Instant) -> Bool {
        let cut = Event.Kind.act("cut", ["how": .string(Cut.reset.rawValue), "moreThan": JSONValue(bytes)])
        _ = recorder.record(cut, on: lane, at: time)
        return ended("a message of more than \(bytes) bytes, so the suite cut the connection", time)
    }

    /// Cuts a connection that sends more than is kept; the end is recorded even if nothing else fits.
    private func flooded(_ time: ContinuousClock.Instant) -> Bool {
        recorder.noteFlood()
        connection.cut(.reset)
        recorder.note(.act("cut", ["how": .string(Cut.reset.rawValue)]), on: lane)
        recorder.note(.eof(reason: "flooded: more than the suite keeps, so the suite cut the connection"), on: lane)
        return false
    }

    private static func words(_ problem: TransportProblem) -> String {
        switch problem.code {
        case .protocolError(let reason): "\(problem.name): \(reason)"
        default: problem.name
        }
    }
}

extension WebSocketEvent {
    fileprivate var showsLife: Bool {
        switch self {
        case .text, .binary, .invalidText, .ping, .pong: true
        default: false
        }
    }
}

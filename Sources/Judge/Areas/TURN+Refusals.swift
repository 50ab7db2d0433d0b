import Holdfast
import HoldfastTranscript

/// Whether a refusal says which question it refuses.
extension TURN {
    /// TURN-21: "A server MUST name in an `error` that refuses a valid `chat` after `connected` the `clientMessageId` of that
    /// `chat`, when it had one".
    ///
    /// Once for each `error` whose code, or the lack of everything else that it could be about, says that it refuses a `chat`,
    /// where each that it can be about has a key. A refusal for the rate is the matter of RATE-6 where that binds.
    static func refusalsNameTheirQuestion(_ history: Observations, _ evidence: inout Evidence) {
        lazy var taken = history.firstSigns
        let hostile = Set(history.hostileFrames.map(\.frame.connection))
        lazy var turns = Dictionary(grouping: history.turns.filter(\.isAccepted), by: \.principal).mapValues { turns in
            Spans(turns.map { ($0.event, $0.ended) })
        }
        lazy var syncs = Dictionary(grouping: history.syncs, by: \.connection)
        for (index, connection) in history.connections.enumerated() {
            // Without a greeting nothing binds, and what was asked before a capture began may be what is refused.
            guard let greeting = connection.connected else { continue }
            let errors = connection.received.filter { $0.type == "error" && $0.turnId == nil && $0.seq == nil }
            let chats = connection.sent.filter { $0.type == "chat" }
            guard !errors.isEmpty, chats.contains(where: { $0.event > greeting }) else { continue }
            var waiting = WaitingChats(chats, taken: taken) { chat in
                chat.event > greeting && chat.clientMessageId != nil && history.isValid(chat)
            }
            let others = OtherCauses(
                on: index, in: history, beside: turns[connection.principal], asking: syncs[index] ?? [])
            for error in errors {
                waiting.advance(to: error.event)
                let first = waiting.firstToName
                let own = waiting.remove(named: error.clientMessageId)
                guard let asked = own ?? first, asked > greeting, others.leaveOnlyAChat(error),
                    own != nil || waiting.isEachToName && !hostile.contains(index)
                else { continue }
                evidence.test(
                    own != nil, otherwise: "an error does not name the chat that it refuses",
                    expected: "the clientMessageId of an unanswered chat", actual: shown(error.clientMessageId),
                    at: [asked, error.event])
            }
        }
    }
}

/// The questions of one connection that nothing has answered yet, in the order of sending.
private struct WaitingChats {
    private let chats: [Frame]
    /// Whether a refusal has to name it: it came after the greeting, has a key and is valid.
    private let isToName: [Bool]
    /// When each was taken, in the order of time.
    private let takings: [(event: Int, place: Int)]
    private var isWaiting: [Bool]
    private var byKey: [String: ArraySlice<Int>] = [:]
    private var namelessCount = 0
    private var (sent, over, head) = (0, 0, 0)

    init(_ chats: [Frame], taken: [Int: Int], isToName: (Frame) -> Bool) {
        self.chats = chats
        self.isToName = chats.map(isToName)
        takings = chats.indices.compactMap { place in taken[chats[place].event].map { ($0, place) } }
            .sorted { $0.event < $1.event }
        isWaiting = chats.map { _ in false }
    }

    /// Takes what was asked and answered before an event.
    mutating func advance(to event: Int) {
        while sent < chats.count, chats[sent].event < event {
            isWaiting[sent] = true
            if !isToName[sent] { namelessCount += 1 }
            if let key = chats[sent].clientMessageId { byKey[key, default: []].append(sent) }
            sent += 1
        }
        while over < takings.count, takings[over].event < event {
            drop(takings[over].place)
            over += 1
        }
        while head < sent, !isWaiting[head] || !isToName[head] { head += 1 }
    }

    /// Whether each that waits has to be named in its refusal.
    var isEachToName: Bool { namelessCount == 0 }

    /// The first that waits and has to be named in its refusal, by its event.
    var firstToName: Int? { head < sent ? chats[head].event : nil }

    /// Takes the first that has a key from those that wait.
    mutating func remove(named key: String?) -> Int? {
        guard let key, let places = byKey[key]?.drop(while: { !isWaiting[$0] }) else { return nil }
        byKey[key] = places.dropFirst()
        guard let place = places.first else { return nil }
        drop(place)
        return chats[place].event
    }

    private mutating func drop(_ place: Int) {
        if isWaiting[place], !isToName[place] { namelessCount -= 1 }
        isWaiting[place] = false
    }
}

/// What else than a `chat` an `error` that names no turn may be about, on one connection.
private struct OtherCauses {
    /// Codes that refuse nothing but a `chat`.
    private static let ofChats: Set<String> = ["session_not_found", "busy", "idempotency_mismatch"]
    /// Codes that refuse a `chat`, fail a turn, or tell of a trouble of the server; `interrupted` always ends a turn.
    private static let ofAnything: Set<String> = ["persist_failed", "internal"]

    private let profiles: Set<Profile>
    /// What the client sent besides its handshake and its questions, up to its answer.
    private let requests: Spans
    /// When it first sent what is neither handshake nor question nor ping.
    private let firstOther: Int
    /// The turns of its principal.
    private let turns: Spans?

    init(on index: Int, in history: Observations, beside turns: Spans?, asking syncs: [ObservedSync]) {
        let connection = history.connections[index]
        profiles = history.profiles
        let pings = history.pings(on: index).map { ($0.request.event, $0.pong?.event) }
        let answers = Dictionary(pings + syncs.map { ($0.request.event, $0.result?.event) }) { first, _ in first }
        requests = Spans(
            connection.sent.filter { !$0.isOf("auth", "chat") }.map { ($0.event, answers[$0.event] ?? nil) })
        firstOther = connection.sent.first { !$0.isOf("auth", "chat", "ping") }?.event ?? .max
        self.turns = turns
    }

    /// Whether an `error` that names no turn surely refuses a `chat`.
    func leaveOnlyAChat(_ error: Frame) -> Bool {
        guard let code = error.code else { return false }
        if Self.ofChats.contains(code) { return true }
        // Where nothing says what a rate counts, it may be that of anything that waits for an answer.
        if code == "rate_limited" { return !profiles.contains(.rateLimit) && !requests.cover(error.event) }
        return Self.ofAnything.contains(code) && profiles.contains(.idempotency) && error.sessionId == nil
            && firstOther > error.event && turns?.cover(error.event) != true
    }
}

/// Stretches of a history, each from an event up to another one or for ever.
private struct Spans {
    private let starts: [Int]
    /// The latest end of each stretch and those before it.
    private var ends: [Int] = []

    init(_ spans: [(start: Int, end: Int?)]) {
        let spans = spans.sorted { $0.start < $1.start }
        starts = spans.map(\.start)
        for span in spans { ends.append(max(ends.last ?? 0, span.end ?? .max)) }
    }

    /// Whether one of them had begun before an event, and did not end before it.
    func cover(_ event: Int) -> Bool {
        let place = starts.boundary { $0 >= event }
        return place > 0 && ends[place - 1] >= event
    }
}

extension Observations {
    /// Whether a `chat` may not be refused for its form.
    fileprivate func isValid(_ chat: Frame) -> Bool {
        chat.document.map { $0.flaws.isEmpty && schemas.validate($0.root, as: "chat").isEmpty } ?? false
    }

    /// Whether a `chat` gave no reason for a refusal of this code.
    ///
    /// A session may be gone, one may be busy, a budget may be spent, a key may be used up, and an agent may have failed.
    func isNoReason(_ code: String, to request: ObservedRequest) -> Bool {
        if ["session_not_found", "busy", "rate_limited", "idempotency_mismatch", "agent_failed"].contains(code) {
            return false
        }
        // Before the greeting nobody is known.
        if code == "not_authenticated", let connection = request.connection,
            connections[connection].connected.map({ $0 > request.event }) ?? true
        {
            return false
        }
        return frames[request.event].map(isValid) == true
            && !hostileFrames.contains { $0.frame.event == request.event }
    }

    /// For each `chat`, by its event, the first that showed that the server took it: its `ack`, or a frame of its turn.
    fileprivate var firstSigns: [Int: Int] {
        var signs: [Int: Int] = [:]
        for (turn, request) in requests {
            let frames = request.event == turn.event ? turn.frames + turn.endings : []
            let seen = ([request.ack].compactMap(\.self) + frames).map(\.event).filter { $0 > request.event }
            signs[request.event] = seen.min()
        }
        return signs
    }
}

import Holdfast
import HoldfastTranscript

/// Turns that may still go on, as each connection sees it.
///
/// Frames come in the order of time, and what has ended stays so: each turn is taken up once and dropped once.
struct OpenTurns {
    private struct Known {
        var turns: [Int] = []
        /// How many of the principal's turns were looked at.
        var seen = 0
    }

    private var byConnection: [Int: Known] = [:]
    /// What was open when the newest connection of a principal was asked for: later ones go on from there.
    private var newest: [String: (opening: Int, known: Known)] = [:]

    /// The turns asked before a frame that had not ended before its connection was asked for, and not on it since.
    ///
    /// `asked` holds every turn of the principal with the event that asked it, in order; `ended` the turns that have ended
    /// on the connection; `firstEnd` the event at which a turn first ended anywhere.
    mutating func turns(
        for frame: Frame, opening: Int, of principal: String, asked: [(turn: Int, event: Int)],
        ended: Set<Int>, firstEnd: [Int: Int]
    ) -> [Int] {
        let before = newest[principal]
        let isNewest = before.map { $0.opening <= opening } ?? true
        let own = byConnection[frame.connection]
        var known = own ?? (isNewest ? before?.known : nil) ?? Known()
        while known.seen < asked.count, asked[known.seen].event < frame.event {
            known.turns.append(asked[known.seen].turn)
            known.seen += 1
        }
        known.turns.removeAll { firstEnd[$0].map { $0 < opening } ?? false }
        if own == nil, isNewest { newest[principal] = (opening, known) }
        known.turns.removeAll { ended.contains($0) }
        byConnection[frame.connection] = known
        return known.turns
    }
}

/// A frame by what it says, where that tells it from every other: several connections are shown the same one.
struct SharedFrame: Hashable {
    private let principal: String
    private let type: String?
    private let seq: Int?
    private var life: Int?
    private var session: String?
    private var message: String?
    private var text: String?

    /// A frame by its number, whenever it is shown; nil for one that carries none.
    init?(numberOf frame: Frame, of principal: String) {
        guard let seq = frame.seq else { return nil }
        self.principal = principal
        self.seq = seq
        type = frame.type
        // The same number stands for another frame in another epoch.
        session = frame.sessionId
        message = frame.messageId
        text = frame.text ?? frame.string("tool")
    }

    /// A frame that carries a number or the id of a message; nil for others, which may come again.
    init?(_ frame: Frame, of principal: String, in life: Int) {
        guard frame.seq != nil || frame.messageId != nil else { return nil }
        self.principal = principal
        self.life = life
        type = frame.type
        session = frame.sessionId
        seq = frame.seq
        message = frame.messageId
        text = frame.text ?? frame.string("tool")
    }
}

/// Messages that a server has to answer with an `error`, by connection, in the order in which it reads them.
struct ErrorQueue {
    private var waiting: [Int: [(event: Int, hasIllFormedSession: Bool)]] = [:]
    /// The first message of each connection that is no question and may be taken or refused.
    private var free: [Int: Int] = [:]
    /// Questions that may be taken, or refused for their form.
    private var flawed: Set<Int> = []

    init() {}

    /// Hostile messages, and questions whose session id no server would give.
    init(hostile: [Int: HostileFrame.Kind], turns: [ObservedTurn], connections: [ObservedConnection]) {
        let illFormed = Set(
            turns.flatMap(\.requests).filter { $0.sessionAsked.map { !isSessionID($0) } ?? false }.map(\.event))
        for (index, connection) in connections.enumerated() {
            free[index] = connection.sent.first { $0.type != "chat" && hostile[$0.event] == .free }?.event
            flawed.formUnion(
                connection.sent.lazy.filter { $0.type == "chat" && hostile[$0.event] == .free }.map(\.event))
            waiting[index] = connection.sent.compactMap { frame in
                if let kind = hostile[frame.event] { return kind == .free ? nil : (frame.event, false) }
                return illFormed.contains(frame.event) ? (frame.event, true) : nil
            }
        }
    }

    /// The event that an error without a name answers; nil when nothing waits that it could answer.
    func next(for error: Frame) -> Int? {
        guard error.seq == nil, error.turnId == nil, let code = error.code,
            let first = waiting[error.connection]?.first, first.event < error.event
        else { return nil }
        if code == "session_not_found" { return first.hasIllFormedSession ? first.event : nil }
        return ErrorMeaning.formal.contains(code) ? first.event : nil
    }

    /// Whether an error is for the form of a message, and a question may be refused for that.
    func mayRefuse(_ question: Int, _ error: Frame) -> Bool {
        flawed.contains(question) && ErrorMeaning.formal.contains(error.code ?? "")
    }

    /// Whether an error for the form of a message may answer one that is no question.
    func mayBeFree(_ error: Frame) -> Bool {
        ErrorMeaning.formal.contains(error.code ?? "") && free[error.connection].map { $0 < error.event } ?? false
    }

    /// Whether a message waits that an error without a code could answer.
    func wait(for error: Frame) -> Bool {
        waiting[error.connection]?.contains { $0.event < error.event } ?? false
            || free[error.connection].map { $0 < error.event } ?? false
    }

    mutating func remove(_ event: Int, on connection: Int) {
        waiting[connection]?.removeAll { $0.event == event }
    }
}

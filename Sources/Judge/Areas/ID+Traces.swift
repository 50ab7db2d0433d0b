import Holdfast
import HoldfastJSON
import HoldfastTranscript

extension ID {
    /// ID-5: "A server MUST answer a session id outside `[A-Za-z0-9_-]{1,128}` with `bad_request` or
    /// `session_not_found` on the WebSocket and with 400 or 404 over REST".
    ///
    /// ID-7 judges ill-formed ids that the server itself assigned.
    static func illFormedIdsAreRefused(_ history: Observations, _ evidence: inout Evidence) {
        for (turn, request) in history.requests {
            guard let asked = request.sessionAsked, !isSessionID(asked), let connection = request.connection,
                history.connections[connection].isGreeted(before: request.event),
                !history.sessions.exists(asked, for: request.principal, before: request.event)
            else { continue }
            judgeRefusal(
                of: request, turn, "a chat with a malformed session id", with: ["bad_request", "session_not_found"],
                within: history.timeouts.error, history, &evidence)
        }
        for exchange in history.exchanges {
            guard let id = illFormedID(of: exchange, in: history) else { continue }
            let bound = exchange.isChat ? history.timeouts.turn : history.timeouts.rest
            if let missing = history.unanswered(exchange, within: bound) {
                evidence.violate(
                    "a request with a malformed session id was not answered", expected: "400 or 404", by: missing)
            }
            guard let status = exchange.status, status != 401, status != 429 || !exchange.isChat else { continue }
            evidence.test(
                status == 400 || status == 404,
                otherwise: "a request with a malformed session id got the wrong status", expected: "400 or 404",
                actual: "\(status) for \(shown(id))", at: exchange.events)
        }
    }

    /// ID-6: "A server MUST NOT create, change or reveal anything because of a session id outside
    /// `[A-Za-z0-9_-]{1,128}`".
    ///
    /// A refusal must not contain a session, and a later list must not contain a session without an accepted question.
    static func illFormedIdsLeaveNoTrace(_ history: Observations, _ evidence: inout Evidence) {
        for exchange in history.exchanges {
            guard illFormedID(of: exchange, in: history) != nil, exchange.status ?? 0 >= 400 else { continue }
            let root = exchange.answer?.root
            let member = ["session", "sessions", "messages", "text"].first { root?[$0] != nil }
            evidence.test(no: member) { member in
                Finding(
                    "the refusal of a malformed session id contains data", expected: "an error body",
                    actual: "a member '\(member)'", at: exchange.events)
            }
        }
        for window in ListWindow.all(in: history) {
            guard let attempt = window.refused.last(where: { $0.session.map { !isSessionID($0) } ?? false }) else {
                continue
            }
            let added = window.unexplained
            evidence.test(
                added.isEmpty, otherwise: "a malformed session id created a session",
                expected: "the same list as before", actual: listed(added),
                at: [attempt.request, attempt.answer, window.after.event])
        }
    }

    /// ID-8: "A server MUST give every turn its own `turnId` and every stored message its own `messageId`, the same
    /// wherever it names them".
    static func idsNameOneThing(_ history: Observations, _ evidence: inout Evidence) {
        var (turns, messages, places) = (IdRegister(), IdRegister(), IdRegister())
        for (index, turn) in history.turns.enumerated() {
            for frame in [turn.acks, turn.frames, turn.endings, turn.copies].joined() {
                if let turnId = frame.turnId, frame.includes("turnId"), frame.kind == .ack || turn.acks.isEmpty {
                    turns.note(turnId, of: turn.principal, as: "turn", index, at: frame.event)
                }
                guard let id = frame.messageId else { continue }
                let isAnswer = frame.kind == .done || frame.string("role") == "assistant"
                messages.note(
                    id, of: turn.principal, as: isAnswer ? "answer of turn" : "question of turn", index, at: frame.event
                )
            }
        }
        for read in history.sessionReads {
            for message in read.messages {
                guard let id = message.id, let principal = read.principal else { continue }
                places.note(id, of: principal, as: read.sessionId, at: read.event)
            }
        }
        let clashes = turns.clashes + messages.clashes + places.clashes
        for clash in clashes.sorted(by: { $0.events[1] < $1.events[1] }) { evidence.violate(clash) }
        evidence.exercised += max(0, turns.count - 1) + max(0, messages.count - 1)
    }

    /// The ill-formed session id of a REST read or question, if there is one that the server did not assign.
    private static func illFormedID(of exchange: ObservedExchange, in history: Observations) -> String? {
        let asked: String? =
            switch exchange.route {
            case .session(let id) where exchange.sent.method == "GET": id
            case .chat where exchange.isChat: exchange.body?.id("sessionId")
            default: nil
            }
        guard let asked, !isSessionID(asked),
            !history.sessions.exists(asked, for: exchange.sent.principal ?? "", before: exchange.request)
        else { return nil }
        return asked
    }

    // MARK: Names of a client's own message

    /// ID-9: "A server MUST show in session reads the `turnId` of each message of a turn, and a question's
    /// `clientMessageId`, under the `sessionId` and `messageId` of its `ack`".
    ///
    /// Tested once for each ack and each session read with a user message with its key; PERSIST-2 judges a missing one.
    static func acksNameTheStoredMessage(_ history: Observations, _ evidence: inout Evidence) {
        var stored: [ScopedName: [(read: Int, message: ObservedSessionRead.StoredMessage)]] = [:]
        for (index, read) in history.sessionReads.enumerated() {
            for message in read.messages where message.role == "user" {
                guard let key = message.clientMessageId, let principal = read.principal else { continue }
                stored[ScopedName(key, of: principal), default: []].append((index, message))
            }
        }
        for turn in history.turns {
            guard let key = turn.clientMessageId, let all = stored[ScopedName(key, of: turn.principal)] else {
                continue
            }
            let isRepeated = history.turnIdsStarted(by: turn).count > 1
            for ack in turn.acks where ack.clientMessageId == key {
                // If a key ran as several turns, which IDEM-1 judges, each has a message.
                let fitting = all.filter { !isRepeated || $0.message.turnId == ack.turnId }
                let first = fitting.indices.filter { $0 == 0 || fitting[$0 - 1].read < fitting[$0].read }
                let found = first.map { (read: history.sessionReads[fitting[$0].read], id: fitting[$0].message.id) }
                // ID-8 judges a message in two sessions.
                let own = found.filter { $0.read.sessionId == ack.sessionId }
                for case (let read, let id?) in own.isEmpty ? found : own {
                    let names = [("messageId", ack.messageId, id), ("sessionId", ack.sessionId, read.sessionId)]
                    evidence.test(no: names.first { $0.1 != $0.2 }) { wrong in
                        Finding(
                            "ack and read name different values of \(wrong.0)", expected: shown(wrong.2),
                            actual: shown(wrong.1), at: [turn.event, ack.event, read.event].sorted(),
                            lacking: wrong.1 == nil ? wrong.0 : nil)
                    }
                }
            }
        }
    }
}

private struct IdRegister {
    private var uses: [ScopedName: (what: String, turn: Int?, event: Int)] = [:]
    private var clashing: Set<String> = []
    private(set) var clashes: [Finding] = []

    var count: Int { uses.count }

    mutating func note(_ id: String, of principal: String, as what: String, _ turn: Int? = nil, at event: Int) {
        let name = ScopedName(id, of: principal)
        guard let use = uses[name] else { return uses[name] = (what, turn, event) }
        guard use.turn != turn || use.what != what, clashing.insert(id).inserted else { return }
        let words = [(use.what, use.turn), (what, turn)].map { what, turn in what + (turn.map { " \($0)" } ?? "") }
        clashes.append(
            Finding(
                "one id names two objects", expected: "a unique id for each turn and message",
                actual: "\(shown(id)) for \(words[0]) and \(words[1])", at: [use.event, event]))
    }
}

import Holdfast
import Transcript

/// What a crash must not touch.
extension PERSIST {
    /// PERSIST-7: "A server MUST NOT lose or change, by a crash at any moment, a message that was acknowledged or readable
    /// before".
    ///
    /// Once for each first read of a session after a crash that had been read before it. A message that only an `ack` or a
    /// `done` told of is the matter of TURN-3 and PERSIST-1.
    static func crashesHarmNothing(_ history: Observations, _ evidence: inout Evidence) {
        var kills: Set<Int> = []
        let reads = Dictionary(history.sessionReads.map { ($0.event, $0) }, uniquingKeysWith: { first, _ in first })
        for exchange in history.exchanges where exchange.sent.method == "GET" {
            guard case .session(let id) = exchange.route, let principal = exchange.sent.principal,
                let response = exchange.response, let status = exchange.status
            else { continue }
            let earlier = history.sessionReads.last { read in
                read.sessionId == id && read.principal == principal && read.event < exchange.request
                    && !read.messages.isEmpty
            }
            guard let earlier, history.hasCrashed(between: earlier.event, and: exchange.request) else { continue }
            func violate(_ expected: String, _ actual: String) {
                evidence.violate(
                    "a crash harmed messages that were shown before", expected: expected, actual: actual,
                    at: [earlier.event, response])
            }
            if let read = reads[response] {
                if let lost = firstLost(of: earlier, in: read) {
                    violate(named(lost), "\(read.messages.count) messages, not so")
                } else {
                    evidence.keep()
                    let lives = history.lives.life(at: earlier.event)..<history.lives.life(at: exchange.request)
                    kills.formUnion(lives.filter { isInsideATurn($0, history) })
                }
            } else if ![401, 403, 429].contains(status) {
                violate("\(earlier.messages.count) messages", "status \(status)")
            }
        }
        if kills.count > 2, evidence.violations.isEmpty {
            evidence.remarks = [
                "\(kills.count) kills inside turns harmed nothing: at most \((300 + kills.count - 1) / kills.count) % of crashes do, with 95 % confidence"
            ]
        }
    }

    /// Whether a life was ended by a kill while a turn ran, or with the last bytes of one.
    private static func isInsideATurn(_ life: Int, _ history: Observations) -> Bool {
        guard let end = history.lives.end(of: life), end.cause == .killed else { return false }
        let asked = history.turns.flatMap(\.requests).filter { history.life(of: $0) == life && $0.event < end.event }
        guard let last = asked.max(by: { $0.event < $1.event }) else { return false }
        let turn = history.turns.first { $0.requests.contains { $0.event == last.event } }
        let ended = turn?.endings.filter { history.life(of: $0) == life }.map(\.event).min() ?? last.outcome
        return ended.map { history.time(of: end.event) - history.time(of: $0) < 50_000 } ?? true
    }

    /// PERSIST-8: "A server MUST answer the session list and the reads of all other sessions after a crash in one of them".
    ///
    /// Once for each list, and each read of a session in which nothing ran, in the life after a crash while a turn ran or
    /// right after the last one. A session counts once a read, a list, an ack or an answer had shown it.
    static func otherSessionsSurvive(_ history: Observations, _ evidence: inout Evidence) {
        let known = SafeSessions(history)
        for exchange in history.exchanges where exchange.sent.method == "GET" {
            let life = history.lives.life(at: exchange.request)
            guard life > 0, let crash = history.lives.end(of: life - 1), crash.cause != .stopped,
                let principal = exchange.sent.principal, let response = exchange.response, let status = exchange.status,
                ![401, 403, 429].contains(status)
            else { continue }
            let struck = sessionsInUse(in: life - 1, at: crash.event, history)
            guard !struck.isEmpty else { continue }
            let others = known.sessions(of: principal, before: crash.event).subtracting(struck)
            func violate(_ expected: String, _ actual: String) {
                evidence.violate(
                    "a crash in one session hides others", expected: expected, actual: actual,
                    at: [crash.event, response])
            }
            switch exchange.route {
            case .sessions:
                guard let list = history.listReads.first(where: { $0.event == response }) else {
                    violate("200 with the list", status == 200 ? "a body without it" : "status \(status)")
                    continue
                }
                let missing = others.subtracting(list.ids)
                if missing.isEmpty {
                    if !others.isEmpty { evidence.keep() }
                } else {
                    violate("\(shown(missing.min())) in the list", "a list of \(list.ids.count) sessions without it")
                }
            case .session(let id) where others.contains(id):
                if history.sessionReads.contains(where: { $0.event == response }) {
                    evidence.keep()
                } else {
                    violate("200 with session \(shown(id))", status == 200 ? "a body without it" : "status \(status)")
                }
            default: continue
            }
        }
    }
}

extension PERSIST {
    /// The sessions in which a turn ran at the end of a life, and that of the last question.
    private static func sessionsInUse(in life: Int, at end: Int, _ history: Observations) -> Set<String> {
        let asked = history.turns.filter { turn in
            turn.requests.contains { history.life(of: $0) == life && $0.event < end }
        }
        let running = asked.filter { turn in turn.ended.map { $0 > end } ?? !turn.isRefused }
        return Set((running + asked.suffix(1)).compactMap { ORDER.session(of: $0) })
    }
}

/// Sessions that no crash may take: a read or list showed them, or an ack, an answer or a response named them.
private struct SafeSessions {
    private var since: [TurnNames.Key: Int] = [:]

    init(_ history: Observations) {
        for read in history.sessionReads where !read.messages.isEmpty {
            note(read.sessionId, read.principal, read.event)
        }
        for list in history.listReads {
            for id in list.ids { note(id, list.principal, list.event) }
        }
        for frame in history.received where frame.type == "ack" || frame.type == "done" {
            note(frame.sessionId, history.connections[frame.connection].principal, frame.event)
        }
        for turn in history.turns {
            for response in turn.requests.compactMap(\.success) { note(turn.sessionId, turn.principal, response) }
        }
    }

    func sessions(of principal: String, before event: Int) -> Set<String> {
        Set(since.filter { $0.key.principal == principal && $0.value < event }.map(\.key.name))
    }

    private mutating func note(_ session: String?, _ principal: String?, _ event: Int) {
        guard let session, let principal else { return }
        let key = TurnNames.Key(principal: principal, name: session)
        since[key] = min(since[key] ?? event, event)
    }
}

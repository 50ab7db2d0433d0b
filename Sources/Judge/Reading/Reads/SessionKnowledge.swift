import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// The sessions that the server named to each principal, and since when; this defines "existing" and "unknown".
struct SessionKnowledge: Sendable {
    /// The first event that named a session, by life of the subject's process.
    private var named: [ScopedName: [Int: Int]] = [:]
    private let lives: SubjectLives
    private var reads: [ScopedName: [(event: Int, status: Int)]] = [:]
    private let lists: [ObservedListRead]

    init(_ history: Observations) {
        lists = history.listReads
        lives = history.lives
        // Most frames name the same session as the one before.
        var before: (session: String?, principal: String, life: Int)?
        for frame in history.allFrames
        where frame.isOf(.ack, .message, .toolUse, .done) || frame.kind == .error && frame.turnId != nil {
            let named = (frame.sessionId, history.principal(of: frame), lives.life(at: frame.event))
            if let before, before == named { continue }
            before = named
            record(named.0, named.1, at: frame.event)
        }
        for exchange in history.exchanges {
            guard let event = exchange.response, let status = exchange.status, let principal = exchange.sent.principal
            else { continue }
            if exchange.isChat, status == 200 {
                record(exchange.answer?.root.id("sessionId"), principal, at: event)
            }
            if let id = exchange.sessionRead {
                reads[ScopedName(id, of: principal), default: []].append((event, status))
            }
        }
        for read in history.sessionReads { record(read.session.id("id"), read.principal, at: read.event) }
        for list in lists {
            for id in list.ids { record(id, list.principal, at: list.event) }
        }
    }

    /// Whether the server named the session to the principal before an event: in a turn's frame, a list or a read.
    func exists(_ session: String, for principal: String, before event: Int) -> Bool {
        named[ScopedName(session, of: principal)]?.contains { $0.value < event } ?? false
    }

    /// Whether the server named the session to the principal before an event, without a crash in between.
    ///
    /// Other clauses define what a crash may lose.
    func isOwed(_ session: String, for principal: String, before event: Int) -> Bool {
        owed(ScopedName(session, of: principal), before: event) != nil
    }

    /// Every session that the server must know for the principal at an event, in the order of the events that first
    /// named them.
    func all(for principal: String, before event: Int) -> [(session: String, event: Int)] {
        named.keys.filter { $0.principal == principal }.compactMap { key in
            owed(key, before: event).map { (key.name, $0) }
        }.sorted { ($0.1, $0.0) < ($1.1, $1.0) }
    }

    private func owed(_ key: ScopedName, before event: Int) -> Int? {
        let life = lives.life(at: event)
        return named[key]?.filter { $0.value < event && !lives.crashed(from: $0.key, to: life) }.values.min()
    }

    /// Whether the principal certainly had no such session just before an event: a read got a 404, or a list did not
    /// contain it.
    func isAbsent(_ session: String, for principal: String, before event: Int) -> Bool {
        guard !exists(session, for: principal, before: event) else { return false }
        let read = reads[ScopedName(session, of: principal)]?.last { $0.event < event }
        if let read { return read.status == 404 }
        let list = lists.last { $0.event < event && $0.principal == principal }
        return list.map { !$0.ids.contains(session) } ?? false
    }

    func notFound(_ session: String, for principal: String, after event: Int) -> Int? {
        reads[ScopedName(session, of: principal)]?.first { $0.event > event && $0.status == 404 }?.event
    }

    private mutating func record(_ session: String?, _ principal: String?, at event: Int) {
        guard let session, let principal else { return }
        let first = { (known: inout Int) in known = min(known, event) }
        first(&named[ScopedName(session, of: principal), default: [:]][lives.life(at: event), default: event])
    }
}

extension Observations {
    /// The principal's last read before an event with messages of a session.
    func lastShown(_ session: String, to principal: String, before event: Int) -> ObservedSessionRead? {
        reads(of: session, by: principal).last { $0.event < event && !$0.messages.isEmpty }
    }

    /// Whether part of a session may be gone at an event: since an earlier event, a read got a 404, or a turn ran while
    /// writes were refused, and the process survived that or reported the failure.
    func mayBeLost(_ session: String, of principal: String, since first: Int, before last: Int) -> Bool {
        let isNotFound = exchanges.contains { exchange in
            exchange.sessionRead == session && exchange.sent.principal == principal && exchange.status == 404
                && exchange.request > first && exchange.response.map { $0 < last } == true
        }
        return isNotFound
            || lives.faults.contains { fault in
                guard fault.start < last, fault.end > first else { return false }
                let outlived = !hasCrashed(between: fault.start, and: fault.end)
                return turns.contains { turn in
                    turn.principal == principal && turn.session == session && turn.event < fault.end
                        && (outlived
                            ? turn.ended.map { $0 > fault.start } ?? true
                            : turn.endings.contains { $0.kind == .error && $0.event > first && fault.covers($0.event) })
                }
            }
    }

    /// The members of a stored message that occur in any read.
    var membersOfStoredMessages: Set<String> {
        var members: Set<String> = []
        for exchange in exchanges where exchange.sessionRead != nil && exchange.status == 200 {
            for message in exchange.answer?.root["session"]?["messages"]?.arrayValue ?? [] {
                for name in ["id", "role", "content"] where Self.shows(message, name) { members.insert(name) }
            }
        }
        return members
    }

    static func shows(_ message: JSONValue, _ member: String) -> Bool {
        switch member {
        case "id": message.id("id") != nil
        case "role": message["role"]?.stringValue != nil
        default: message[member] != nil
        }
    }
}

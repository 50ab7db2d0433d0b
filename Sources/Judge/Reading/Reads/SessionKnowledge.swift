import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// Which conversations the server named to whom, and since when; the ground for "existing" and "unknown".
struct SessionKnowledge: Sendable {
    /// The first event that named a session, by the life of the subject's process it fell into.
    private var named: [OwnName: [Int: Int]] = [:]
    private var lives = SubjectLives()
    private var reads: [OwnName: [(event: Int, status: Int)]] = [:]
    private var lists: [ObservedListRead] = []

    /// Nothing known.
    init() {}

    init(_ history: Observations) {
        lists = history.listReads
        lives = history.lives
        let connections = history.connections
        for connection in connections {
            // Most frames name again what the one before named.
            var (before, life) = (nil as String?, -1)
            for frame in connection.received where frame.isOf("ack", "message", "toolUse", "done") {
                let session = frame.sessionId
                if session == before, lives.life(at: frame.event) == life { continue }
                (before, life) = (session, lives.life(at: frame.event))
                name(session, connection.principal, at: frame.event)
            }
        }
        for sync in history.syncs {
            for frame in sync.missed where frame.isOf("message", "toolUse", "done", "error") {
                name(frame.sessionId, connections[sync.connection].principal, at: frame.event)
            }
        }
        for turn in history.turns {
            for ending in turn.endings { name(ending.sessionId, turn.principal, at: ending.event) }
        }
        for exchange in history.exchanges {
            guard let event = exchange.response, let status = exchange.status, let principal = exchange.sent.principal
            else { continue }
            if exchange.isChat, status == 200 {
                name(exchange.answer?.root.id("sessionId"), principal, at: event)
            }
            if let id = exchange.sessionRead {
                reads[OwnName(id, of: principal), default: []].append((event, status))
            }
        }
        for read in history.sessionReads { name(read.session.id("id"), read.principal, at: read.event) }
        for list in lists {
            for id in list.ids { name(id, list.principal, at: list.event) }
        }
    }

    /// Whether the server named the session to the principal before an event: in a frame of a turn, a list or a read.
    func exists(_ session: String, for principal: String, before event: Int) -> Bool {
        named[OwnName(session, of: principal)]?.contains { $0.value < event } ?? false
    }

    /// Whether the server named the session to the principal before an event, and no crash lies between.
    ///
    /// What a crash may take, and what not, has clauses of its own.
    func isOwed(_ session: String, for principal: String, before event: Int) -> Bool {
        owed(OwnName(session, of: principal), before: event) != nil
    }

    /// Every session the server owes the principal at an event, each with the event that named it first.
    func all(for principal: String, before event: Int) -> [(session: String, event: Int)] {
        named.keys.filter { $0.principal == principal }.compactMap { key in
            owed(key, before: event).map { (key.name, $0) }
        }
    }

    private func owed(_ key: OwnName, before event: Int) -> Int? {
        let life = lives.life(at: event)
        return named[key]?.filter { $0.value < event && !lives.crashed(from: $0.key, to: life) }.values.min()
    }

    /// Whether something shows that the principal had no such session just before an event: a read that was answered with
    /// 404, or a list without it.
    func isAbsent(_ session: String, for principal: String, before event: Int) -> Bool {
        guard !exists(session, for: principal, before: event) else { return false }
        let read = reads[OwnName(session, of: principal)]?.last { $0.event < event }
        if let read { return read.status == 404 }
        let list = lists.last { $0.event < event && $0.principal == principal }
        return list.map { !$0.ids.contains(session) } ?? false
    }

    /// The event of the first read after an event that was answered with 404; nil without one.
    func notFound(_ session: String, for principal: String, after event: Int) -> Int? {
        reads[OwnName(session, of: principal)]?.first { $0.event > event && $0.status == 404 }?.event
    }

    private mutating func name(_ session: String?, _ principal: String?, at event: Int) {
        guard let session, let principal else { return }
        let first = { (known: inout Int) in known = min(known, event) }
        first(&named[OwnName(session, of: principal), default: [:]][lives.life(at: event), default: event])
    }
}

/// Sessions that no crash may take: a read or list showed them, or an ack, an answer or a response named them.
struct SafeSessions {
    private var since: [TurnNames.Key: Int] = [:]

    init(_ history: Observations) {
        for read in history.sessionReads where !read.messages.isEmpty {
            note(read.sessionId, read.principal, read.event)
        }
        for list in history.listReads {
            for id in list.ids { note(id, list.principal, list.event) }
        }
        for frame in history.received where frame.type == "ack" || frame.type == "done" {
            note(frame.sessionId, history.principal(of: frame), frame.event)
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

extension Observations {
    /// The last read that showed a principal messages of a session before an event.
    func lastShown(_ session: String, to principal: String, before event: Int) -> ObservedSessionRead? {
        sessionReads.last { read in
            read.sessionId == session && read.principal == principal && read.event < event && !read.messages.isEmpty
        }
    }

    /// Whether something of a session may be gone for another reason than a crash between two events: a read found nothing
    /// before the process ended, or a turn of it ran while the disk took no writes, and the process outlived that or told of it.
    func mayHaveLost(_ session: String, of principal: String, since first: Int, before last: Int) -> Bool {
        foundNothing(of: session, principal, since: first, before: last) { !hasCrashed(between: first, and: $0) }
            || mayHaveLostToTheDisk(session, of: principal, since: first, before: last)
    }

    /// Whether a session may be gone already at an event: since it was read last, a read found nothing, or a turn of it ran while
    /// the disk took no writes and the process outlived that.
    func mayBeLost(_ session: String, of principal: String, before event: Int) -> Bool {
        let first = lastShown(session, to: principal, before: event)?.event ?? -1
        return foundNothing(of: session, principal, since: first, before: event) { _ in true }
            || mayHaveLostToTheDisk(session, of: principal, since: first, before: event)
    }

    private func foundNothing(
        of session: String, _ principal: String, since first: Int, before last: Int, where counts: (Int) -> Bool
    ) -> Bool {
        exchanges.contains { exchange in
            exchange.sessionRead == session && exchange.sent.principal == principal && exchange.status == 404
                && exchange.request > first && exchange.response.map { $0 < last } == true && counts(exchange.request)
        }
    }

    private func mayHaveLostToTheDisk(_ session: String, of principal: String, since first: Int, before last: Int)
        -> Bool
    {
        lives.faults.contains { fault in
            guard fault.begin < last, fault.end > first else { return false }
            let outlived = !hasCrashed(between: fault.begin, and: fault.end)
            return turns.contains { turn in
                turn.principal == principal && turn.session == session && turn.event < fault.end
                    && (outlived
                        ? turn.ended.map { $0 > fault.begin } ?? true
                        : turn.endings.contains { $0.type == "error" && $0.event > first && fault.covers($0.event) })
            }
        }
    }

    /// Those members of a stored message that any read shows.
    var membersOfStoredMessages: Set<String> {
        var members: Set<String> = []
        for exchange in exchanges where exchange.sessionRead != nil && exchange.status == 200 {
            for message in exchange.answer?.root["session"]?["messages"]?.arrayValue ?? [] {
                for name in ["id", "role", "content"] where Self.shows(message, name) { members.insert(name) }
            }
        }
        return members
    }

    /// Whether a stored message has a member in a form that can be read.
    static func shows(_ message: JSONValue, _ member: String) -> Bool {
        switch member {
        case "id": message.id("id") != nil
        case "role": message["role"]?.stringValue != nil
        default: message[member] != nil
        }
    }
}

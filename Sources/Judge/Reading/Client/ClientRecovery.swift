import Holdfast
import HoldfastJSON
import HoldfastTranscript

extension Observations {
    /// Whether all connections certainly belong to one client: with a stage they always do; in a capture they must
    /// have one person and, if known, one device, and none may be used once a later one has begun.
    var hasOneClient: Bool {
        guard isCapture else { return true }
        let devices = connections.compactMap { connection in
            connection.sent.first { $0.kind == .auth }?["clientId"]?.stringValue
        }
        return Set(connections.map(\.principal)).count < 2 && Set(devices).count < 2
            && connections.allSatisfy { connection in
                let last = connection.sent.last?.event ?? connection.opening
                return !connections.contains { $0.opening > connection.opening && $0.opening < last }
            }
    }

    /// A history that the client received: complete if it came from a read, partial if it came from a replay.
    struct ReceivedHistory: Sendable {
        let event: Int
        let asked: Int
        let sessionId: String
        let messages: [ObservedSessionRead.StoredMessage]
        /// The connection of a replay; nil for a read.
        var connection: Int?
    }

    /// Every read and every replay, in the order of their answers; a replay counts once for each of its sessions,
    /// without the messages that a later read lacks, because these are no longer stored.
    var receivedHistories: [ReceivedHistory] {
        let reads = sessionReads.map { read in
            ReceivedHistory(
                event: read.event, asked: read.request, sessionId: read.sessionId,
                messages: read.messages.filter { $0.role == "user" || $0.role == "assistant" })
        }
        let replays = syncs.flatMap { sync -> [ReceivedHistory] in
            guard let result = sync.result else { return [] }
            return Set(sync.missed.compactMap(\.sessionId)).sorted().map { session in
                let messages = sync.missed.filter { $0.sessionId == session }.compactMap(Self.message)
                    .filter { !lacks($0.id, in: session, askedAfter: result.event) }
                return ReceivedHistory(
                    event: result.event, asked: sync.request.event, sessionId: session, messages: messages,
                    connection: sync.connection)
            }
        }
        return (reads + replays).sorted { $0.event < $1.event }
    }

    /// Whether a read of a session, requested after an event and answered before another, lacks a message: then the
    /// message is not stored, or the suite withholds it.
    func lacks(_ id: String?, in session: String, askedAfter first: Int, before last: Int = .max) -> Bool {
        sessionReads.asked(after: first).contains { read in
            read.sessionId == session && read.isBefore(last) && !read.messages.contains { $0.id == id }
        }
    }

    private static func message(in frame: Frame) -> ObservedSessionRead.StoredMessage? {
        guard frame.isOf(.message, .done), let delivery = ClientDelivery(frame), delivery.id != nil else { return nil }
        return .init(id: delivery.id, role: delivery.role, text: delivery.text ?? "", clientMessageId: delivery.key)
    }

    /// The end, for the client, of the greeted connection before this one; nil if there was none in this life.
    func lossBefore(connection index: Int) -> Int? {
        let opening = connections[index].opening
        guard
            let last = connections.indices.last(where: {
                connections[$0].opening < opening && connections[$0].connected != nil
            }), let greeted = connections[last].connected, endOfLife(at: greeted) > opening
        else { return nil }
        // In the background a client receives nothing, whatever the socket does.
        let away = client.acts.first { $0.name == "background" && $0.event > greeted && $0.event < opening }?.event
        return [connections[last].ending?.event, away, opening].compactMap(\.self).min()
    }

    func recovery(of sessions: Set<String>, since lost: Int, on index: Int) -> Int? {
        let reads = client.reads.filter { read in
            guard case .session(let id) = read.route, sessions.contains(id) else { return false }
            return end(of: read) > lost
        }.map(\.request)
        let asked = syncs.filter { sync in
            sync.request.event > lost && connections[sync.connection].greeting?.epoch != nil && mayHold(sync)
        }.map(\.request.event)
        return (reads + asked).min()
    }

    /// Whether a client may have had the position that it sends; it cannot have a position in an epoch that no earlier
    /// frame named.
    func mayHold(_ sync: ObservedSync) -> Bool {
        guard sync.lastSeqSeen == 0, let greeting = connections[sync.connection].greeting, let epoch = greeting.epoch,
            sync.request.epoch.map({ $0 == epoch }) ?? true
        else { return true }
        let start = client.installation(at: greeting.event)
        return received.contains { frame in
            frame.event >= start && frame.event < greeting.event && frame.tellsPosition && frame.epoch == epoch
        }
    }

    /// Every event that requires a recovery: a return, the network, a push, a new connection.
    var recoveryTriggers: [Int] {
        let acts = client.acts("foreground", "networkUp", "receivePush").map(\.event)
        return (acts + connections.compactMap(\.connected)).sorted()
    }

    /// Whether a client's read had a reason other than an act of the person.
    func isForRecovery(_ read: ObservedExchange) -> Bool {
        let person = client.acts("launch", "selectSession", "openPush").last { $0.event < read.request }?.event
        guard let person else { return true }
        return recoveryTriggers.contains { $0 > person && $0 < read.request }
    }

    func end(of read: ObservedExchange) -> Int { read.response ?? read.failure ?? history.events.endIndex }

    func end(of sync: ObservedSync) -> Int {
        sync.result?.event ?? loss(of: sync.connection) ?? history.events.endIndex
    }

    /// Whether a client dropped a read for another one; the stage may notice that a little later, and may still answer
    /// a read that was pending for a long time.
    func wasGivenUp(_ read: ObservedExchange, for other: ObservedExchange) -> Bool {
        let isLong = span(from: read.request, to: other.request) >= clientWindow(\.rest).microseconds
        guard isLong || read.response == nil, let end = read.failure ?? read.response else { return false }
        return effectiveTime(of: end) <= effectiveTime(of: other.request) + timeouts.scheduling.microseconds
    }

    func isRecovering(_ session: String, between first: Int, and last: Int) -> Bool {
        client.reads(of: session).contains { $0.request < last && end(of: $0) > first }
            || syncs.contains { $0.request.event < last && end(of: $0) > first }
            || connections.contains { $0.opening > first && $0.opening < last }
    }

    /// Whether the client knew before an event that a session does not exist.
    func isGone(_ session: String, before event: Int) -> Bool {
        client.reads(of: session).contains { $0.showsNoSession && $0.response.map { $0 < event } == true }
    }
}

extension ObservedExchange {
    /// Whether a read brought the session or a refusal; a gateway's refusal has no error body, and does not count.
    var isAnswered: Bool { status == 200 || status.map((400...499).contains) == true && hasErrorBody }

    var showsNoSession: Bool { status == 404 && hasErrorBody }

    /// Whether a read failed and another one may succeed: it was lost, or the server could not answer it.
    var hasFailed: Bool { status.map { $0 >= 400 && !isAnswered } ?? (failure != nil) }
}

extension ObservedClient.State {
    /// The number of different messages shown, without placeholders for future answers.
    var count: Int {
        var ids: Set<String> = []
        var keys: Set<String> = []
        var count = 0
        for message in messages {
            if message.id == nil, message.role == "assistant", let status = message.status, status != "sent" {
                continue
            }
            let isNewID = message.id.map { ids.insert($0).inserted }
            let isNewKey = message.key.map { keys.insert($0).inserted }
            if isNewID == false || isNewKey == false { continue }
            count += 1
        }
        return count
    }

    func shows(_ message: ObservedSessionRead.StoredMessage) -> Bool { !places(of: message).isEmpty }

    /// Whether stored messages are on this screen in their order, possibly with others in between.
    func shows(inOrder stored: [ObservedSessionRead.StoredMessage]) -> Bool { misplaced(in: stored) == nil }

    /// The index of the first stored message that the screen lacks or shows too early.
    func misplaced(in stored: [ObservedSessionRead.StoredMessage]) -> Int? {
        var next = 0
        return stored.firstIndex { message in
            guard let index = places(of: message).first(where: { $0 >= next }) else { return true }
            next = index + 1
            return false
        }
    }

    /// The positions of a stored message: by its id, else by its key, else entries with the same text, without an id
    /// and without another key; a repeated text with a different id or key is another message.
    private func places(of message: ObservedSessionRead.StoredMessage) -> [Int] {
        let byID = messages.indices.filter { messages[$0].id != nil && messages[$0].id == message.id }
        if !byID.isEmpty { return byID }
        if let key = message.clientMessageId {
            let byKey = messages.indices.filter { messages[$0].key == key }
            if !byKey.isEmpty { return byKey }
        }
        return messages.indices.filter {
            messages[$0].id == nil && (messages[$0].key == nil || message.clientMessageId == nil)
                && messages[$0].role == message.role && exactlyEqual(messages[$0].text, message.text)
        }
    }
}

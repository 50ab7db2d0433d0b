import Holdfast
import HoldfastTranscript

/// A client's possible position in the numbered stream, as seen from the server's side.
///
/// A frame that was sent may not have been received, because of a cut. So a position has a ceiling, the greatest number
/// that the client may have, and a floor, the last number whose frame it certainly had.
///
/// A class, because it caches results; its history owns it.
final class ClientPositions {
    /// Frames that a `sync` still has to bring.
    struct Hole {
        let sync: ObservedSync
        /// The epoch of the position before the hole.
        let epoch: String?
        let floor: Int
        /// The epoch and last position in the answer, if the answer was incomplete.
        let reported: (epoch: String, lastSeq: Int)?
    }

    let given: [NumberedFrame]
    private unowned let history: Observations
    /// The event by which the frame at each event was certainly received; see ``handling(_:)``.
    private var handledAt: [Int: Int?] = [:]
    private var shown: [Int: Shown] = [:]

    private struct Shown {
        var answers: Set<ClientMessages.Words> = []
        var sent: Set<String> = []

        init(_ state: ObservedClient.State) {
            for message in state.messages {
                if message.id == nil, message.role != "user" {
                    answers.insert(ClientMessages.Words(nil, message.text))
                }
                if message.status == "sent" { sent.formUnion([message.id, message.key].compactMap(\.self)) }
            }
        }
    }

    init(_ history: Observations) {
        self.history = history
        given = NumberedFrame.all(on: history.connections, syncs: history.syncs) {
            !NumberedFrame.isOutsideStream($0.kind)
        }
    }

    func given(from first: Int, to last: Int) -> [NumberedFrame] {
        given.filter { $0.frame.event >= first && $0.frame.event < last }
    }

    /// The epochs announced before an event, in the order of first arrival.
    func epochs(reportedBefore event: Int) -> [String] {
        let start = history.client.installation(at: event)
        var epochs: [String] = []
        for frame in history.received where frame.event >= start && frame.event < event {
            if frame.tellsPosition, let epoch = frame.epoch, !epochs.contains(epoch) { epochs.append(epoch) }
        }
        return epochs
    }

    /// The greatest number in an epoch that the client received before an event, in any frame; 0 if there is none.
    func ceiling(of epoch: String, before event: Int, without greeting: Frame? = nil) -> Int {
        let start = history.client.installation(at: event)
        let numbers = given(from: start, to: event).filter { $0.epoch == epoch }.map(\.seq)
        let reported = history.received.filter { frame in
            frame.event >= start && frame.event < event && frame.event != greeting?.event && frame.epoch == epoch
                && frame.tellsPosition
        }.compactMap { $0["lastSeq"]?.intValue }
        return (numbers + reported).max() ?? 0
    }

    /// The frame with the greatest number in the newest epoch that the client certainly had before an event, in the
    /// same life.
    func held(before event: Int) -> NumberedFrame? {
        let start = history.client.launch(at: event)?.events.lowerBound ?? 0
        let known = given(from: start, to: event).filter(\.isOfKnownType)
        guard let last = known.last(where: { handled($0.frame, before: event) }) else { return nil }
        return known.filter { $0.epoch == last.epoch }.sorted { $0.seq > $1.seq }.first { item in
            item.seq <= last.seq || handled(item.frame, before: event)
        }
    }

    func handled(_ frame: Frame, before event: Int) -> Bool { handling(frame).map { $0 < event } ?? false }

    /// The first event by which the client certainly had a frame.
    ///
    /// It had shown something that only this frame or a later one of its connection had brought, or the connection had
    /// stayed open for longer than the delay of a busy machine.
    func handling(_ frame: Frame) -> Int? {
        if let known = handledAt[frame.event] { return known }
        let event = firstHandling(of: frame)
        handledAt[frame.event] = .some(event)
        return event
    }

    private func firstHandling(of frame: Frame) -> Int? {
        let client = history.client
        let connection = history.connections[frame.connection]
        let due = history.latestArrival(frame.event)
        let isSure =
            client.isForeground(at: frame.event) && history.isSurelyHandled(frame.event, on: frame.connection)
        let waited = isSure && due < history.events.endIndex ? due : nil
        let arrivals = connection.received[connection.received.boundary { $0.event >= frame.event }...]
        for state in client.states[client.states.boundary { $0.event > frame.event }...] {
            if let waited, waited <= state.event { break }
            let isShown = arrivals.prefix { $0.event < state.event }.contains { later in
                guard shows(state, later), let before = client.state(at: later.event) else { return false }
                return !shows(before, later) && history.clientMessages.isOnlyDelivery(later, before: state.event)
            }
            if isShown { return state.event }
        }
        return waited
    }

    private func shows(_ state: ObservedClient.State, _ frame: Frame) -> Bool {
        let known = shown[state.event] ?? Shown(state)
        shown[state.event] = known
        func has(_ names: Set<String>, _ name: String?) -> Bool { name.map(names.contains) ?? false }
        return switch frame.type {
        case "done", "message":
            has(state.idSet, frame.messageId)
                || frame.text.map { known.answers.contains(ClientMessages.Words(nil, $0)) } ?? false
        case "ack": has(known.sent, frame.messageId) || has(known.sent, frame.clientMessageId)
        default: false
        }
    }

    private func lastSync(before event: Int) -> ObservedSync? {
        let start = history.client.installation(at: event)
        return history.syncs.last { $0.request.event < event && $0.request.event >= start }
    }

    /// The frames that the last `sync` before an event still has to bring; nil if it brought all of them, or none was
    /// sent.
    func hole(before event: Int) -> Hole? {
        guard let sync = lastSync(before: event), var position = sync.lastSeqSeen else { return nil }
        // After a page that reported a gap, the position is still the one in the request for that page.
        let gap = history.syncs.first { page in
            guard page.connection == sync.connection, let result = page.result, result.event < sync.request.event,
                result.hasMore, result.string("reason") != "too_many"
            else { return false }
            return isOwed(by: result, of: page, before: event)
        }
        if let start = gap?.lastSeqSeen { position = start }
        guard let result = sync.result, result.event < event, let epoch = result.epoch else {
            return Hole(sync: sync, epoch: sync.request.epoch, floor: position, reported: nil)
        }
        if sync.claimsComplete { return nil }
        if result.hasMore, result.string("reason") == "too_many" {
            return Hole(sync: sync, epoch: epoch, floor: sync.missed.last?.seq ?? position, reported: nil)
        }
        guard isOwed(by: result, of: sync, before: event) else { return nil }
        return Hole(
            sync: sync, epoch: sync.request.epoch, floor: position, reported: (epoch, sync.lastSeq ?? position))
    }

    /// Whether everything due from the last `sync` before an event had certainly arrived: its answer was received, and
    /// if that was incomplete, a session read requested afterwards was answered early enough.
    ///
    /// A client may drop a read that was pending when the answer arrived, so such a read does not count.
    func isClosed(before event: Int) -> Bool {
        // The last connection may have ended before its sync arrived; a client without a position must also sync, if
        // something was typed before it was connected.
        let start = history.client.installation(at: event)
        let greeted = history.connections.filter { connection in
            connection.greeting?.epoch != nil && connection.connected.map { $0 >= start && $0 < event } == true
        }.sorted { $0.opening < $1.opening }
        let hasTyped = history.client.acts("send").contains { act in
            act.event >= start && act.event < event
                && history.client.state(at: act.event)?.connection != .connected
        }
        if greeted.count > 1 || hasTyped, let last = greeted.last, !last.sent.contains(where: { $0.kind == .sync }),
            let greeting = last.connected, let ending = last.ending?.event,
            history.effectiveSpan(from: greeting, to: ending) < history.timeouts.scheduling.microseconds
        {
            return false
        }
        guard let sync = lastSync(before: event) else { return true }
        guard hole(before: event) == nil, let result = sync.result, handled(result, before: event) else { return false }
        let isGap = history.gaps.contains { $0.sync.request.event == sync.request.event }
        guard !sync.claimsComplete || isGap else { return true }
        // The client may wait for its other reads, too.
        let isReading = history.client.reads.contains { read in
            guard case .session = read.route else { return false }
            return read.request >= start && read.request < event && history.end(of: read) > event
        }
        guard !isReading else { return false }
        let session = history.client.state(at: result.event)?.sessionId
        return history.sessionReads.contains { read in
            read.request > result.event && (session == nil || read.sessionId == session)
                // An app in the background may end its requests, and one without a connection begins anew.
                && history.client.isForeground(at: read.event)
                && history.hadTime(
                    for: read.event, on: sync.connection, before: event, atLeast: history.timeouts.scheduling)
        }
    }

    /// Whether the session that was on the screen when an incomplete answer arrived must still be read.
    ///
    /// A session that the person has left is read when it is opened again, and one that disappeared by itself does not
    /// exist; the position need not wait for either.
    private func isOwed(by result: Frame, of sync: ObservedSync, before event: Int) -> Bool {
        guard let session = history.client.state(at: result.event)?.sessionId,
            history.end(of: result.event, at: ["selectSession", "openPush"]) > event,
            history.client.states(from: result.event, to: event).allSatisfy({ $0.sessionId == session })
        else { return false }
        let connection = history.connections[sync.connection]
        let greeted = connection.connected ?? sync.request.event
        return !history.client.reads(of: session).contains { read in
            // A read that was requested as the connection began may still be pending when the connection is greeted.
            let ended = history.end(of: read)
            let wasEarlier =
                history.client.acts.contains { $0.event > ended && $0.event < connection.opening }
                || history.client.states.contains { $0.event > ended && $0.event < connection.opening }
                || !history.mayCross(read.request, connection.opening)
            let belongsToConnection = read.request > connection.opening || !wasEarlier
            let first = belongsToConnection ? history.inFlight(before: greeted) : greeted
            return read.isAnswered && history.end(of: read) > first && history.end(of: read) < event
        }
    }

    /// Whether a read of the session on the screen was answered after the connection of a `sync` was greeted.
    ///
    /// A read that was requested before the last connection ended cannot contain later messages, nor can one of another
    /// session.
    func isRead(since sync: ObservedSync, before event: Int) -> Bool {
        let connection = history.connections[sync.connection]
        let greeted = connection.connected ?? sync.request.event
        let ended = history.connections.compactMap { $0.ending?.event }.filter { $0 < connection.opening }.max() ?? 0
        return history.sessionReads.contains { read in
            let session = history.client.state(at: read.request)?.sessionId
            return read.request > ended && read.event > greeted && read.event < event
                && (session == nil || session == read.sessionId)
        }
    }
}

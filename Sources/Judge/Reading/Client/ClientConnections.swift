import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// What a client can believe of its connections.
extension Observations {
    /// What an answer of the driver may be older than the moment it is recorded.
    static let inFlight = Duration.milliseconds(500)
    /// What a client may take to draw what it has just learnt.
    private static let redraw = Duration.milliseconds(500)

    /// When the client asked for a connection for the first time after an event.
    func nextOpening(after event: Int) -> Int? { attempt(after: event).map { connections[$0].opening } }

    /// Everything that came from the server on a connection, WebSocket pings and pongs among it, in order.
    func arrivals(on index: Int) -> [Int] {
        let connection = connections[index]
        let next = connections.first { $0.device == connection.device && $0.opening > connection.opening }?.opening
        return (connection.opening..<(next ?? events.endIndex)).filter { event in
            guard events[event].lane == .connection(connection.device) else { return false }
            switch events[event].kind {
            case .text(.fromServer, _), .binary(.fromServer, _), .ping(.fromServer), .pong(.fromServer): return true
            default: return false
            }
        }
    }

    /// Whether an upgrade was asked for and its greeting had not come yet.
    func isPending(_ index: Int, at event: Int) -> Bool {
        let connection = connections[index]
        return connection.connected.map { $0 > event } ?? true && client.ends[index].map { $0 > event } ?? true
    }

    /// Whether a greeted connection may be the one in use: it has not ended for long, and the client has not come back
    /// from the background with a newer one.
    func mayBeInUse(_ index: Int, at event: Int) -> Bool {
        let connection = connections[index]
        guard let connected = connection.connected, connected < event else { return false }
        if let end = client.ends[index], end < event, patience(from: end, to: event) > Self.inFlight.microseconds {
            return false
        }
        let back = client.returns.last { $0.event < event }
        guard let back, connection.opening < back.left else { return true }
        return attempt(after: back.event).map { connections[$0].opening > event } ?? true
    }

    /// The first thing that told the client that its message had arrived, or what became of it.
    ///
    /// A turn has the key by which it was told until `end`. What came on a connection that was over may have been
    /// heard, unless it is left out.
    func news(of key: String?, after event: Int, before end: Int = .max, leavingOld: Bool = false) -> Int? {
        let frames = framesTold.filter { frame in
            frame.event > event && frame.event < end
                && !(leavingOld && loss(of: frame.connection).map { $0 < frame.event } == true)
        }.sorted { $0.event < $1.event }
        let turns = Set(frames.filter { key != nil && $0.clientMessageId == key }.compactMap(\.turnId))
        let told = frames.first { frame in
            if let name = frame.clientMessageId { return name == key }
            return frame.turnId.map(turns.contains) == true
        }?.event
        let response = exchanges.first {
            $0.isChat && ($0.response ?? 0) > event && $0.body?.id("clientMessageId") == key
        }?.response
        let read = sessionReads.first { read in
            read.event > event && read.messages.contains { $0.clientMessageId != nil && $0.clientMessageId == key }
        }?.event
        return [told, response, read].compactMap { $0 }.min()
    }

    /// Whether a client has long waited on a connection, and may end it for that: for its greeting, for any sign of
    /// life, or for one of a question (CLIENT-4).
    func hasWaited(on index: Int, at event: Int) -> Bool {
        let connection = connections[index]
        let last = arrivals(on: index).last { $0 < event } ?? connection.opening
        let greeting = connection.connected.map { patience(from: connection.opening, to: $0) } ?? 0
        return greeting >= clientWindow(\.connect).microseconds
            || patience(from: last, to: event) >= clientWindow(\.silence).microseconds / 4
            || connection.sent.contains { frame in
                guard frame.type == "chat", frame.event < event else { return false }
                let news = news(of: frame.clientMessageId, after: frame.event, before: event, leavingOld: true)
                return patience(from: frame.event, to: min(event, news ?? .max)) >= clientWindow(\.resend).microseconds
                    / 4
            }
    }

    /// The greeted connection that had died in silence and that the client had no reason to doubt.
    func deadConnection(at event: Int) -> Int? {
        guard let life = client.launch(at: event)?.events else { return nil }
        guard let last = attempts(in: life.lowerBound..<event).last,
            connections[last].connected.map({ $0 < event }) == true, client.ends[last].map({ $0 > event }) ?? true,
            let ending = connections[last].ending, ending.kind == .cut, ending.event < event,
            client.returns.allSatisfy({ $0.event > event || $0.left < connections[last].opening })
        else { return nil }
        return last
    }

    /// The trouble a client had been in for long enough to say so, with what it may call it.
    func trouble(at event: Int) -> (since: Int, expected: Set<ObservedClient.Connection>)? {
        let client = client
        let settled = timeouts.scheduling.microseconds
        guard client.isForeground(at: event), let life = client.launch(at: event)?.events else { return nil }
        let changes = client.acts.filter {
            $0.event < event && ["launch", "foreground", "openPush", "networkDown", "networkUp"].contains($0.name)
        }
        guard let change = changes.last else { return nil }
        if !client.hasNetwork(at: event) {
            // Who was launched without a network was not told of it, and finds out by its attempts.
            let wasTold = client.acts.contains {
                life.contains($0.event) && $0.event < event && $0.name == "networkDown"
            }
            guard wasTold, patience(from: change.event, to: event) >= settled else { return nil }
            return (change.event, [.offline])
        }
        let attempts = attempts(in: life.lowerBound..<event)
        let lost = attempts.compactMap { index -> Int? in
            connections[index].connected.map { $0 < event } == true ? client.ends[index] ?? .max : nil
        }.max()
        let since = max(lost ?? change.event, change.event)
        guard since < event, patience(from: since, to: event) >= settled, !wasSentAway(before: event) else {
            return nil
        }
        let reads = client.reads.filter { read in
            read.request > since && read.status == 200 && read.response.map { $0 < event } == true
        }
        let tries = attempts.filter { connections[$0].opening > since }
        // An attempt that has just ended may still be on the screen, and the client sees sooner than the stage that it
        // gave one up.
        let ends = tries.compactMap { client.ends[$0] }
        let isTrying =
            ends.count < tries.count
            || ends.contains { $0 > event && patience(from: event, to: $0) >= Self.redraw.microseconds }
        let isAtEnd = ends.contains { end in
            patience(from: min(end, event), to: max(end, event)) < Self.redraw.microseconds
        }
        // Who polled before a tap, or before the system reports the app as active, goes on polling.
        let begun = changes.last { change in
            change.name != "openPush"
                && (change.name != "foreground" || client.returns.contains { $0.event == change.event })
        }
        let start = lost ?? begun?.event ?? since
        // Who waits for the first answer polls, too, and so does who gets an error now and then.
        let isAnswered = exchanges.contains { exchange in
            exchange.response.map { $0 > start && $0 < event } == true && (exchange.status ?? 500) < 500
        }
        // What was answered after the loss or just before it, or asked for just before it, is the first of it.
        let hasPolled = client.reads.contains { read in
            let end = end(of: read)
            guard read.request < event, end > event || read.status == 200 || isAnswered else { return false }
            return patience(from: end > event ? read.request : end, to: start) < Self.onItsWay.microseconds
        }
        if isTrying || isAtEnd {
            return (since, hasPolled || !isTrying ? [.connecting, .degraded] : [.connecting])
        }
        // One read may be part of the start; a second one is polling.
        guard !tries.isEmpty, let second = reads.dropFirst().first?.response,
            patience(from: second, to: event) >= Self.redraw.microseconds
        else { return nil }
        // Who waits for a read, was refused one, or lost a question over REST, does not know that reads work.
        let lostPosts = exchanges.filter { $0.isChat && ($0.failure != nil || $0.status ?? 0 >= 500) }
        let isInDoubt = (client.reads + lostPosts).contains { read in
            let end = min(end(of: read), event)
            guard end > since, read.request < event else { return false }
            return (read.status != 200 || end == event)
                && (end < event || patience(from: read.request, to: event) >= Self.redraw.microseconds)
        }
        return (since, isInDoubt ? [.connecting, .degraded] : [.degraded])
    }

    /// The attempts from a launch on, until it is greeted or anything is done to it.
    func undisturbedAttempts(of launch: ObservedClient.Launch) -> [Int] {
        let attempts = attempts(in: launch.events)
        let greeted = attempts.lazy.compactMap { self.connections[$0].connected }.min()
        let disturbed = client.acts.first { $0.event > launch.events.lowerBound && $0.name != "selectSession" }?.event
        let end = [greeted, disturbed].compactMap { $0 }.min() ?? .max
        return attempts.map { connections[$0].opening }.filter { $0 < end }
    }

    /// Whether the client had a further connection, or one that is not settled, as far as it could tell.
    ///
    /// One that died in silence before this one was opened is no more.
    func hasAnother(than index: Int, at event: Int, in life: Range<Int>) -> Bool {
        attempts(in: life.lowerBound..<event).contains { other in
            let isDead = connections[other].ending.map { $0.event < connections[index].opening } ?? false
            return other != index && !isDead && (client.ends[other].map { $0 > event } ?? true)
        }
    }
}

import Holdfast
import HoldfastTranscript

extension CLIENT {
    /// CLIENT-36: "A client MUST replace its connection within `foregroundReconnect` of each return to the foreground,
    /// never at launch, and send no frame on the old one, unless a terminal close came".
    ///
    /// Tested once for each return with a network, unless the server had sent the client away.
    static func foregroundReconnects(_ history: Observations, _ evidence: inout Evidence) {
        for back in history.client.returns {
            reconnects(after: back.event, "the app came to the foreground", history, into: &evidence)
        }
    }

    /// CLIENT-36, rule 2: nothing is sent on the old connection.
    ///
    /// Tested once for each return of an app that had a connection when it left, if it sends anything afterwards.
    /// Frames sent before it left may arrive after a short absence, and a `ping` may have been on its way; neither
    /// excuses a message typed since.
    static func oldConnectionsAreUnused(_ history: Observations, _ evidence: inout Evidence) {
        let client = history.client
        for back in client.returns {
            guard let life = client.launch(at: back.event)?.events else { continue }
            let old = history.attempts(in: life.lowerBound..<back.left).filter { index in
                guard let end = client.ends[index], end.isBefore(back.event) else { return true }
                return end > back.left && history.wasEndedByClient(history.connections[index])
            }
            guard !old.isEmpty else { continue }
            let sent = history.sent.filter { $0.isAfter(back.event) && $0.isBefore(life.upperBound) }
            let typed = Set(
                history.clientQuestions.filter { $0.typed.isAfter(back.event) }.flatMap(\.requests).map(
                    \.event))
            let onTheWay = sent.filter { frame in
                let sent = frame.kind == .ping ? back.event : back.left
                return old.contains(frame.connection) && !typed.contains(frame.event)
                    && history.effectiveSpan(from: sent, to: frame.event)
                        <= history.timeouts.scheduling.microseconds
            }
            let used = sent.first { frame in
                old.contains(frame.connection) && !onTheWay.contains { $0.event == frame.event }
            }
            evidence.test(no: used, keptIf: sent.count > onTheWay.count) { used in
                Finding(
                    "the client used a connection from before it went to the background",
                    expected: "frames on a new connection",
                    actual: called(used), at: [back.left, back.event, used.event])
            }
        }
    }

    /// CLIENT-36, rule 3: the first report of the system after a launch does not count as a return.
    ///
    /// Tested once for each launch with a `foreground` and no `background` before it, watched for
    /// `foregroundReconnect`. A connection that another party ended proves nothing.
    static func firstConnectionIsKept(_ history: Observations, _ evidence: inout Evidence) {
        for launch in history.client.launches {
            let start = launch.events.lowerBound
            guard let sign = history.client.acts("foreground", "background", "networkDown").after(start).first,
                sign.name == "foreground", sign.isBefore(launch.events.upperBound),
                let late = history.clientDeadline(after: sign.event, within: history.clientBound(\.foregroundReconnect))
            else { continue }
            func end(of index: Int) -> Int? {
                earliest(history.connections[index].ending?.event, history.connections[index].refused)
            }
            // A client that was refused before, such as for its version, had no connection to keep then.
            let all = history.attempts(in: start..<late.event)
            let attempts = all.drop { end(of: $0).isBefore(sign.event) }
            guard let first = attempts.first, case let opening = history.connections[first].opening,
                all.first == first || !opening.isAfter(sign.event)
            else { continue }
            if let end = end(of: first), late.isAfter(end) {
                guard end.isAfter(sign.event), history.endsWithoutReason(first, at: end) else { continue }
                evidence.violate(
                    "the client ended the connection it had just opened", expected: "the first connection only",
                    actual: "its end", at: [sign.event, end])
            } else {
                let others = attempts.dropFirst().map { history.connections[$0].opening }
                let second = others.first { $0.isAfter(sign.event) && !history.mayGiveUp(first, at: $0) }
                evidence.test(no: second) { other in
                    Finding(
                        "the client opened a second connection", expected: "the first connection only",
                        actual: "a new connection", at: [sign.event, other])
                }
            }
        }
    }

    private static func reconnects(
        after event: Int, _ what: String, _ history: Observations, into evidence: inout Evidence
    ) {
        let client = history.client
        guard client.isForeground(at: event), client.hasNetwork(at: event), client.launch(at: event) != nil,
            !history.wasSentAway(before: event)
        else { return }
        attempts(
            after: event, within: \.foregroundReconnect, "\(what), and the client did not reconnect",
            expected: "a new connection within the bound 'foregroundReconnect'", history, into: &evidence)
    }

    private static func attempts(
        after event: Int, within path: KeyPath<Timeouts, Duration>, _ what: String, expected: String,
        _ history: Observations, into evidence: inout Evidence
    ) {
        let bound = history.clientBound(path)
        let next = history.nextOpening(after: event)
        let isInTime = next.map { history.effectiveSpan(from: event, to: $0) <= bound.microseconds } ?? false
        evidence.test(isInTime, brokenBy: history.clientDeadline(after: event, within: bound)) { late in
            let isLate = next == late.event
            return Finding(
                what, expected: expected, actual: isLate ? "one, too late" : "none",
                at: [event, isLate ? late.event : late])
        }
    }

    // MARK: Attempts to connect

    /// CLIENT-1: "A client MUST NOT, on its own, attempt to connect, send one message, ask for one position or make one
    /// failing read more than 20 times in a minute".
    ///
    /// Tested once for each launch with attempts of its own, each message that was resent, and each position, session
    /// or list that was requested again, in a minute or more. Requests caused by the person, the system or a push are
    /// not the client's own; nor, except for connecting, are those caused by a new connection.
    static func retriesAreBounded(_ history: Observations, _ evidence: inout Evidence) {
        let acts = history.client.acts.map(\.event)
        let causes = history.recoveryTriggers + acts
        func test(_ acts: [Int], but causes: [Int], watched: Range<Int>? = nil, _ what: String) {
            let own = zip(acts, acts.dropFirst()).filter { before, act in
                !causes.contains { $0 > before && $0 < act }
            }.map(\.1)
            guard let first = own.first else { return }
            let isLong = history.isWatched(watched ?? first..<history.endOfLife(at: first))
            evidence.test(no: history.burst(in: own), keptIf: isLong) { burst in
                Finding(
                    what, expected: "at most \(Observations.maxPerMinute) times a minute",
                    actual: "\(Observations.maxPerMinute + 1) times in less", at: [burst.lowerBound, burst.upperBound])
            }
        }
        for launch in history.client.launches {
            let openings = history.attempts(in: launch.events).map { history.connections[$0].opening }
            test(openings, but: acts, watched: launch.events, "the client attempts to connect too often")
        }
        if evidence.exercised > 0, let remark = tightLoop(history) { evidence.remarks.append(remark) }
        for question in history.clientQuestions where !question.isAmbiguous {
            test(question.requests.map(\.event), but: causes, "a message is resent too often")
        }
        let asked = history.syncs.map { sync in
            ("\(sync.connection) \(sync.request.epoch ?? "") \(sync.lastSeqSeen ?? 0)", sync.request.event)
        }
        for syncs in inGroups(asked) { test(syncs, but: causes, "one position is asked for again and again") }
        let failed = history.client.reads.filter { !$0.isAnswered }.map { ($0.route, $0.request) }
        for reads in inGroups(failed) { test(reads, but: causes, "a failing read is repeated too often") }
    }

    /// The events grouped by name, in the order of the first event of each group.
    private static func inGroups<Name: Hashable>(_ events: [(Name, Int)]) -> [[Int]] {
        Dictionary(grouping: events, by: \.0).values.map { $0.map(\.1) }.sorted { $0[0] < $1[0] }
    }

    /// The processor share of a client that never rests; nil if it rests, or the share is unknown.
    ///
    /// No clause limits it, and counts of attempts miss a loop that requests no connection.
    private static func tightLoop(_ history: Observations) -> String? {
        guard let act = history.client.acts("processorTime").last, let launch = history.client.launches.first,
            let used = act.details["milliseconds"]?.intValue
        else { return nil }
        let watched = history.span(from: launch.events.lowerBound, to: act.event) / 1000
        guard watched >= 2000, used > watched / 2 else { return nil }
        let share = "\(used * 100 / watched) % of a processor for \(watched / 1000) s"
        return "the client used \(share), as a loop without a pause does"
    }

    /// CLIENT-2: "A client SHOULD vary the wait between attempts at random".
    ///
    /// Tested once for each pair of launches with five undisturbed attempts each. Eight attempts of one launch with
    /// equal waits are enough for a violation, because a late machine may disturb the other launch. Waits that differ
    /// by less than 5 %, or by the delay that a machine adds to any timer, are equal.
    static func waitsVary(_ history: Observations, _ evidence: inout Evidence) {
        var before: [Int]?
        for launch in history.client.launches {
            let openings = history.undisturbedAttempts(of: launch)
            guard openings.count >= 5 else { continue }
            let waits = zip(openings, openings.dropFirst()).map { history.span(from: $0, to: $1) }
            let shown = waits.prefix(8).map { "\($0 / 1000) ms" }.joined(separator: ", ")
            if openings.count >= 8, let least = waits.min(), let most = waits.max(), !isVaried(least, most) {
                evidence.violate(
                    "the client waits equally long before each attempt",
                    expected: "waits that differ by more than 5 %", actual: shown, at: openings)
            } else if let before {
                evidence.test(
                    zip(before, waits).contains(where: isVaried),
                    otherwise: "the client waits for the same intervals after each launch",
                    expected: "waits that differ by more than 5 %", actual: shown + " again", at: openings)
            }
            before = waits
        }
    }

    /// Whether two waits, in microseconds, differ by more than a machine adds to any timer.
    private static func isVaried(_ one: Int, _ other: Int) -> Bool {
        abs(one - other) > max(max(one, other) / 20, 40_000)
    }

    /// CLIENT-37: "A client MUST attempt to connect at most 30 s apart while unconnected, 10 s after losing a
    /// connection that stood a minute, and `foregroundReconnect` after the network returns".
    ///
    /// Once for the last launch, if it has no attempt and the client was not sent away before, and once for each return
    /// of the network in the foreground.
    static func attemptsBegin(_ history: Observations, _ evidence: inout Evidence) {
        let client = history.client
        for act in client.acts("networkUp") where !client.hasNetwork(at: act.event - 1) {
            reconnects(after: act.event, "the network came back", history, into: &evidence)
        }
        if let launch = client.launches.last, history.attempts(in: launch.events).isEmpty,
            client.hasNetwork(at: launch.events.lowerBound),
            !client.launches.dropLast().contains(where: { history.wasSentAway(before: $0.events.upperBound - 1) })
        {
            attempts(
                after: launch.events.lowerBound, within: \.backoff, "the client does not try to connect",
                expected: "an attempt within the bound 'backoff'", history, into: &evidence)
        }
    }

    /// CLIENT-37, rule 2: an attempt follows each end that the client could see and that left it without a connection.
    ///
    /// Tested once for each such end, and once for the sum of the waits after good connections, if there are three or
    /// more. An attempt that neither ends nor is greeted is over after 30 s.
    static func attemptsContinue(_ history: Observations, _ evidence: inout Evidence) {
        let (client, minute) = (history.client, history.clientWindow(\.attempts).microseconds)
        var waits: [(end: Int, next: Int)] = []
        for index in client.attempts {
            let connection = history.connections[index]
            if let late = history.endOfFailedAttempt(index) {
                let what = "the client waits for an attempt that fails"
                evidence.violate(what, expected: "another one", actual: "none", at: [connection.opening, late])
                continue
            }
            guard let end = client.ends[index], client.isForeground(at: end), client.hasNetwork(at: end),
                let life = client.launch(at: connection.opening)?.events, life.contains(end),
                !history.wasSentAway(before: end + 1), !history.hasAnother(than: index, at: end, in: life)
            else { continue }
            let hasLasted = connection.connected.map { history.effectiveSpan(from: $0, to: end) >= minute } == true
            let stop = history.end(of: end, at: ObservedClient.interruptions)
            if hasLasted, let next = history.nextOpening(after: end), next < stop { waits.append((end, next)) }
            let what = hasLasted ? "waits long after a good connection" : "stopped trying to connect"
            attempts(
                after: end, within: hasLasted ? \.connect : \.backoff, "the client \(what)",
                expected: "an attempt within \(hasLasted ? "10 s" : "the bound 'backoff'")", history, into: &evidence)
        }
        // A busy machine may prolong one wait after a good connection, but not each of them.
        guard waits.count > 2, let last = waits.last else { return }
        let sum = waits.reduce(0) { $0 + history.effectiveSpan(from: $1.end, to: $1.next) }
        let bound = history.clientWindow(\.connect) * waits.count + history.timeouts.scheduling
        evidence.test(
            sum <= bound.microseconds, otherwise: "the client waits long after each good connection",
            expected: "an attempt within 10 s", actual: "\(sum / waits.count / 1_000) ms", at: [last.end, last.next])
    }

    /// Acts that imply neither new credentials nor another version of the app.
    private static let neutralActs: Set<String> = ["background", "networkDown", "networkUp", "receivePush"]

    /// CLIENT-3: "A client MUST NOT reconnect after a terminal close until the person acts or the app returns, unless
    /// the code was 4010 and it offers an open version".
    ///
    /// Tested once for each such close, watched for a minute. An act of the person may allow a new attempt; a change of
    /// the network may not.
    static func terminalClosesAreFinal(_ history: Observations, _ evidence: inout Evidence) {
        let client = history.client
        for index in client.attempts {
            let connection = history.connections[index]
            guard let close = history.terminalClose(of: connection) else { continue }
            // A client that has opened another connection has abandoned this one.
            if history.attempts(in: connection.opening..<close).count > 1 { continue }
            let act = client.acts.first { $0.isAfter(close) && !neutralActs.contains($0.name) }?.event
            // A client that loses the network right then may never learn of the close.
            let network = client.acts("networkDown", "networkUp").after(close).first?.event
            if let network, history.mayCross(close, network) { continue }
            if let next = history.nextOpening(after: close), act.isOpen(at: next) {
                if history.mayHaveBegun(next, before: close) { continue }
                if let offered = history.offersAnotherVersion(after: close, of: index) {
                    if offered { evidence.keep() }
                    continue
                }
                evidence.violate(
                    "the client reconnected after a terminal close code",
                    expected: "no connection before an action of the person",
                    actual: "a new connection", at: [close, next])
            } else if let late = history.clientDeadline(
                after: close, within: history.clientWindow(\.attempts), unless: []), act.isOpen(at: late.event - 1)
            {
                evidence.keep()
            }
        }
    }
}

extension Observations {
    fileprivate func mayGiveUp(_ index: Int, at event: Int) -> Bool {
        let connection = connections[index]
        return connection.connected.isOpen(at: event)
            && span(from: connection.opening, to: event) >= clientWindow(\.connect).microseconds
    }

    fileprivate func endsWithoutReason(_ index: Int, at end: Int) -> Bool {
        let connection = connections[index]
        if mayGiveUp(index, at: end) { return false }
        // On a late machine, the client may have overlooked the greeting.
        return wasEndedByClient(connection) && !hasWaited(on: index, at: end)
            && !wasLate(from: connection.opening, to: end)
    }

    /// The event that proves that an attempt neither ended nor was greeted, and that no other followed.
    fileprivate func endOfFailedAttempt(_ index: Int) -> Expiry? {
        let (connection, backoff) = (connections[index], clientBound(\.backoff))
        guard let late = clientDeadline(after: connection.opening, within: backoff + backoff),
            client.ends[index].isOpen(at: late.event), connection.connected.isOpen(at: late.event),
            nextOpening(after: connection.opening).isOpen(at: late.event), !wasSentAway(before: late.event)
        else { return nil }
        return late
    }

    /// Whether a client may have begun a connection before it received a terminal close: the request was on its way,
    /// caused just before, or the old connection had been abandoned.
    fileprivate func mayHaveBegun(_ next: Int, before close: Int) -> Bool {
        // On a late machine, the request may have been on its way when the close arrived.
        let isLate = wasLate(from: close, to: next)
        if isLate, effectiveSpan(from: close, to: next) < timeouts.scheduling.microseconds { return true }
        let opened = attempts(in: 0..<close).last.map { connections[$0].opening } ?? 0
        let isCaused = client.acts("foreground", "openPush", "networkUp").contains { act in
            act.isAfter(opened) && act.isBefore(close)
                && effectiveSpan(from: act.event, to: next) < clientBound(\.foregroundReconnect).microseconds
        }
        // A client that has just sent something over REST may have abandoned the connection already.
        return isCaused
            || exchanges.contains { exchange in
                exchange.isChat && exchange.isAsked(before: close) && mayCross(exchange.request, close)
            }
    }

    /// The maximum number of attempts, sends or reads of one kind that a client may make in a minute on its own.
    static let maxPerMinute = 20

    /// The first range of events that contains too many for a minute of the client's time.
    func burst(in events: [Int]) -> ClosedRange<Int>? {
        let window = clientWindow(\.attempts).microseconds
        return events.indices.dropFirst(Self.maxPerMinute).lazy
            .map { events[$0 - Self.maxPerMinute]...events[$0] }
            .first { span(from: $0.lowerBound, to: $0.upperBound) < window }
    }

    /// Whether a period of the history lasts at least a minute of the client's time.
    func isWatched(_ stretch: Range<Int>) -> Bool {
        span(from: stretch.lowerBound, to: min(stretch.upperBound, events.count) - 1)
            >= clientWindow(\.attempts).microseconds
    }
}

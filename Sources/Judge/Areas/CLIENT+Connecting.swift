import Holdfast
import HoldfastTranscript

/// How a client comes to a connection and keeps it, or does not.
extension CLIENT {
    /// CLIENT-1: "A client MUST open a new connection within `foregroundReconnect` of coming to the foreground after having
    /// been in the background, whatever it believes about the old one, unless a close with a terminal code ended it".
    ///
    /// Once for each return with a network, unless the server had told it to stay away.
    static func foregroundReconnects(_ history: Observations, _ evidence: inout Evidence) {
        for back in history.client.returns {
            reconnects(after: back.event, "the app came to the foreground", history, into: &evidence)
        }
    }

    /// CLIENT-2: "A client MUST NOT use a connection from before the background for anything it sends after it came to the
    /// foreground".
    ///
    /// Once for each return of an app that had a connection when it left, when it sends anything afterwards. What it sent
    /// before it left may arrive after a short absence, and a `ping` may have been on its way; what the person typed since is
    /// neither.
    static func oldConnectionsRest(_ history: Observations, _ evidence: inout Evidence) {
        let client = history.client
        for back in client.returns {
            guard let life = client.launch(at: back.event)?.events else { continue }
            let old = history.attempts(in: life.lowerBound..<back.left).filter { index in
                guard let end = client.ends[index], end < back.event else { return true }
                return end > back.left && history.wasEndedByClient(history.connections[index])
            }
            guard !old.isEmpty else { continue }
            let sent = history.sent.filter { $0.event > back.event && $0.event < life.upperBound }
            let typed = Set(client.typed.filter { $0.event > back.event }.flatMap(\.sends).map(\.event))
            let onTheWay = sent.filter { frame in
                let sent = frame.type == "ping" ? back.event : back.left
                return old.contains(frame.connection) && !typed.contains(frame.event)
                    && history.patience(from: sent, to: frame.event)
                        <= history.timeouts.scheduling.microseconds
            }
            let used = sent.first { frame in
                old.contains(frame.connection) && !onTheWay.contains { $0.event == frame.event }
            }
            evidence.test(no: used, keptIf: sent.count > onTheWay.count) { used in
                Finding(
                    "a connection from before the background was used", expected: "frames on a new one",
                    actual: called(used), at: [back.left, back.event, used.event])
            }
        }
    }

    /// CLIENT-3: "A client MUST keep its first connection when the system reports it as active for the first time after
    /// launch".
    ///
    /// Once for each launch with a `foreground` and no `background` before it, watched for `foregroundReconnect`. A
    /// connection that others ended proves nothing.
    static func firstConnectionIsKept(_ history: Observations, _ evidence: inout Evidence) {
        for launch in history.client.launches {
            let begin = launch.events.lowerBound
            guard let told = history.client.nextAct("foreground", "background", after: begin),
                told.name == "foreground", told.event < launch.events.upperBound,
                history.client.nextAct("networkDown", after: begin).map({ $0.event > told.event }) ?? true,
                let late = history.clientSilence(after: told.event, within: history.clientBound(\.foregroundReconnect))
            else { continue }
            func end(of index: Int) -> Int? {
                [history.connections[index].ending?.event, history.connections[index].refused].compactMap(\.self).min()
            }
            // Who was refused before, such as for a version, had no connection to keep then.
            let attempts = history.attempts(in: begin..<late).drop { end(of: $0).map { $0 < told.event } ?? false }
            let hadAnother = history.attempts(in: begin..<late).first != attempts.first
            guard let first = attempts.first else { continue }
            let connection = history.connections[first]
            if hadAnother, connection.opening > told.event { continue }
            let end = end(of: first)
            let others = attempts.dropFirst().map { history.connections[$0].opening }
            if let end, end < late {
                // On a machine that was late, it may have taken the greeting for one that never came.
                guard end > told.event, history.wasEndedByClient(connection), !history.hasWaited(on: first, at: end),
                    !history.wasLate(from: connection.opening, to: end)
                else { continue }
                evidence.violate(
                    "the client ended the connection it had just made", expected: "its first connection is kept",
                    actual: "its end", at: [told.event, end])
            } else {
                evidence.test(no: others.first { $0 > told.event }) { other in
                    Finding(
                        "the client opened another connection", expected: "its first connection is kept",
                        actual: "a new connection", at: [told.event, other])
                }
            }
        }
    }

    /// CLIENT-8: "A client MUST attempt to connect within `foregroundReconnect` of the network's return, unless a close with
    /// a terminal code ended its last connection".
    ///
    /// Once for each return of the network while the app is in the foreground, unless the server had told it to stay away.
    static func networkReturnReconnects(_ history: Observations, _ evidence: inout Evidence) {
        for act in history.client.acts("networkUp") where !history.client.hasNetwork(at: act.event - 1) {
            reconnects(after: act.event, "the network came back", history, into: &evidence)
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
            after: event, within: \.foregroundReconnect, "\(what), and the client did not connect",
            expected: "a new connection within the bound 'foregroundReconnect'", history, into: &evidence)
    }

    /// Judges whether the client asked for a connection within a bound.
    private static func attempts(
        after event: Int, within path: KeyPath<Timeouts, Duration>, _ what: String, expected: String,
        _ history: Observations, into evidence: inout Evidence
    ) {
        let bound = history.clientBound(path)
        let next = history.nextOpening(after: event)
        let isInTime = next.map { history.patience(from: event, to: $0) <= bound.microseconds } ?? false
        evidence.test(isInTime, orBy: history.clientSilence(after: event, within: bound)) { late in
            Finding(what, expected: expected, actual: next == late ? "one after it" : "none", at: [event, late])
        }
    }

    // MARK: How often a client tries to connect, and when it stops

    /// The most attempts in one minute without a greeting.
    private static let attemptsPerMinute = 20

    /// CLIENT-5: "A client MUST NOT make more than 20 connection attempts in a minute while no `connected` arrives, nor while
    /// each of its connections is ended by the server before any frame but `connected`, `syncResult` and `pong` has arrived on
    /// it".
    ///
    /// Once for each time of a minute or more in which it made two attempts at least and none was of use.
    static func attemptsAreBounded(_ history: Observations, _ evidence: inout Evidence) {
        let window = history.clientWindow(\.attempts).microseconds
        let greetings = history.connections.filter { !isBarren($0) }.compactMap(\.connected).sorted()
        for launch in history.client.launches {
            let openings = history.attempts(in: launch.events).map { history.connections[$0].opening }
            var rest = openings[...]
            while let first = rest.first {
                let greeted = greetings.first { $0 > first } ?? launch.events.upperBound
                let stretch = rest.prefix { $0 < greeted }
                rest = rest.dropFirst(stretch.count)
                let crowd = stretch.indices.dropFirst(attemptsPerMinute).first { index in
                    history.span(from: stretch[index - attemptsPerMinute], to: stretch[index]) < window
                }
                let last = min(greeted, history.events.count - 1)
                let wasLong = stretch.count > 1 && history.span(from: first, to: last) >= window
                evidence.test(no: crowd, keptIf: wasLong) { crowd in
                    Finding(
                        "the client hammers a server whose connections bring nothing",
                        expected: "at most \(attemptsPerMinute) attempts a minute",
                        actual: "\(attemptsPerMinute + 1) in less",
                        at: [stretch[crowd - attemptsPerMinute], stretch[crowd]])
                }
            }
        }
        if evidence.exercised > 0, let remark = tightLoop(history) { evidence.remarks.append(remark) }
    }

    /// Whether the server ended a greeted connection, and nothing had come on it that shows it works.
    private static func isBarren(_ connection: ObservedConnection) -> Bool {
        guard let greeted = connection.connected, let ending = connection.ending,
            !connection.received.contains(where: { frame in
                frame.event > greeted && frame.event < ending.event && !frame.isOf("syncResult", "pong")
            })
        else { return false }
        if case .closed(.fromServer, _) = ending.kind { return true }
        return ending.kind == .cut
    }

    /// What a client that never rests used of a processor; nil when it rests, and where nobody told.
    ///
    /// No clause bounds it, and no count of attempts shows a loop that asks for no connection.
    private static func tightLoop(_ history: Observations) -> String? {
        guard let act = history.client.acts("processorTime").last, let launch = history.client.launches.first,
            let used = act.details["milliseconds"]?.intValue
        else { return nil }
        let watched = history.span(from: launch.events.lowerBound, to: act.event) / 1000
        guard watched >= 2000, used > watched / 2 else { return nil }
        let share = "\(used * 100 / watched) % of a processor for \(watched / 1000) s"
        return "the client used \(share), as a loop without a pause does"
    }

    /// CLIENT-6: "A client SHOULD vary the wait between attempts at random".
    ///
    /// Once for each two launches with five attempts each in which nothing but the launch made the client try, and for each with
    /// eight whose waits are all equal, because a late machine may disturb the other. Waits that differ by less than 5 %, or by
    /// what a machine adds to any timer, are equal.
    static func waitsVary(_ history: Observations, _ evidence: inout Evidence) {
        var before: [Int]?
        for launch in history.client.launches {
            let openings = history.undisturbedAttempts(of: launch)
            guard openings.count >= 5 else { continue }
            let waits = zip(openings, openings.dropFirst()).map { history.span(from: $0, to: $1) }
            let shown = waits.prefix(8).map { "\($0 / 1000) ms" }.joined(separator: ", ")
            if openings.count >= 8, let least = waits.min(), let most = waits.max(), !isVaried(least, most) {
                evidence.violate(
                    "the client waits the same time before each attempt",
                    expected: "waits that differ by more than 5 %", actual: shown, at: openings)
            } else if let before {
                evidence.test(
                    zip(before, waits).contains(where: isVaried),
                    otherwise: "the client waits the same times after each launch",
                    expected: "waits that differ by more than 5 %", actual: shown + " again", at: openings)
            }
            before = waits
        }
    }

    /// Whether two waits, in microseconds, differ by more than a machine adds to any timer.
    private static func isVaried(_ one: Int, _ other: Int) -> Bool {
        abs(one - other) > max(max(one, other) / 20, 40_000)
    }

    /// CLIENT-7: "A client MUST go on attempting to connect, at most 30 s apart, while it is in the foreground, has network
    /// and was not closed with a terminal code".
    ///
    /// Once for each end of an attempt or a connection that the client could see and that left it without another, and for each
    /// launch after which it makes none, where none comes after it and none before it was sent away for good.
    static func attemptsGoOn(_ history: Observations, _ evidence: inout Evidence) {
        let client = history.client
        if let launch = client.launches.last, history.attempts(in: launch.events).isEmpty,
            client.hasNetwork(at: launch.events.lowerBound),
            !client.launches.dropLast().contains(where: { history.wasSentAway(before: $0.events.upperBound - 1) })
        {
            attempts(
                after: launch.events.lowerBound, within: \.backoff, "the client does not try to connect",
                expected: "an attempt within the bound 'backoff'", history, into: &evidence)
        }
        for index in client.attempts {
            guard let end = client.ends[index], client.isForeground(at: end), client.hasNetwork(at: end),
                let life = client.launch(at: end)?.events, !history.wasSentAway(before: end + 1),
                !history.hasAnother(than: index, at: end, in: life)
            else { continue }
            attempts(
                after: end, within: \.backoff, "the client stopped trying to connect",
                expected: "an attempt within the bound 'backoff'", history, into: &evidence)
        }
    }

    /// CLIENT-9: "A client MUST NOT reconnect on its own after a close with 4001, nor after one with 4010 except to
    /// offer another version that it has not offered since its last `connected`, one of `supported` if the `error` before it
    /// listed any".
    ///
    /// Once for each such close, watched for a minute. What a person or the system does may begin anew.
    static func terminalClosesAreFinal(_ history: Observations, _ evidence: inout Evidence) {
        let client = history.client
        for index in client.attempts {
            let connection = history.connections[index]
            guard let close = history.terminalClose(of: connection) else { continue }
            let act = client.acts.first { $0.event > close && $0.name != "background" }
            let next = history.nextOpening(after: close)
            if let next, act.map({ next < $0.event }) ?? true {
                // On a machine that was late, it may have been on its way when the close came.
                let isLate = history.wasLate(from: close, to: next)
                let scheduling = history.timeouts.scheduling.microseconds
                if isLate, history.patience(from: close, to: next) < scheduling { continue }
                if let offered = history.offersAnotherVersion(after: close, of: index) {
                    if offered { evidence.keep() }
                    continue
                }
                evidence.violate(
                    "the client came back after it was told to stay away",
                    expected: "no connection before the person or the system does something",
                    actual: "a new connection", at: [close, next])
            } else if let late = history.clientSilence(
                after: close, within: history.clientWindow(\.attempts), unless: []),
                act.map({ late <= $0.event }) ?? true
            {
                evidence.keep()
            }
        }
    }
}

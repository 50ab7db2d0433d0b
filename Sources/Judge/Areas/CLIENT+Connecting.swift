import Holdfast
import Transcript

/// How a client comes to a connection and keeps it, or does not.
extension CLIENT {
    static let connecting: [Check] =
        honesty + [
            Check(.CLIENT, 1, foregroundReconnects), Check(.CLIENT, 2, oldConnectionsRest),
            Check(.CLIENT, 3, firstConnectionIsKept), Check(.CLIENT, 5, attemptsAreBounded),
            Check(.CLIENT, 6, waitsVary), Check(.CLIENT, 7, attemptsGoOn),
            Check(.CLIENT, 8, networkReturnReconnects), Check(.CLIENT, 9, terminalClosesAreFinal),
        ]

    /// CLIENT-1: "A client MUST open a new connection within `foregroundReconnect` of coming to the foreground after having
    /// been in the background, whatever it believes about the old one".
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
            if let used {
                evidence.violate(
                    "a connection from before the background was used", expected: "frames on a new one",
                    actual: called(used), at: [back.left, back.event, used.event])
            } else if sent.count > onTheWay.count {
                evidence.keep()
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
                let late = history.clientSilence(after: told.event, within: history.clientBound(\.foregroundReconnect))
            else { continue }
            let attempts = history.attempts(in: begin..<late)
            guard let first = attempts.first else { continue }
            let connection = history.connections[first]
            let end = [connection.ending?.event, connection.refused].compactMap { $0 }.min()
            let others = attempts.dropFirst().map { history.connections[$0].opening }
            if let end, end < late {
                // On a machine that was late, it may have taken the greeting for one that never came.
                guard end > told.event, history.wasEndedByClient(connection),
                    !history.wasLate(from: connection.opening, to: end)
                else { continue }
                evidence.violate(
                    "the client ended the connection it had just made", expected: "its first connection is kept",
                    actual: "its end", at: [told.event, end])
            } else {
                let other = others.first { $0 > told.event }
                evidence.test(no: other) { other in
                    Finding(
                        "the client opened another connection", expected: "its first connection is kept",
                        actual: "a new connection", at: [told.event, other])
                }
            }
        }
    }

    /// CLIENT-8: "A client MUST attempt to connect within `foregroundReconnect` of the network's return".
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
        let bound = history.clientBound(\.foregroundReconnect)
        let next = history.attempt(after: event).map { history.connections[$0].opening }
        if let next, history.patience(from: event, to: next) <= bound.microseconds {
            evidence.keep()
        } else if let late = history.clientSilence(after: event, within: bound) {
            evidence.violate(
                "\(what), and the client did not connect",
                expected: "a new connection within the bound 'foregroundReconnect'",
                actual: next == late ? "one after it" : "none", at: [event, late])
        }
    }
}

import Holdfast
import JSON
import Transcript

/// What a person sees of the sessions that are not on the screen.
extension CLIENT {
    /// CLIENT-42: "A client SHOULD count a live answer of a session that is not on the screen as unread in that
    /// session".
    ///
    /// Once for each such answer while the app is in the foreground and its connection stays open. Answers to the same
    /// session add up until it comes to the screen; what else a client counts is its own.
    static func othersAreCounted(_ history: Observations, _ evidence: inout Evidence) {
        var waiting: [String: (base: Int, ids: Set<String>, event: Int)] = [:]
        for frame in history.received where frame.type == "done" && !frame.isDuplicate {
            guard let session = frame.sessionId, let state = history.client.state(at: frame.event),
                state.sessionId != session, history.client.isForeground(at: frame.event)
            else { continue }
            var entry = waiting[session] ?? (state.unread[session] ?? 0, [], frame.event)
            let wasShown = history.client.states(from: entry.event, to: frame.event).contains {
                $0.sessionId == session
            }
            if wasShown || history.client.launch(at: entry.event)?.events.contains(frame.event) != true {
                entry = (state.unread[session] ?? 0, [], frame.event)
            }
            entry.ids.insert(frame.messageId ?? "event \(frame.event)")
            waiting[session] = entry
            let wanted = entry.base + entry.ids.count
            let outcome = history.shown(
                after: frame.event, within: history.timeouts.pong,
                before: history.end(of: frame.event, at: ["launch", "quit", "exit", "background", "networkDown"])
            ) { state in state.sessionId == session ? nil : state.unread[session] ?? 0 >= wanted }
            switch outcome {
            case .kept: evidence.keep()
            case .broken(let late):
                if let end = history.connections[frame.connection].ending?.event, end < late { continue }
                // A read of that session may have brought it before the frame was taken.
                let isRead = history.sessionReads.contains { read in
                    read.sessionId == session && read.event > entry.event && read.event < late
                        && read.messages.contains { $0.id.map(entry.ids.contains) ?? false }
                }
                if isRead { continue }
                evidence.violate(
                    "an answer in a session that is not on the screen is not counted as unread",
                    expected: "unread of at least \(wanted) for session \(shown(session))",
                    actual: "\(history.client.state(at: late)?.unread[session] ?? 0)", at: [frame.event, late])
            case .unknown: break
            }
        }
    }

    /// CLIENT-43: "A client SHOULD show the messages it already has when the person returns to a session, before the
    /// server has answered".
    ///
    /// Once for each return to a session that was on the screen before in the same life, while no read of it is answered.
    static func returnsAreNotBlank(_ history: Observations, _ evidence: inout Evidence) {
        for act in history.client.acts("selectSession") {
            guard let session = act.details["sessionId"]?.stringValue,
                let life = history.client.launch(at: act.event)?.events,
                let before = history.client.state(at: act.event), before.sessionId != session,
                let last = history.client.states.last(where: {
                    $0.event < act.event && life.contains($0.event) && $0.sessionId == session
                }), !last.messages.isEmpty
            else { continue }
            let answered = history.client.reads(of: session).compactMap(\.response).first { $0 > act.event }
            let end = min(history.end(of: act.event, at: Self.departures), answered ?? .max)
            let outcome = history.shown(after: act.event, within: history.timeouts.pong, before: end) { state in
                state.sessionId == session && last.messages.allSatisfy { state.has($0) }
            }
            switch outcome {
            case .kept: evidence.keep()
            case .broken(let late):
                let now = history.client.state(at: late)
                evidence.violate(
                    "a session that was shown before is blank until the server answers",
                    expected: "\(last.messages.count) messages of session \(shown(session))",
                    actual: "\(now?.messages.count ?? 0) of session \(shown(now?.sessionId))", at: [act.event, late])
            case .unknown: break
            }
        }
    }
}

extension ObservedClient.State {
    /// Whether a message of another look is on this screen too: by its id, its key, else by its words.
    func has(_ other: ObservedClient.ShownMessage) -> Bool {
        messages.contains { message in
            if let id = other.id, let own = message.id { return id == own }
            if let key = other.key, let own = message.key { return key == own }
            return message.role == other.role && exactlyEqual(message.text, other.text)
        }
    }
}

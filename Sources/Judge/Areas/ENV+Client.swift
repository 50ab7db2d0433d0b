import Holdfast
import HoldfastJSON
import HoldfastTranscript

extension ENV {
    /// ENV-12: "A client MUST send every WebSocket text message as one JSON object that is valid against the schema of
    /// its type".
    ///
    /// Tested once for each text message. Schema rules whose `x-clause` names another clause are judged by that clause.
    static func clientFramesAreValid(_ history: Observations, _ evidence: inout Evidence) {
        let known = Set(history.schemas.types(sentBy: .client))
        for frame in history.sent where !frame.isBinary {
            evidence.test(no: fault(in: frame, known, history))
        }
    }

    private static func fault(in frame: Frame, _ known: Set<String>, _ history: Observations) -> Finding? {
        guard let value = frame.value else {
            return Finding(
                "a frame is not JSON", expected: "one JSON object", actual: frame.problem?.description ?? "no JSON",
                at: [frame.event])
        }
        if let flaw = frame.flaws?.first {
            return Finding(
                "a frame has a repeated member or broken Unicode",
                expected: "unique member names, and well-formed Unicode", actual: "\(flaw)", at: [frame.event])
        }
        guard let type = frame.type, known.contains(type) else {
            return Finding(
                "a frame has no type that a client may send", expected: listed(known),
                actual: shown(frame.type ?? value.typeName), at: [frame.event])
        }
        return history.schemas.validate(value, as: history.schemas.name(of: value))
            .first { $0.clause == ClauseID(.ENV, 12) }.map { Finding($0, in: value, of: type, at: [frame.event]) }
    }

    /// ENV-13: "A client MUST process a frame as if members that it does not know were absent, and ignore one of an
    /// unknown type without an error or a close".
    ///
    /// Tested once for each answer in the visible session that arrived in such a frame, or after one on its connection:
    /// it must be shown. Once for each such greeting, which must be accepted, and for each frame of an unknown type
    /// after which the connection was watched or the client reported its screen.
    static func unknownMembersAndTypesChangeNothing(_ history: Observations, _ evidence: inout Evidence) {
        let known = Set(history.schemas.types(sentBy: .server))
        func isStrange(_ frame: Frame) -> Bool { frame.type.map { !known.contains($0) } ?? false }
        for connection in history.connections {
            let strange = connection.received.filter(isStrange)
            for frame in strange { isIgnored(frame, on: connection, history, into: &evidence) }
            if let greeting = connection.greeting, UnknownMembers.areReported(in: greeting) {
                isBelieved(greeting, history, into: &evidence)
            }
            guard let first = connection.received.first(where: { isStrange($0) || UnknownMembers.areReported(in: $0) })
            else { continue }
            let cause = isStrange(first) ? "after an unknown type" : "after unknown members"
            for frame in connection.received where !frame.isBefore(first.event) {
                isShown(frame, because: first, cause, history, into: &evidence)
            }
        }
    }

    private static func isBelieved(_ greeting: Frame, _ history: Observations, into evidence: inout Evidence) {
        let connection = history.connections[greeting.connection]
        let next = history.client.acts.first { $0.isAfter(greeting.event) }?.event ?? .max
        let seen = history.shown(after: greeting.event, within: history.timeouts.scheduling, before: next) { state in
            state.connection == .connected
        }
        if case .broken(let late) = seen, !connection.isOpen(at: late), !isLeft(connection, after: greeting, history) {
            return
        }
        evidence.test(seen) { late in
            let word = history.client.state(at: late)?.connection?.rawValue
            return Finding(
                "a connected with unknown members was not accepted", expected: "connected",
                actual: word ?? "an unknown word", at: [greeting.event, late])
        }
    }

    /// Judges whether an answer in the visible session was shown; does nothing if the screen is unknown.
    private static func isShown(
        _ frame: Frame, because cause: Frame, _ when: String, _ history: Observations,
        into evidence: inout Evidence
    ) {
        guard frame.kind == .done || frame.kind == .message, let session = frame.sessionId, let id = frame.messageId
        else { return }
        let ending = history.connections[frame.connection].ending?.event ?? .max
        let away = min(history.end(of: frame.event, at: CLIENT.departures), ending)
        let seen = history.shown(after: frame.event, within: history.timeouts.scheduling, before: away) { state in
            guard state.sessionId == session else { return nil }
            return state.ids.contains(id) || state.messages.contains { $0.text == frame.text }
        }
        evidence.test(seen) { late in
            Finding(
                "an answer \(when) was not shown", expected: shown(frame.text),
                actual: listed(history.client.state(at: late)?.ids ?? []), at: [cause.event, frame.event, late])
        }
    }

    private static func isIgnored(
        _ frame: Frame, on connection: ObservedConnection, _ history: Observations,
        into evidence: inout Evidence
    ) {
        let client = history.client
        // Frames to a connection of an earlier life do not reach the client.
        guard history.endOfLife(at: connection.opening).isAfter(frame.event) else { return }
        let act = client.acts.first { $0.isAfter(frame.event) && $0.name != "exit" }?.event ?? .max
        let limit = history.time(of: frame.event) + history.timeouts.scheduling.microseconds
        func violate(_ actual: String, _ event: Int) {
            evidence.violate(
                "a frame of the unknown type \(shown(frame.type)) was not ignored", expected: "nothing happens",
                actual: actual, at: [frame.event, event])
        }
        if let exit = client.acts("exit").first(where: { $0.isAfter(frame.event) }), exit.isBefore(act),
            history.time(of: exit.event) <= limit
        {
            return violate("the end of the app", exit.event)
        }
        if let ending = connection.ending, ending.isBefore(act), isLeft(connection, after: frame, history) {
            return violate("the end of the connection", ending.event)
        }
        let states = client.states.filter { $0.isAfter(frame.event) && $0.isBefore(act) }
        if let complaint = complaint(about: frame, in: states, history) {
            return violate("an error: \(shown(complaint.errors.last?.text))", complaint.event)
        }
        let watched = history.clientDeadline(after: frame.event, within: history.timeouts.scheduling)
        if watched != nil || !states.isEmpty { evidence.keep() }
    }

    /// The first state with more errors than before a frame, if nothing else is a reason for one.
    private static func complaint(
        about frame: Frame, in states: [ObservedClient.State], _ history: Observations
    ) -> ObservedClient.State? {
        // An error beside a message concerns that message.
        func unnamed(_ state: ObservedClient.State) -> Int { state.errors.count { $0.key == nil } }
        guard let before = history.client.state(at: frame.event).map(unnamed),
            let complaint = states.first(where: { unnamed($0) > before }),
            !hasReason(from: history.inFlight(before: frame.event), to: complaint.event, history)
        else { return nil }
        return complaint
    }

    /// Whether the client ended a connection within the bound after a frame, and nothing else was a reason to.
    private static func isLeft(_ connection: ObservedConnection, after frame: Frame, _ history: Observations) -> Bool {
        let bound = history.timeouts.scheduling.microseconds
        guard let ending = connection.ending, ending.isAfter(frame.event), history.wasEndedByClient(connection),
            history.time(of: ending.event) <= history.time(of: frame.event) + bound,
            !history.hasWaited(on: frame.connection, at: ending.event)
        else { return false }
        let names: Set<String> = ["foreground", "openPush", "background", "networkDown", "networkUp"]
        return !history.client.acts.contains { act in
            act.isAfter(connection.opening) && act.isBefore(ending.event) && names.contains(act.name)
                && history.effectiveSpan(from: act.event, to: ending.event) < bound
        }
    }

    private static func hasReason(from first: Int, to last: Int, _ history: Observations) -> Bool {
        history.received.contains { $0.isBefore(last) && $0.isAfter(first) && $0.kind == .error }
            || history.exchanges.contains { exchange in
                let end = exchange.response ?? exchange.failure ?? .max
                return end > first && exchange.isAsked(before: last) && exchange.status != 200
            }
            || history.client.ends.contains { $0.map { $0 > first && $0 < last } ?? false }
            // For some time, a client searches for a message that a push named.
            || history.client.acts.contains { act in
                act.isBefore(last) && history.endOfLife(at: act.event) > last
                    && (["receivePush", "openPush"].contains(act.name) || act.details["opened"] != nil)
            }
    }
}

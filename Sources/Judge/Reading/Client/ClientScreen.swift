import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// What is known of a client's screen over time.
///
/// A stage looks several times a second while it waits, and records a state when it differs from the one before, and
/// one that does not every half second. Between two looks nobody knows when the screen changed.
extension Observations {
    /// A moment at which the screen was looked at: a wait in vain for a request says nothing about it.
    struct Look: Sendable {
        /// The event: a recorded state, or a watch that saw the last one stand.
        let event: Int
        let state: ObservedClient.State

        static func all(in history: History, by client: ObservedClient) -> [Look] {
            history.events.indices.compactMap { index in
                guard history.events[index].lane == .client, let state = client.state(at: index) else { return nil }
                switch history.events[index].kind {
                case .state: return Look(event: index, state: state)
                case .wait(let awaited, _) where awaited == "time" || awaited == "state":
                    return Look(event: index, state: state)
                default: return nil
                }
            }
        }
    }

    /// Every look at the screen after one event and before another.
    func looks(after first: Int, before last: Int) -> ArraySlice<Look> {
        let start = looks.boundary { $0.event > first }
        return looks[start..<max(start, looks.boundary { $0.event >= last })]
    }

    /// What came of something that the screen has to show.
    enum Sighting {
        /// It did in time, at that event.
        case kept(Int)
        /// It did not, from its cause up to that event, which is at or after the bound.
        case broken(Int)
        /// Nobody looked long enough, or nobody looked when the bound was over and it was there later.
        case unknown
    }

    /// Whether the screen came to show something within a bound, as long as nothing else became of it.
    ///
    /// - Parameters:
    ///   - cause: The event from which it is to be shown.
    ///   - bound: How long it may take.
    ///   - end: The first event after which it need not be shown any more.
    ///   - never: Whether a look shows it so wrongly that no time can excuse it.
    ///   - holds: Whether a state shows it; nil for one that says nothing about it.
    /// - Returns: What came of it.
    func shown(
        after cause: Int, within bound: Duration, before end: Int,
        never: (Look) -> Bool = { _ in false }, holds: (ObservedClient.State) -> Bool?
    ) -> Sighting {
        // What comes while nobody is there need not have been taken in when somebody looks again.
        guard client.launches.isEmpty || client.isForeground(at: cause) else { return .unknown }
        let limit = patience(of: cause) + bound.microseconds
        for look in looks(after: cause, before: end) {
            guard let answer = holds(look.state) else { continue }
            let isLate = patience(of: look.event) >= limit
            if answer { return isLate ? .unknown : .kept(look.event) }
            if isLate || never(look) { return .broken(look.event) }
        }
        return .unknown
    }

    /// What a client may take for anything that has no bound of its own.
    var clientPatience: Duration { clientBound(\.resend) }

    /// The first act of some names after an event, or the end of the history.
    func end(of cause: Int, at names: some Collection<String>) -> Int {
        let later = client.acts[client.acts.boundary { $0.event > cause }...]
        return later.first { names.contains($0.name) }?.event ?? history.events.endIndex
    }

    /// The end of the life of the client in which an event lies.
    func endOfLife(at event: Int) -> Int {
        client.launch(at: event)?.events.upperBound ?? end(of: event, at: ObservedClient.endsOfLife)
    }

    /// Where the data end that a client may have at an event: its next launch as just installed.
    func endOfData(at event: Int) -> Int {
        client.launches.first { $0.isFresh && $0.events.lowerBound > event }?.events.lowerBound
            ?? history.events.endIndex
    }

    /// Where the person goes to another conversation after an event, or the life of the client ends.
    func endOfStay(at event: Int) -> Int {
        min(end(of: event, at: ["selectSession", "openPush"]), endOfLife(at: event))
    }

    /// Whether a client could act all the time between two events: in the foreground, and with a network.
    func isAble(from first: Int, to last: Int) -> Bool {
        let isLaunched = client.launches.isEmpty || client.isForeground(at: first)
        return isLaunched && client.hasNetwork(at: first) && last <= endOfLife(at: first)
            && end(of: first, at: ["background", "networkDown"]) > last
    }

    /// When a connection was over for the client: at its end, or when the client went on to another.
    func loss(of connection: Int) -> Int? {
        let next = connections.first { $0.opening > connections[connection].opening }?.opening
        return [connections[connection].ending?.event, next].compactMap { $0 }.min()
    }
}

extension ObservedClient.State {
    /// Where a message of the person may stand on this screen: by its key, else by its id, else by its words where no
    /// entry has the key or the id of another.
    func places(of question: ClientQuestion) -> [Int] {
        let byKey = messages.indices.filter { messages[$0].key.map(question.keys.contains) == true }
        if !byKey.isEmpty { return byKey }
        let byID = messages.indices.filter { messages[$0].id.map(question.ids.contains) == true }
        if !byID.isEmpty { return byID }
        return messages.indices.filter { index in
            let message = messages[index]
            let isAnother = message.id.map { !question.ids.isEmpty || question.foreignIds.contains($0) } ?? false
            return message.role == "user" && message.key == nil && !isAnother && question.says(message.text)
        }
    }

    /// The same of one that may never have been sent: then its words say enough, whatever key it is shown with, where
    /// no other message of the server has that name.
    func entries(of question: ClientQuestion) -> [Int] {
        let places = places(of: question)
        guard places.isEmpty, question.keys.isEmpty else { return places }
        return messages.indices.filter { index in
            let message = messages[index]
            return message.role == "user" && question.says(message.text)
                && message.id.map(question.foreignIds.contains) != true
        }
    }

    func shows(_ question: ClientQuestion) -> Bool { !places(of: question).isEmpty }

    /// Whether a message of the person is shown as failed; where its words stand more than once, any of them will do.
    func showsAsFailed(_ question: ClientQuestion) -> Bool {
        places(of: question).contains { messages[$0].status == "failed" }
    }
}

import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// The screen of a client over time.
///
/// While it waits, a stage looks several times a second. It records a state that differs from the one before, and an
/// unchanged one every half second. Between two looks it is unknown when the screen changed.
extension Observations {
    /// A moment at which the stage looked at the screen; waiting for a request is not one.
    struct Look: Sendable {
        /// The event: a recorded state, or a watch that saw the last one stand.
        let event: Int
        let state: ObservedClient.State
        /// When the driver was asked for it, in microseconds since the history began: from then on it may have been so.
        let asked: Int

        static func all(in history: History, by client: ObservedClient) -> [Look] {
            var answers = history.header.slowAnswers[...]
            return history.events.indices.compactMap { index in
                guard history.events[index].lane == .client, let state = client.state(at: index) else { return nil }
                switch history.events[index].kind {
                case .state: break
                case .wait(let awaited, _) where awaited == "time" || awaited == "state": break
                default: return nil
                }
                let moment = history.events[index].at
                // A wait is over at once after the last look.
                answers = answers.drop { $0.to + 5_000 < moment }
                return Look(event: index, state: state, asked: min(moment, answers.first?.from ?? moment))
            }
        }
    }

    /// Every look at the screen after one event and before another.
    func looks(after first: Int, before last: Int) -> ArraySlice<Look> {
        let start = looks.boundary { $0.event > first }
        return looks[start..<max(start, looks.boundary { $0.event >= last })]
    }

    /// When the driver was asked for a look, by the clock that bounds are judged by.
    func patience(askedFor look: Look) -> Int { patience(at: look.asked) }

    /// The outcome for something that the screen has to show.
    enum Sighting {
        /// The screen showed it in time.
        case kept
        /// The screen did not show it, from its cause up to that event, which is at or after the bound.
        case broken(Int)
        /// The looks ended before the bound did, or the next look came after it and showed the thing.
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
    /// - Returns: The outcome.
    func shown(
        after cause: Int, within bound: Duration, before end: Int,
        never: (Look) -> Bool = { _ in false }, holds: (ObservedClient.State) -> Bool?
    ) -> Sighting {
        // A client in the background need not have taken what arrived there by the next look.
        guard client.launches.isEmpty || client.isForeground(at: cause) else { return .unknown }
        let limit = patience(of: cause) + bound.microseconds
        for look in looks(after: cause, before: end) {
            guard let answer = holds(look.state) else { continue }
            let isLate = patience(askedFor: look) >= limit
            if answer { return isLate ? .unknown : .kept }
            if isLate || never(look) { return .broken(look.event) }
        }
        return .unknown
    }

    /// The time that a client may take for anything without a bound of its own.
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
    /// The entries that may be a message of the person: by its key, else by its id, else by its words where no entry
    /// has the key or the id of another.
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

    /// The same for a message that may never have been sent: then its words are enough, whatever key it is shown with,
    /// unless the id is that of another message.
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

    /// Whether a message of the person is shown as failed; if several entries have its words, any of them counts.
    func showsAsFailed(_ question: ClientQuestion) -> Bool {
        places(of: question).contains { messages[$0].status == "failed" }
    }
}

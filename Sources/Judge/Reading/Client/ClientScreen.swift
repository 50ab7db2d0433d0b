import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// The screen of a client over time.
///
/// A waiting stage looks several times a second. It records a state that differs from the one before, and an unchanged
/// one every half second. Between two samples, the time of a change is unknown.
extension Observations {
    struct ScreenSample: Sendable, HasEvent {
        /// The event: a recorded state, or a wait that found it unchanged.
        let event: Int
        let state: ObservedClient.State
        /// When the driver was asked for it, in microseconds since the history began; the state may be that old.
        let asked: Int

        static func all(in history: History, by client: ObservedClient) -> [ScreenSample] {
            var answers = history.header.slowAnswers[...]
            return history.events.indices.compactMap { index in
                guard history.events[index].lane == .client, let state = client.state(at: index) else { return nil }
                switch history.events[index].kind {
                case .state: break
                case .wait(let awaited, _) where awaited == "time" || awaited == "state": break
                default: return nil
                }
                let moment = history.events[index].at
                // A wait ends right after its last sample.
                answers = answers.drop { $0.to + 5_000 < moment }
                return ScreenSample(event: index, state: state, asked: min(moment, answers.first?.from ?? moment))
            }
        }
    }

    func samples(after first: Int, before last: Int) -> ArraySlice<ScreenSample> {
        let start = samples.boundary { $0.event > first }
        return samples[start..<max(start, samples.boundary { $0.event >= last })]
    }

    /// When the driver was asked for a sample, on the clock for bounds, which slows down while the machine is late.
    func effectiveTime(askedFor sample: ScreenSample) -> Int { effectiveTime(at: sample.asked) }

    /// The outcome for something that the screen must show.
    enum ScreenOutcome {
        /// The screen showed it in time.
        case kept
        /// No sample up to this event showed it, and the bound was over or this screen is never allowed.
        case broken(Int)
        /// Undecided: the samples ended before the bound, or the first one that showed it came after the bound.
        case unknown
    }

    /// Whether the screen showed something within a bound after `cause`, unless the need for it ended with `end`.
    ///
    /// A sample for which `never` is true breaks it even within the bound; `holds` is nil if a state decides nothing.
    func shown(
        after cause: Int, within bound: Duration, before end: Int,
        never: (ScreenSample) -> Bool = { _ in false }, holds: (ObservedClient.State) -> Bool?
    ) -> ScreenOutcome {
        // A client in the background may not have processed an arrival by the next sample.
        guard client.mayBeInForeground(at: cause) else { return .unknown }
        let limit = effectiveTime(of: cause) + bound.microseconds
        for sample in samples(after: cause, before: end) {
            guard let answer = holds(sample.state) else { continue }
            let isLate = effectiveTime(askedFor: sample) >= limit
            if answer { return isLate ? .unknown : .kept }
            if isLate || never(sample) { return .broken(sample.event) }
        }
        return .unknown
    }

    /// The time that a client may take for anything without its own bound.
    var clientPatience: Duration { clientBound(\.resend) }

    /// The first act with one of the names after an event, or the end of the history.
    func end(of cause: Int, at names: some Collection<String>) -> Int {
        let later = client.acts[client.acts.boundary { $0.event > cause }...]
        return later.first { names.contains($0.name) }?.event ?? history.events.endIndex
    }

    func endOfLife(at event: Int) -> Int {
        client.launch(at: event)?.events.upperBound ?? end(of: event, at: ObservedClient.endsOfLife)
    }

    /// The event at which the data that a client has now is lost: its next launch as a new installation.
    func endOfData(at event: Int) -> Int {
        client.launches.first { $0.isFresh && $0.events.lowerBound > event }?.events.lowerBound
            ?? history.events.endIndex
    }

    /// The next event at which the person opens another conversation, or the client's life ends.
    func endOfStay(at event: Int) -> Int {
        min(end(of: event, at: ["selectSession", "openPush"]), endOfLife(at: event))
    }

    /// Whether a client could act during the whole time between two events: in the foreground, and with a network.
    func isAble(from first: Int, to last: Int) -> Bool {
        client.mayBeInForeground(at: first) && client.hasNetwork(at: first) && last <= endOfLife(at: first)
            && end(of: first, at: ["background", "networkDown"]) > last
    }

    /// The end of a connection for the client: its actual end, or the client's next connection.
    func loss(of connection: Int) -> Int? {
        let next = connections.first { $0.opening > connections[connection].opening }?.opening
        return [connections[connection].ending?.event, next].compactMap(\.self).min()
    }
}

extension ObservedClient.State {
    /// The entries that may show the person's message: those with its key; if there are none, those with its id;
    /// otherwise those with its text, no key, and no id of another message.
    func places(of question: ClientQuestion) -> [Int] {
        let byKey = messages.indices.filter { messages[$0].key.map(question.keys.contains) == true }
        if !byKey.isEmpty { return byKey }
        let byID = messages.indices.filter { messages[$0].id.map(question.ids.contains) == true }
        if !byID.isEmpty { return byID }
        return messages.indices.filter { index in
            let message = messages[index]
            let isAnother = message.id.map { !question.ids.isEmpty || question.foreignIds.contains($0) } ?? false
            return message.role == "user" && message.key == nil && !isAnother && question.hasText(message.text)
        }
    }

    /// The same places; if there are none and the message was never sent with a key, any entry with its text counts,
    /// whatever its key, unless its id belongs to another message.
    func entries(of question: ClientQuestion) -> [Int] {
        let places = places(of: question)
        guard places.isEmpty, question.keys.isEmpty else { return places }
        return messages.indices.filter { index in
            let message = messages[index]
            return message.role == "user" && question.hasText(message.text)
                && message.id.map(question.foreignIds.contains) != true
        }
    }

    func shows(_ question: ClientQuestion) -> Bool { !places(of: question).isEmpty }

    /// Whether a message of the person is shown as failed; if several entries have its text, any of them counts.
    func showsAsFailed(_ question: ClientQuestion) -> Bool {
        places(of: question).contains { messages[$0].status == "failed" }
    }
}

import Holdfast
import JSON
import Transcript

/// What a person sees, and where.
extension CLIENT {
    static let screen: [Check] = [
        Check(.CLIENT, 25, messagesAreShownOnce), Check(.CLIENT, 26, sessionsAreKeptApart),
        Check(.CLIENT, 42, othersAreCounted), Check(.CLIENT, 43, returnsAreNotBlank),
    ]

    /// CLIENT-25: "A client MUST show each message once, whatever the order and number of live frames, replays, REST
    /// reads and pushes that brought it".
    ///
    /// Once for each message that came more than once and was looked at afterwards, and once for each that says what another
    /// says: neither may be shown twice, and neither may be taken for the other. Entries without id are counted by their
    /// words against the messages the client was told of.
    static func messagesAreShownOnce(_ history: Observations, _ evidence: inout Evidence) {
        let messages = ClientMessages(history)
        var doubled: Set<String> = []
        for state in history.client.states {
            guard let double = double(in: state, messages) else { continue }
            guard doubled.insert(double.name).inserted else { continue }
            evidence.violate(
                "a message is shown more than once", expected: "\(double.name) \(double.known) time(s)",
                actual: "\(double.count) times", at: double.events.suffix(3) + [state.event])
        }
        let looks = history.looks(after: -1, before: .max)
        var told: [String: [ClientDelivery]] = [:]
        for delivery in messages.deliveries where delivery.id != nil && delivery.road != .typed {
            told[messages.identity(of: delivery), default: []].append(delivery)
        }
        for (_, deliveries) in told.sorted(by: { ($0.value[0].event, $0.key) < ($1.value[0].event, $1.key) }) {
            if deliveries.count > 1, doubled.isEmpty,
                looks.contains(where: { look in
                    look.event > deliveries[1].event && deliveries[0].isShown(in: look.state)
                })
            {
                evidence.keep()
            }
            judgeAlike(deliveries, messages, history, into: &evidence)
        }
    }

    private static func double(
        in state: ObservedClient.State, _ messages: ClientMessages
    ) -> (name: String, count: Int, known: Int, events: [Int])? {
        let byID = Dictionary(grouping: state.messages.compactMap(\.id)) { $0 }
        if let id = byID.filter({ $0.value.count > 1 }).keys.min() {
            let events = messages.deliveries.filter { $0.id == id && $0.event < state.event }.map(\.event)
            return ("message \(shown(id))", byID[id]?.count ?? 0, 1, events)
        }
        let byWords = Dictionary(grouping: state.messages) { ClientMessages.Words($0.role, $0.text) }
        for (words, alike) in byWords.sorted(by: { $0.key.text < $1.key.text }) where alike.count > 1 {
            let known = messages.known(words, in: state.sessionId, before: state.event)
            guard !known.isEmpty, alike.count > known.count else { continue }
            let events = messages.deliveries.filter {
                $0.event < state.event && known.contains(messages.identity(of: $0))
            }.map(\.event)
            return ("the text \(shown(words.text.string))", alike.count, known.count, events)
        }
        return nil
    }

    /// Judges a message that says what another of its session said before: the screen has to have as many.
    private static func judgeAlike(
        _ deliveries: [ClientDelivery], _ messages: ClientMessages, _ history: Observations,
        into evidence: inout Evidence
    ) {
        guard let delivery = deliveries.first(where: { $0.text != nil }), let text = delivery.text,
            let session = delivery.sessionId
        else { return }
        let words = ClientMessages.Words(delivery.role, text)
        let had = messages.surelyHad(words, in: session, before: delivery.event + 1).count
        guard had > 1 else { return }
        let outcome = history.shown(
            after: delivery.event, within: history.timeouts.pong,
            before: history.end(of: delivery.event, at: Self.departures)
        ) { state in
            guard state.sessionId == session else { return nil }
            return state.messages.count { $0.role == delivery.role && exactlyEqual($0.text, text) } >= had
        }
        evidence.test(outcome) { late in
            Finding(
                "a message that says the same as another is taken for it",
                expected: "message \(shown(delivery.id)) on the screen as well", actual: "not within the bound 'pong'",
                at: [delivery.event, late])
        }
    }

    /// Acts after which the screen need not show what it did.
    static let departures: Set<String> = [
        "selectSession", "openPush", "launch", "quit", "exit", "background", "networkDown",
    ]

    /// CLIENT-26: "A client MUST show a frame or response only in the session it belongs to".
    ///
    /// Once for each frame and each response with messages of a session that was not on the screen when it came.
    static func sessionsAreKeptApart(_ history: Observations, _ evidence: inout Evidence) {
        let messages = ClientMessages(history)
        var found: Set<String> = []
        for state in history.client.states {
            guard let (message, delivery) = messages.stranger(in: state) else { continue }
            let session = delivery.sessionId ?? ""
            guard found.insert("\(message.id ?? message.text) \(state.sessionId ?? "")").inserted else { continue }
            evidence.violate(
                "a message is shown in a session it does not belong to",
                expected: "message \(shown(message.id ?? message.text)) in session \(shown(session)) only",
                actual: "shown in session \(shown(state.sessionId))", at: [delivery.event, state.event])
        }
        var judged: Set<Int> = []
        let last = history.looks(after: -1, before: .max).last?.event ?? 0
        for delivery in messages.deliveries where delivery.road != .typed && delivery.road != .push {
            guard found.isEmpty, let session = delivery.sessionId, let state = history.client.state(at: delivery.event),
                state.sessionId != session, last > delivery.event, judged.insert(delivery.event).inserted
            else { continue }
            evidence.keep()
        }
    }
}

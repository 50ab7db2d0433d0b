import Holdfast
import HoldfastJSON
import HoldfastTranscript

extension CLIENT {
    /// CLIENT-26: "A client MUST show each message once, whole and at once, however often and in what order frames,
    /// replays, reads and pushes bring it, and whatever numbers are missing".
    ///
    /// Tested once for each message that arrived more than once and was seen afterwards, and once for each with the
    /// text of another: neither may be shown twice or mistaken for the other. Entries without an id are counted by text
    /// against the messages that the client knows.
    static func messagesAreShownOnce(_ history: Observations, _ evidence: inout Evidence) {
        let messages = history.clientMessages
        var reported: Set<String> = []
        for state in history.client.states {
            guard let duplicate = duplicate(in: state, messages) else { continue }
            guard reported.insert(duplicate.name).inserted else { continue }
            evidence.violate(
                "a message is shown more than once", expected: "\(duplicate.name) \(times(duplicate.known))",
                actual: times(duplicate.count), at: duplicate.events.suffix(3) + [state.event])
        }
        let samples = history.samples(after: -1, before: .max)
        var grouped: [String: [ClientDelivery]] = [:]
        for delivery in messages.deliveries where delivery.id != nil && delivery.channel != .typed {
            grouped[messages.identity(of: delivery), default: []].append(delivery)
        }
        for (_, deliveries) in grouped.sorted(by: { ($0.value[0].event, $0.key) < ($1.value[0].event, $1.key) }) {
            if deliveries.count > 1, reported.isEmpty,
                samples.contains(where: { sample in
                    sample.isAfter(deliveries[1].event) && deliveries[0].isShown(in: sample.state)
                })
            {
                evidence.keep()
            }
            judgeAlike(deliveries, messages, history, into: &evidence)
        }
    }

    private static func duplicate(
        in state: ObservedClient.State, _ messages: ClientMessages
    ) -> (name: String, count: Int, known: Int, events: [Int])? {
        // Most screens show nothing twice.
        var (ids, stated): (Set<String>, Set<ClientMessages.Words>) = ([], [])
        let mayHaveDuplicates = state.messages.contains { message in
            let isNew = message.id.map { ids.insert($0).inserted } ?? true
            return !stated.insert(ClientMessages.Words(message.role, message.text)).inserted || !isNew
        }
        guard mayHaveDuplicates else { return nil }
        let byID = Dictionary(grouping: state.messages.compactMap(\.id)) { $0 }
        if let id = byID.filter({ $0.value.count > 1 }).keys.min() {
            let events = messages.deliveries.filter { $0.id == id && $0.isBefore(state.event) }.map(\.event)
            return ("message \(shown(id))", byID[id]?.count ?? 0, 1, events)
        }
        let byWords = Dictionary(grouping: state.messages) { ClientMessages.Words($0.role, $0.text) }
        for (words, alike) in byWords.sorted(by: { $0.key.text < $1.key.text }) where alike.count > 1 {
            let known = messages.known(words, in: state.sessionId, before: state.event)
            guard !known.isEmpty, alike.count > known.count else { continue }
            let events = messages.deliveries.filter {
                $0.isBefore(state.event) && known.contains(messages.identity(of: $0))
            }.map(\.event)
            return ("the text \(shown(words.text.string))", alike.count, known.count, events)
        }
        return nil
    }

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
                "the client took a message for another one with the same text",
                expected: "message \(shown(delivery.id)) on the screen, too", actual: "not within the bound 'pong'",
                at: [delivery.event, late])
        }
    }

    /// Acts after which the screen may change.
    static let departures = ObservedClient.interruptions.union(["selectSession", "openPush"])

    /// CLIENT-27: "A client MUST show a frame or response only in the session it belongs to".
    ///
    /// Tested once for each frame and each response with messages of a session that was not on the screen at that time.
    static func sessionsAreKeptApart(_ history: Observations, _ evidence: inout Evidence) {
        let messages = history.clientMessages
        var found: Set<String> = []
        for state in history.client.states {
            guard let (message, delivery) = messages.foreign(in: state) else { continue }
            let session = delivery.sessionId ?? ""
            guard found.insert("\(message.id ?? message.text) \(state.sessionId ?? "")").inserted else { continue }
            evidence.violate(
                "a message is shown in a session it does not belong to",
                expected: "message \(shown(message.id ?? message.text)) in session \(shown(session)) only",
                actual: "shown in session \(shown(state.sessionId))", at: [delivery.event, state.event])
        }
        var judged: Set<Int> = []
        let last = history.samples(after: -1, before: .max).last?.event ?? 0
        for delivery in messages.deliveries where delivery.channel != .typed && delivery.channel != .push {
            guard found.isEmpty, let session = delivery.sessionId, let state = history.client.state(at: delivery.event),
                state.sessionId != session, last.isAfter(delivery.event), judged.insert(delivery.event).inserted
            else { continue }
            evidence.keep()
        }
    }

    /// CLIENT-28: "A client MUST show and keep on its screen the conversation that the person or a tap chose last, or
    /// the session it became, unless its read fails".
    ///
    /// Tested once for each choice that was on the screen when a message of another session arrived, and was seen
    /// afterwards. After a message was typed, only a session that was on the screen before is certainly another one.
    /// CLIENT-29 judges sessions from taps.
    static func screenIsStable(_ history: Observations, _ evidence: inout Evidence) {
        let deliveries = history.clientDeliveries.filter { $0.channel != .typed }
        for act in history.client.acts("selectSession") {
            let (choice, session) = (act.event, act.details.id("sessionId"))
            let end = history.end(of: choice, at: ObservedClient.endsOfLife.union(["selectSession", "openPush"]))
            let samples = history.samples(after: choice, before: end).drop { $0.state.sessionId != session }
            guard let first = samples.first else { continue }
            let typed = history.end(of: choice, at: ["send"])
            // The answer to an earlier read may still be on its way.
            let known = history.inFlight(before: choice)
            let failed = history.client.reads(of: session ?? "").first {
                history.end(of: $0) > known && $0.status != 200
            }
            let start = history.client.launch(at: choice)?.events.lowerBound ?? 0
            let before = Set(history.client.states(from: start, to: choice).compactMap(\.sessionId))
            let left = samples.first { seen in
                if failed?.isAsked(before: seen.event + 1) == true { return false }
                // A client that the server rejected may show nothing.
                guard let now = seen.state.sessionId else { return session != nil && seen.state.connection != .offline }
                guard now != session else { return false }
                return seen.isBefore(typed) || session != nil && before.contains(now)
            }
            let came = deliveries.first { $0.isAfter(first.event) && $0.isBefore(end) && $0.sessionId != session }
            let isSeen = came.map { came in samples.contains { $0.isAfter(came.event) } } ?? false
            evidence.test(no: left, keptIf: isSeen) { left in
                Finding(
                    "another conversation replaces the chosen one by itself", expected: "session \(shown(session))",
                    actual: left.state.sessionId.map { "session \(shown($0))" } ?? "a new conversation",
                    at: [choice, left.event])
            }
        }
    }

    /// CLIENT-28, rule 2: the screen shows the session that the person chose.
    ///
    /// Tested once for each choice of a conversation other than the one shown, counted from the answer to the first
    /// read of it; without a read, if a connection is in use.
    static func chosenSessionAppears(_ history: Observations, _ evidence: inout Evidence) {
        let client = history.client
        for act in client.acts("selectSession") {
            let (choice, session) = (act.event, act.details.id("sessionId"))
            let reads = session.map(client.reads) ?? []
            let read = reads.first { history.end(of: $0) > history.inFlight(before: choice) }
            guard let before = client.state(at: choice), before.sessionId != session,
                read.map({ $0.status == 200 }) ?? (session == nil || history.connectionInUse(at: choice) != nil)
            else { continue }
            let end = history.end(of: choice, at: departures.union(session == nil ? ["send"] : []))
            let cause = max(choice, read.map(history.end) ?? choice)
            let outcome = history.shown(after: cause, within: history.clientPatience, before: end) { state in
                if state.sessionId == session { return true }
                // A client that the server rejected may show nothing, and a new conversation may be one that has begun.
                let isBegun = history.clientQuestions.contains { question in
                    question.isBefore(choice) && question.requests.contains { $0.sessionAsked == nil }
                        && state.sessionId.map(question.sessions(before: state.event).contains) == true
                }
                return history.wasSentAway(before: state.event) || session == nil && isBegun ? nil : false
            }
            evidence.test(outcome) { late in
                Finding(
                    "the chosen conversation does not appear on the screen",
                    expected: session.map { "session \(shown($0))" } ?? "a new conversation",
                    actual: "session \(shown(client.state(at: late)?.sessionId))", at: [choice, late])
            }
        }
    }

    /// CLIENT-26, rule 2: the text is whole, except for white space at its ends.
    ///
    /// Tested once for each message that was shown under its id, and once more if other text replaces the whole one. A
    /// message that a notification named may be shown with the text of the notification until the client certainly has
    /// the message.
    static func textsAreWhole(_ history: Observations, _ evidence: inout Evidence) {
        let byID = Dictionary(grouping: history.clientDeliveries.filter { $0.id != nil }) { $0.id ?? "" }
        var (whole, broken): ([String: String], Set<String>) = ([:], [])
        for state in history.client.states {
            for message in state.messages {
                guard let id = message.id, !broken.contains(id), whole[id] != message.text, let came = byID[id] else {
                    continue
                }
                let arrived = came.prefix { $0.isBefore(state.event) }
                let core = ClientQuestion.trimmed(message.text)
                if arrived.contains(where: { $0.text.map(ClientQuestion.trimmed) == core }) {
                    if whole.updateValue(message.text, forKey: id) == nil { evidence.keep() }
                } else if let first = arrived.first(where: { $0.text != nil && $0.channel != .push }),
                    !arrived.contains(where: { $0.channel == .push })
                        || history.hadTime(
                            for: first.event, on: first.frame?.connection, before: state.event,
                            atLeast: history.clientPatience)
                {
                    broken.insert(id)
                    evidence.violate(
                        "a message is shown with another text", expected: shown(first.text ?? ""),
                        actual: shown(message.text), at: [first.event, state.event])
                }
            }
        }
    }

    // MARK: Sessions off the screen

    /// CLIENT-34: "A client SHOULD count as unread each live answer in a session off the screen, once, and only what
    /// others said there since that was last shown".
    ///
    /// Tested once for each such answer while the app is in the foreground and its connection stays open: the count is
    /// one more than before the answer arrived.
    static func otherSessionsAreCounted(_ history: Observations, _ evidence: inout Evidence) {
        let choices = history.client.acts("selectSession", "openPush")
        for frame in history.received where frame.kind == .done && !frame.isDuplicate {
            guard let session = frame.sessionId, let state = history.client.state(at: frame.event),
                state.sessionId != session, history.client.isForeground(at: frame.event),
                history.nextOpening(after: history.connections[frame.connection].opening).isOpen(at: frame.event),
                history.departure(after: frame.event, on: frame.connection) == nil
            else { continue }
            // A session chosen since the last sample may be on the screen, and a new conversation may have become it.
            let chosen = choices.between(state.event, history.endOfCrossing(with: frame.event))
            let sessions = chosen.prefix { $0.isBefore(frame.event) }.map { $0.details.id("sessionId") }
            let wasChosen = chosen.contains { $0.details.id("sessionId") == session }
            let isLeft = !choices.between(frame.event, history.latestArrival(frame.event)).isEmpty
            if wasChosen || isLeft && ([state.sessionId] + sessions).contains(nil) { continue }
            let wanted = (state.unread[session] ?? 0) + 1
            let seen = history.client.states.first { $0.isAfter(frame.event) && $0.sessionId == session }?.event
            let left = history.end(of: frame.event, at: ObservedClient.interruptions)
            let outcome = history.shown(
                after: frame.event, within: history.timeouts.pong, before: min(left, seen ?? .max)
            ) { $0.unread[session] ?? 0 >= wanted }
            if case .broken(let late) = outcome, history.mayBeUnhandled(frame, by: late) { continue }
            evidence.test(outcome) { late in
                Finding(
                    "an answer in a background session is not counted as unread",
                    expected: "at least \(wanted) unread in session \(shown(session))",
                    actual: "\(history.client.state(at: late)?.unread[session] ?? 0)", at: [frame.event, late])
            }
        }
    }

    /// CLIENT-34, rule 2: only messages that others sent since the session was shown are counted.
    ///
    /// Tested once for each session and each time that it was away from the screen, while a count was shown. A list
    /// also counts the person's own messages, and an app that is launched again may not know what was seen before.
    static func nothingIsCountedTwice(_ history: Observations, _ evidence: inout Evidence) {
        let messages = history.clientMessages
        let others = Dictionary(
            grouping: history.clientDeliveries.filter { $0.role != "user" && $0.channel != .typed }, by: \.sessionId)
        var judged: Set<String> = []
        for state in history.client.states {
            for (session, count) in state.unread.sorted(by: { $0.key < $1.key }) where session != state.sessionId {
                // A client that learned that the session does not exist may have dropped its messages.
                guard !history.isGone(session, before: state.event) else { continue }
                let start = history.client.installation(at: state.event)
                let launch = history.client.launch(at: state.event)?.events.lowerBound ?? start
                let stay = history.client.states.between(launch, state.event).last { $0.sessionId == session }
                // Frames that arrived as the person left may have been processed afterwards.
                let since = stay.map { history.inFlight(before: $0.event) } ?? start
                let all = others[session]?.prefix { $0.isBefore(state.event) } ?? []
                let had = all.filter { item in stay.map { history.wasSeen(item, in: $0, launch, since) } == true }
                let seen = Set(had.map(messages.identity))
                let counted = all.filter { !$0.isBefore(since) && !seen.contains(messages.identity(of: $0)) }
                let known = Set(counted.map(messages.identity)).count
                let key = "\(session) \(since)"
                if count > known {
                    guard judged.insert("\(key) more").inserted else { continue }
                    evidence.violate(
                        "more messages are counted as unread than arrived",
                        expected: "at most \(known) in \(shown(session))", actual: "\(count)",
                        at: counted.suffix(3).map(\.event) + [state.event])
                } else if judged.insert(key).inserted {
                    evidence.keep()
                }
            }
        }
    }

    /// CLIENT-34, rule 4: the count of a session stays until it is shown.
    ///
    /// Tested once for each count that was seen twice in one launch, while the person stayed in another session. Only
    /// live answers since the counted session was shown must stay counted; a count that is too high may be corrected.
    static func countsStay(_ history: Observations, _ evidence: inout Evidence) {
        let states = history.client.states
        let answers = Dictionary(
            grouping: history.received.filter { $0.kind == .done && !$0.isDuplicate }, by: \.sessionId)
        for (earlier, later) in zip(states, states.dropFirst()) where !earlier.unread.isEmpty {
            guard let launch = history.client.launch(at: earlier.event)?.events, launch.contains(later.event),
                history.end(of: earlier.event, at: ["selectSession", "openPush"]).isAfter(later.event),
                earlier.sessionId == later.sessionId, !history.wasSentAway(before: later.event)
            else { continue }
            let chosen = history.client.acts("selectSession", "openPush").last { $0.isBefore(earlier.event) }?
                .details.id("sessionId")
            for (session, count) in earlier.unread.sorted(by: { $0.key < $1.key })
            where session != later.sessionId && session != chosen {
                let stay = states.last {
                    $0.isBefore(earlier.event) && launch.contains($0.event) && $0.sessionId == session
                }
                let since = stay?.event ?? launch.lowerBound
                let came = (answers[session] ?? []).between(since, earlier.event)
                let least = min(count, Set(came.map(\.messageId)).count)
                let now = later.unread[session] ?? 0
                guard least > 0, !history.isGone(session, before: later.event) else { continue }
                evidence.test(
                    now >= least, otherwise: "a session that was not shown lost its unread count",
                    expected: "at least \(least) unread in session \(shown(session))", actual: "\(now)",
                    at: [earlier.event, later.event])
            }
        }
    }

    /// CLIENT-41: "A client SHOULD show the messages it already has when the person returns to a session, before the
    /// server has answered".
    ///
    /// Tested once for each return to a session shown earlier in the same life, while no read of it is answered.
    static func returnsAreNotBlank(_ history: Observations, _ evidence: inout Evidence) {
        for act in history.client.acts("selectSession") {
            guard let session = act.details.id("sessionId"),
                let life = history.client.launch(at: act.event)?.events,
                let before = history.client.state(at: act.event), before.sessionId != session,
                let last = history.client.states.last(where: {
                    $0.isBefore(act.event) && life.contains($0.event) && $0.sessionId == session
                }), !last.messages.isEmpty
            else { continue }
            let answered = history.client.reads(of: session).compactMap(\.response).first { $0.isAfter(act.event) }
            let end = min(history.end(of: act.event, at: Self.departures), answered ?? .max)
            let outcome = history.shown(after: act.event, within: history.timeouts.pong, before: end) { state in
                state.sessionId == session && last.messages.allSatisfy { state.has($0) }
            }
            evidence.test(outcome) { late in
                let now = history.client.state(at: late)
                return Finding(
                    "a session shown before is blank until the server answers",
                    expected: "\(last.messages.count) messages of session \(shown(session))",
                    actual: "\(now?.messages.count ?? 0) of session \(shown(now?.sessionId))", at: [act.event, late])
            }
        }
    }
}

extension Observations {
    /// Whether a client may not have processed an answer as live: its connection ended, or a read brought it earlier.
    fileprivate func mayBeUnhandled(_ frame: Frame, by late: Int) -> Bool {
        !connections[frame.connection].isOpen(at: late - 1)
            || sessionReads.contains { read in
                read.sessionId == frame.sessionId && read.isBefore(late)
                    && read.messages.contains { $0.id != nil && $0.id == frame.messageId }
            }
    }

    /// Whether a message was seen while its session was last on the screen: it was shown, or it had certainly arrived
    /// between the launch of the app and the end of that stay.
    fileprivate func wasSeen(
        _ item: ClientDelivery, in stay: ObservedClient.State, _ launch: Int, _ since: Int
    ) -> Bool {
        let isShown = item.id.map(stay.idSet.contains) == true
        // A notification does not count as the message, unless the message is on the screen.
        if item.channel == .push, !isShown { return false }
        if isShown, item.isBefore(stay.event) { return true }
        // A message on its way when a connection or the app ended may arrive again.
        return item.isAfter(launch) && item.isBefore(since)
            && hadTime(for: item.event, on: item.frame?.connection, before: since)
    }
}

import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// Questions that were lost before anything was said of them.
extension Observations {
    /// The loss of a question that nothing had been said of.
    struct LostQuestion {
        /// The request, or the command that typed it when no request ever arrived.
        let sent: Int
        /// The transport it took; nil when it never arrived.
        let origin: ObservedRequest.Origin?
        /// What ended the connection.
        let event: Int

        /// Whether it came again by another transport, or at all where it had not arrived.
        func isSentAgain(_ question: ClientQuestion) -> Bool {
            question.requests.contains { $0.event > sent && $0.origin != origin }
        }
    }

    /// How a question was lost: its connection, or its request, ended before anything was said of it.
    ///
    /// Of one that was sent on several connections, the last.
    func loss(of question: ClientQuestion) -> LostQuestion? {
        for request in question.requests.reversed() {
            guard let event = end(of: request) ?? bareAnswer(to: request), event > request.event,
                !(question.news + question.suspicions).contains(where: { $0.event < event })
            else { continue }
            let lost = LostQuestion(sent: request.event, origin: request.origin, event: event)
            // The last of many may be lost with the history itself; the ones before it were sent again.
            if lost.isSentAgain(question) || question.requests.first?.event == request.event { return lost }
            if neglect(after: event, within: clientPatience) != nil { return lost }
        }
        // Typed into a connection that was over and still called connected.
        guard let typed = question.typed, client.state(at: typed)?.connection == .connected,
            question.requests.first?.connection != lastConnection(before: typed), question.suspicions.isEmpty,
            let connection = lastConnection(before: typed), let ending = connections[connection].ending?.event,
            ending < typed, !question.requests.isEmpty || !mayBeLostInFlight(typed)
        else { return nil }
        return LostQuestion(sent: typed, origin: nil, event: ending)
    }

    /// A response of a gateway: the server failed, and no body says at what.
    private func bareAnswer(to request: ObservedRequest) -> Int? {
        guard let exchange = exchange(of: request), exchange.status.map({ (500...599).contains($0) }) == true,
            exchange.answer?.root["error"] == nil
        else { return nil }
        return exchange.response
    }

    /// The event that proves that a lost question was not sent again: in the life of the app that lost it, else in the next one,
    /// where the message stands on the screen as if it were under way.
    func neglect(of question: ClientQuestion, lostAt lost: LostQuestion) -> Int? {
        if let proof = neglect(after: lost.sent, within: clientPatience, from: lost.event) { return proof }
        let end = endOfLife(at: lost.sent)
        guard let launch = client.nextAct("launch", after: end - 1), let life = client.launch(at: launch.event),
            !life.isFresh, question.repeats.isEmpty, !hasFailed(question, from: lost.sent, to: life.events.upperBound),
            patience(from: lost.sent, to: end) >= Self.inFlight.microseconds,
            let proof = standing(after: launch.event, within: clientPatience),
            client.state(at: proof)?.places(of: question).isEmpty == false
        else { return nil }
        return proof
    }

    /// When a client may have decided to send a message that arrived: over REST it may have gone out as it was typed, before a
    /// greeting arrived.
    func decision(to sent: Int, of question: ClientQuestion) -> Int {
        guard let typed = question.typed, typed < sent,
            question.requests.contains(where: { $0.event == sent && $0.connection == nil }),
            patience(from: typed, to: sent) < Self.onItsWay.microseconds
        else { return sent }
        return typed
    }

    /// What the connections opened after an event allow a frame, in bytes.
    func frameLimits(after event: Int) -> [Int] {
        connections.filter { $0.opening > event }.compactMap { $0.limit("maxFrameBytes") }
    }

    /// Whether the last `connected` before an event stated `idempotency`; nil before the first.
    func remembersKeys(before event: Int) -> Bool? {
        let greeting = connections.compactMap(\.greeting).filter { $0.event < event }.max { $0.event < $1.event }
        return greeting.map { $0.states(.idempotency) }
    }

    /// Whether the last `connected` stated `idempotency`, and so did the one before it where that may still be on its way.
    private func surelyRemembersKeys(at event: Int) -> Bool {
        [inFlight(before: event), event].allSatisfy { remembersKeys(before: $0) == true }
    }

    /// Whether a client surely had a `connected`, or a certain one, before an event: it showed so, sent what comes after it, or
    /// had time.
    func wasSurelyGreeted(before event: Int, by greeting: Int? = nil) -> Bool {
        connections.enumerated().contains { index, connection in
            guard let greeted = connection.connected, greeted < event, greeting.map({ $0 == greeted }) != false else {
                return false
            }
            let end = min(event, loss(of: index) ?? .max)
            return hadTime(for: greeted, on: index, before: event)
                || connection.sent.contains { $0.event > greeted && $0.event <= event && $0.type != "auth" }
                || client.states.contains { $0.event > greeted && $0.event < end && $0.connection == .connected }
        }
    }

    /// Whether what was typed may have gone out, at a server that remembers no keys or before one, on a connection that was over
    /// before it arrived, or in a request that the loss of the network ended.
    func mayBeLostInFlight(_ typed: Int) -> Bool {
        // A greeting may never have come.
        let isKeyed = wasSurelyGreeted(before: typed) && surelyRemembersKeys(at: typed)
        if !isKeyed, let end = client.nextAct("networkDown", "background", after: typed),
            patience(from: typed, to: end.event) < clientPatience.microseconds
        {
            return true
        }
        return connections.enumerated().contains { index, connection in
            // What was lost with a server that remembers keys is not sent again to the next one that does not (CLIENT-45).
            let next = connections.first { $0.opening > max(typed, connection.opening) && $0.greeting != nil }
            let isForgotten = next?.greeting?.states(.idempotency) == false
            guard let isKept = connection.greeting?.states(.idempotency), !isKept || isForgotten,
                let ending = connection.ending?.event
            else { return false }
            guard connection.opening < typed else {
                // What waited goes out with the greeting.
                return connection.connected.map { patience(from: $0, to: ending) < clientPatience.microseconds } == true
            }
            return ending > typed
                ? patience(from: typed, to: ending) < clientPatience.microseconds
                    // Who was not told of the end goes on using it.
                : patience(from: ending, to: typed) < timeouts.scheduling.microseconds
                    || mayBeInUse(index, at: typed) && client.ends[index].map { $0 > typed } ?? true
        }
    }

    /// The first frame that may be of a question because it names none, at a server that remembers no keys.
    func unnamed(after event: Int, of question: ClientQuestion) -> Int? {
        guard let first = question.requests.first, remembersKeys(before: first.event) != true else { return nil }
        let session = first.sessionAsked
        return framesTold.filter { frame in
            let isOwn = frame.type == "message" && question.says(frame.text ?? "")
            return frame.event > event && (isOwn || frame.isOf("toolUse", "done", "error"))
                && frame.clientMessageId == nil && (isOwn || frame.turnId == nil)
                && (session == nil || frame.sessionId == nil || frame.sessionId == session)
                && remembersKeys(before: frame.event) == false
        }.map(\.event).min()
    }

    /// The first response after an event that said of a message only that the server could not take it.
    func failure(of question: ClientQuestion, after event: Int) -> Int? {
        question.requests.lazy.compactMap { request -> Int? in
            guard let exchange = self.exchange(of: request), let response = exchange.response, response > event,
                exchange.status.map({ $0 >= 400 }) == true
            else { return nil }
            return response
        }.first
    }

    /// The conversations that a client may take for that of a message before an event: those it was told of, and at a server
    /// without keys those in which it was sent the words.
    func homes(of question: ClientQuestion, before event: Int) -> Set<String> {
        let told = question.sessions(before: event)
        guard let sent = question.requests.first?.event, remembersKeys(before: sent) != true,
            remembersKeys(before: event) == false
        else { return told }
        let words = framesTold.filter { frame in
            frame.event > sent && frame.event < event && frame.type == "message" && frame.string("role") == "user"
                && frame.clientMessageId == nil && question.says(frame.text ?? "")
        }
        return told.union(words.compactMap(\.sessionId))
    }

    /// When a client must have seen that a frame without names was not about a question.
    ///
    /// What a read brought lacks it, which was asked for after the frame; and no later frame of that kind may be its sign.
    func doubt(of question: ClientQuestion, since unnamed: Int) -> Int? {
        // What was asked a moment later may have been asked before the frame was taken.
        let read = reads(lacking: question, since: unnamed).first { hadTime(for: unnamed, before: $0.request) }
        guard let read, self.unnamed(after: read.request, of: question) == nil,
            departure(after: read.event, on: nil) == nil
        else { return nil }
        let limit = patience(of: read.event) + clientPatience.microseconds
        return proof(after: read.event, limit: limit)
    }

    /// Whether an entry has, at a server that remembers no keys, the id of the same words in a read that was on its way when a
    /// question went out: nothing tells whether that came before or after it.
    func mayBeNew(_ shown: ObservedClient.ShownMessage, as question: ClientQuestion, sentAt sent: Int) -> Bool {
        !surelyRemembersKeys(at: sent)
            && sessionReads.contains { read in
                read.event < sent && !hadTime(for: read.event, before: sent)
                    && read.messages.contains { $0.id != nil && $0.id == shown.id && question.says($0.text) }
            }
    }

    /// Whether a client without keys may have seen that the sign of a question was none: a read since lacks it.
    func mayBeDoubted(_ question: ClientQuestion, since sign: Int, before event: Int) -> Bool {
        question.ids.isEmpty && question.turnIds.isEmpty && remembersKeys(before: event) == false
            && reads(lacking: question, since: sign).contains { $0.event < event }
    }

    /// The reads of the session of a question that were asked for after an event and lack it.
    private func reads(lacking question: ClientQuestion, since event: Int) -> [ObservedSessionRead] {
        let sessions = question.requests.compactMap(\.sessionAsked)
        return sessionReads.filter { read in
            read.request > event && sessions.contains(read.sessionId)
                && !read.messages.contains { $0.role == "user" && question.says($0.text) }
        }
    }

    /// The event that proves that a connection was greeted after an event, and stood for the whole of a bound while the client
    /// could act.
    ///
    /// - Parameters:
    ///   - event: What has to be done something about on the next connection.
    ///   - bound: How long that may take.
    ///   - start: Where the bound begins, given the greeting; nil where it never does.
    /// - Returns: nil when no connection stood for so long.
    func standing(after event: Int, within bound: Duration, from start: (Int) -> Int? = { $0 }) -> Int? {
        for (index, connection) in connections.enumerated() {
            guard let greeted = connection.connected, greeted > event, greeted < endOfLife(at: event),
                let first = start(greeted), first < endOfLife(at: event),
                let proof = deadline(after: first, within: bound, on: index), isAble(from: first, to: proof)
            else { continue }
            return proof
        }
        return nil
    }

    /// Whether a message was shown as failed between two events.
    func hasFailed(_ question: ClientQuestion, from first: Int, to last: Int) -> Bool {
        client.states.contains { state in
            state.event > first && state.event < last
                && state.entries(of: question).contains { state.messages[$0].status == "failed" }
        }
    }

    /// Whether a message was shown as failed between two events, or an error came to the screen that may be about it.
    func mayHaveBeenTold(of question: ClientQuestion, from first: Int, to last: Int) -> Bool {
        let before = client.state(at: first)?.errors ?? []
        let others = Set(ClientQuestion.all(in: self).filter { $0.event != question.event }.flatMap(\.keys))
        return hasFailed(question, from: first, to: last)
            || client.states.contains { state in
                state.event > first && state.event < last
                    && state.errors.contains { error in
                        !before.contains(error) && !(error.key.map(others.contains) ?? false)
                    }
            }
    }

    private func lastConnection(before event: Int) -> Int? {
        connections.lastIndex { $0.opening < event && $0.connected.map { $0 < event } == true }
    }

    /// Whether frames of other turns came between two events.
    func hasOthers(than question: ClientQuestion, from first: Int, to last: Int) -> Bool {
        let own = Set(question.news.map(\.event))
        return received.contains { frame in
            frame.event > first && frame.event < last && !own.contains(frame.event)
                && frame.isOf("toolUse", "message", "done", "error")
        }
    }
}

extension ObservedRequest {
    /// The end of a request over REST that was never answered.
    func failure(in history: Observations) -> Int? { history.exchange(of: self)?.failure }
}

extension Frame {
    /// Whether a `connected` states a profile.
    func states(_ profile: Profile) -> Bool {
        self["capabilities"]?.arrayValue?.contains(.string(profile.rawValue)) == true
    }
}

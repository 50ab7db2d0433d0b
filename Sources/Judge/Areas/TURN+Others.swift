import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// Checks of a turn on other connections, and of refused questions.
extension TURN {
    /// TURN-10: "A server MUST send every `toolUse` of a turn and its ending, where that is a frame, to every open
    /// connection of its principal, whichever connection or transport started it".
    ///
    /// Everything that one connection saw, every other one must see that was connected before the question and stayed
    /// open, even if it asked something itself. TURN-3 judges a turn without an ending. Once per turn and other
    /// connection. Numbers rise on each connection, so a number that was skipped there and shown elsewhere was not
    /// sent.
    static func everyConnectionSeesTheTurn(_ history: Observations, _ evidence: inout Evidence) {
        for passed in passedOver(history) where passed.item.frame.type != "message" {
            evidence.violate(passed.finding("an open connection did not receive a frame of a turn"))
        }
        endingsInReadsAreSent(history, &evidence)
        for turn in history.turns where turn.isAccepted {
            let observers = observers(of: turn, history)
            guard !observers.isEmpty else { continue }
            // TURN-3 judges frames after the ending.
            let uses = Dictionary(grouping: turn.toolUses, by: \.connection).mapValues { uses in
                uses.filter { $0.event < turn.endings(on: $0.connection).first?.event ?? .max }
            }.filter { !$0.value.isEmpty }
            let most = uses.values.map(\.count).max() ?? 0
            for index in observers {
                let isAsker = turn.requests.contains { $0.connection == index }
                guard let ending = turn.endings(on: index).first else {
                    guard turn.ended != nil,
                        let end = successor(of: turn, on: index, history)
                            ?? endingDeadline(of: turn, on: index, history)
                    else { continue }
                    evidence.violate(
                        "an open connection did not receive the ending of a turn",
                        expected: "the ending on every connection",
                        actual: "none on connection \(history.connections[index].device)",
                        at: [turn.event, turn.ended ?? turn.event, end])
                    continue
                }
                let own = uses[index]?.count ?? 0
                if own < most {
                    evidence.violate(
                        "an open connection did not receive every toolUse of a turn", expected: "\(most) toolUse",
                        actual: "\(own)", at: [turn.event, ending.event])
                } else if let other = difference(of: turn, on: index, own, most, uses) {
                    evidence.violate(
                        "two connections received different frames of one turn", expected: shown(other.expected),
                        actual: shown(other.actual), at: [turn.event, other.event])
                } else if !isAsker {
                    evidence.keep()
                }
            }
        }
    }

    /// In a capture, the ending of a turn that a read shows as over is sent to each connection open then, live or in its
    /// replay; a stage waits for `turn` (TURN-3).
    ///
    /// Once for each such turn that no frame ended, by a connection that was greeted before the question or asked for a replay
    /// from before the ending.
    private static func endingsInReadsAreSent(_ history: Observations, _ evidence: inout Evidence) {
        guard history.isCapture else { return }
        for turn in history.turns where turn.ended == nil && turn.copies.isEmpty && turn.isAccepted {
            guard !turn.replayed.contains(where: { $0.isOf("done", "error") }),
                let read = history.reads(of: turn).first(where: { read in
                    read.event > turn.event && ["done", "failed"].contains(read.entry(of: turn)?.status)
                })
            else { continue }
            let seen = turn.frames.filter { $0.seq != nil }.max { $0.seq ?? 0 < $1.seq ?? 0 }
            for index in history.index.connections(of: turn.principal) {
                let connection = history.connections[index]
                let replay = history.replays.first { replay in
                    replay.first.connection == index && replay.last.claimsComplete && replay.result.event < read.event
                        && replay.first.request.event > turn.event
                        && seen.map { frame in
                            replay.position <= frame.seq ?? 0
                                && history.epoch(on: frame.connection, before: frame.event) == replay.epoch
                        } ?? false
                }
                let isWitness = replay != nil || connection.connected.map { $0 < turn.event } ?? false
                guard isWitness, connection.isOpen(at: read.event),
                    let late = history.deadline(after: read.event, within: history.timeouts.ack, on: index)
                else { continue }
                evidence.violate(
                    "a read shows that a turn is over, and an open connection was not told",
                    expected: "its ending on connection \(connection.device)"
                        + (replay == nil ? "" : ", live or in the replay that is complete"),
                    actual: "none before a later pong",
                    at: ([turn.event, replay?.result.event, read.event].compactMap(\.self)).sorted() + [late])
            }
        }
    }

    /// How the frames on a connection differ from those on the first one: the tools in order, then the ending.
    private static func difference(
        of turn: ObservedTurn, on index: Int, _ own: Int, _ most: Int, _ uses: [Int: [Frame]]
    ) -> (expected: String?, actual: String?, event: Int)? {
        if own == most, uses.count > 1,
            let first = uses.values.filter({ $0.count == most }).min(by: { $0[0].event < $1[0].event })
        {
            for (one, other) in zip(first, uses[index] ?? []) where one.string("tool") != other.string("tool") {
                return (one.string("tool"), other.string("tool"), other.event)
            }
        }
        guard let first = turn.endings.first, let ending = turn.endings(on: index).first, first.event != ending.event,
            first.turnId == ending.turnId
        else { return nil }
        for name in ["type", "text", "code"] where first[name] != ending[name] {
            return (first.string(name), ending.string(name), ending.event)
        }
        return nil
    }

    /// TURN-11: "A server MUST put a `message` for every accepted question into its stream, and send it to every open
    /// connection of its principal but the sender's".
    ///
    /// Once per accepted question and other connection that stayed open, and once per replay with its ending. A skipped
    /// number is evidence as in TURN-10.
    static func otherConnectionsSeeTheQuestion(_ history: Observations, _ evidence: inout Evidence) {
        replaysHoldTheQuestion(history, &evidence)
        let passed = passedOver(history)
        for passed in passed where passed.item.frame.type == "message" {
            evidence.violate(passed.finding("an open connection did not receive a question"))
        }
        for turn in history.turns where turn.isAccepted {
            let askers = turn.requests.compactMap(\.connection)
            for index in observers(of: turn, history) where !askers.contains(index) {
                let messages = turn.frames.filter {
                    $0.connection == index && $0.type == "message" && $0.string("role") == "user"
                }
                guard let message = messages.first else {
                    let end =
                        turn.endings(on: index).first?.event
                        ?? passed.first { $0.connection == index && $0.isEnding(of: turn) }?.next.event
                        ?? successor(of: turn, on: index, history) ?? endingDeadline(of: turn, on: index, history)
                    guard let end else { continue }
                    evidence.violate(
                        "another connection did not receive the question of a turn", expected: "one message",
                        actual: "none on connection \(history.connections[index].device)", at: [turn.event, end])
                    continue
                }
                if messages.count > 1 {
                    evidence.violate(
                        "another connection received a question twice", expected: "one message",
                        actual: "\(messages.count)", at: [turn.event, messages[1].event])
                    continue
                }
                evidence.test(no: difference(of: message, from: turn)) { other in
                    Finding(
                        "another connection received \(other.what)", expected: shown(other.expected),
                        actual: shown(other.actual), at: [turn.event, message.event])
                }
            }
        }
    }

    /// How a `message` differs from the question of its turn.
    private static func difference(
        of message: Frame, from turn: ObservedTurn
    ) -> (what: String, expected: String, actual: String)? {
        let pairs = [
            ("a question under another id", turn.ack?.messageId, message.messageId),
            ("a question with another session or turn", turn.sessionId, message.sessionId),
            ("a question with another session or turn", turn.turnId, message.turnId),
            ("a question with another session or turn", turn.clientMessageId, message.clientMessageId),
            ("another text", turn.accepted.prompt, message.text ?? ""),
        ]
        for case let (what, expected?, actual?) in pairs where !exactlyEqual(expected, actual) {
            return (what, expected, actual)
        }
        return nil
    }

    /// A complete replay with the ending of a turn contains its question, if that was asked after the replay's position
    /// was announced.
    ///
    /// If no `message` was ever seen, the rest of this clause decides.
    private static func replaysHoldTheQuestion(_ history: Observations, _ evidence: inout Evidence) {
        guard history.received.contains(where: { $0.type == "message" && $0.string("role") == "user" }) else { return }
        let turns = Dictionary(
            history.turns.compactMap { turn in turn.turnId.map { ($0, turn) } }, uniquingKeysWith: { first, _ in first }
        )
        for sync in history.syncs where sync.claimsComplete && sync.result?["more"]?.boolValue != true {
            let connection = history.connections[sync.connection]
            guard let result = sync.result, let position = sync.lastSeqSeen, let epoch = result.epoch,
                sync.request.epoch == epoch
            else { continue }
            let told = history.connections.filter { $0.principal == connection.principal }.compactMap { other -> Int? in
                guard let greeting = other.greeting, greeting.epoch == epoch else { return nil }
                if let start = greeting["lastSeq"]?.intValue, start >= position { return greeting.event }
                return other.received.first { ($0.seq ?? -1) >= position }?.event
            }.min()
            guard let told else { continue }
            for ending in sync.missed where ending.isOf("done", "error") {
                guard let turnId = ending.turnId, let turn = turns[turnId], turn.event > told, turn.isAccepted else {
                    continue
                }
                evidence.test(
                    sync.missed.contains { frame in
                        frame.type == "message" && frame.string("role") == "user"
                            && (frame.turnId == turnId
                                || frame.clientMessageId != nil && frame.clientMessageId == turn.clientMessageId
                                || frame.messageId != nil && frame.messageId == turn.ack?.messageId)
                    },
                    otherwise: "a replay contains an ending without its question", expected: "a message before it",
                    actual: "none from \(position) on", at: [turn.event, result.event])
            }
        }
    }

    /// A frame of the stream that was due on a connection but not sent.
    private struct PassedOver {
        let item: NumberedFrame
        let connection: Int
        let device: String
        /// The greeting of the connection, and the later number that came in place of the frame.
        let greeting: Int
        let next: Frame

        func isEnding(of turn: ObservedTurn) -> Bool { turn.endings.contains { $0.event == item.event } }

        func finding(_ what: String) -> Finding {
            Finding(
                what, expected: "seq \(item.seq), \(item.frame.type ?? ""), on connection \(device)",
                actual: "seq \(next.seq ?? 0) follows", at: [greeting, min(item.event, next.event), next.event])
        }
    }

    /// The frames shown elsewhere that were created after a connection's greeting but skipped on it.
    ///
    /// After a sync, SYNC-8 judges frames between the replay and the live ones. The asking connection need not get its
    /// own questions, and not every wire names them; ORDER-7 judges frames with another number. In a later part of a
    /// capture, earlier frames are unknown.
    private static func passedOver(_ history: Observations) -> [PassedOver] {
        guard history.profiles.contains(.sync) else { return [] }
        let carried = history.capture?.carried ?? 0
        return history.connections.enumerated().flatMap { index, connection -> [PassedOver] in
            guard let greeting = connection.greeting, let epoch = greeting.epoch,
                var reached = greeting["lastSeq"]?.intValue
            else { return [] }
            let live = LiveFrames(on: index, history)
            let stream = history.stream(of: connection.principal, epoch: epoch)
            let begun = connection.auth ?? connection.opening
            let answer = connection.received.first { $0.type == "syncResult" }?.event ?? .max
            let replayed = Set(
                history.syncs.first { $0.connection == index && $0.result?.event == answer }?.missed.compactMap(\.seq)
                    ?? [])
            var passed: [PassedOver] = []
            if greeting.event < carried { reached = live.frames.first { $0.event >= carried }?.seq ?? .max }
            for frame in live.frames where frame.event > greeting.event && frame.event < answer {
                guard let seq = frame.seq, seq > reached else { continue }
                for item in stream.firstShown(after: reached) {
                    if item.seq >= seq { break }
                    let isOwed = item.frame.type != "message" || history.index.turns(on: index).isEmpty
                    guard isOwed, item.event > begun, !live.numbers.contains(item.seq), !replayed.contains(item.seq),
                        item.frame.type == "toolUse"
                            || !live.frames.contains(where: { $0.identity == item.frame.identity })
                    else { continue }
                    passed.append(
                        PassedOver(
                            item: item, connection: index, device: connection.device, greeting: greeting.event,
                            next: frame))
                }
                reached = seq
            }
            return passed
        }
    }

    /// The principal's connections that were connected before a question and could see its whole turn live; SYNC-7 and
    /// SYNC-8 judge replayed frames.
    static func observers(of turn: ObservedTurn, _ history: Observations) -> [Int] {
        history.index.connections(of: turn.principal).filter { index in
            let connection = history.connections[index]
            let asked = turn.accepted.event
            guard let connected = connection.connected, connected < asked else { return false }
            return connection.isOpen(at: asked) && !isReplayed(turn, on: index, history)
        }
    }

    /// Whether part of a turn came in a replay that was requested before the turn ended.
    private static func isReplayed(_ turn: ObservedTurn, on index: Int, _ history: Observations) -> Bool {
        let replays = Set(turn.replayed.lazy.filter { $0.connection == index }.map(\.event))
        guard !replays.isEmpty else { return false }
        return history.syncs.contains { sync in
            sync.connection == index && sync.request.event < turn.ended ?? .max
                && sync.result.map { replays.contains($0.event) } == true
        }
    }

    /// The event that proves that a connection will never see a turn's ending: the ending of a later turn of its
    /// session that certainly had to wait for it (ORDER-2).
    private static func successor(of turn: ObservedTurn, on index: Int, _ history: Observations) -> Int? {
        guard let ended = turn.ended else { return nil }
        return history.siblings(of: turn).lazy.filter { $0.event > ended && turn.precedes($0) }
            .compactMap { $0.endings(on: index).first?.event }.first
    }

    /// The event that proves that a connection did not see a turn's ending in time.
    private static func endingDeadline(of turn: ObservedTurn, on index: Int, _ history: Observations) -> Int? {
        guard let ended = turn.ended else { return history.turnDeadline(of: turn, on: index) }
        guard history.connections[index].isOpen(at: ended) else { return nil }
        let late = history.deadline(after: ended, within: history.timeouts.turn, on: index)
        return late ?? history.turnDeadline(of: turn, on: index).map { max($0, ended) }
    }

    private static let refusals = ErrorMeaning.ofQuestions.union([
        "bad_request", "too_large", "persist_failed", "rate_limited",
    ])

    /// TURN-12: "A server MUST NOT store a message, create a session or start a turn for a question that it refused".
    ///
    /// Once for each refusal in each read of its session, or list, between the refusal and a resend of the key.
    /// Violated by a read of any session, or at once by a frame of the turn. ID-6 judges ill-formed session ids.
    /// Refused repeats legally leave traces.
    static func refusedQuestionsLeaveNoTrace(_ history: Observations, _ evidence: inout Evidence) {
        for (turn, request) in history.requests {
            guard let refusal = request.refusal, isRefusal(request, history),
                request.sessionAsked.map(isSessionID) ?? true
            else { continue }
            let first = turn.requests.first { $0.event < request.event && $0.refusal == nil }
            if let first, MessageContent.isSame(first.content, as: request.content) { continue }
            let again = turn.requests.first { $0.event > request.event }?.event ?? .max
            // A question that could not be stored was refused only if an ending would name its turn.
            let begin = request.refusalCode == "persist_failed" ? refusal : request.event
            if first == nil, let sign = turn.told.map(\.event).filter({ $0 > begin && $0 < again }).min() {
                evidence.violate(
                    "a refused question started a turn", expected: "nothing after the refusal",
                    actual: "a frame of the turn", at: [request.event, refusal, sign])
                continue
            }
            // A text is evidence only if it is unique.
            let key = first == nil ? request.clientMessageId : nil
            let isAlone = !history.requests.contains { _, other in
                other.event != request.event && exactlyEqual(other.prompt, request.prompt)
            }
            guard key != nil || isAlone else { continue }
            for exchange in history.exchanges where exchange.request > refusal {
                guard let session = exchange.sessionRead, exchange.sent.principal == request.principal,
                    let response = exchange.response, response < again
                else { continue }
                let read = ObservedSessionRead(exchange)
                let stored = read?.messages.first { message in
                    guard let named = message.clientMessageId, key != nil else {
                        return isAlone && message.role == "user" && exactlyEqual(message.text, request.prompt)
                    }
                    return named == key
                }
                let isNamed = session == request.sessionAsked ?? turn.sessionId
                evidence.test(no: stored, keptIf: isNamed && (read != nil || exchange.status == 404)) { message in
                    Finding(
                        "a refused question was stored", expected: "no trace of it", actual: shown(message.text),
                        at: [request.event, refusal, response])
                }
            }
        }
        for window in ListWindow.all(in: history) {
            guard let last = window.refused.last, window.refused.allSatisfy({ $0.session.map(isSessionID) ?? true }),
                window.created.allSatisfy({ turn in
                    turn.sessionId != nil || turn.replayed.contains { $0.sessionId != nil }
                })
            else { continue }
            evidence.test(
                window.unexplained.isEmpty, otherwise: "a refused question created a session",
                expected: "only sessions of accepted questions", actual: listed(window.unexplained),
                at: [last.request, last.answer, window.after.event])
        }
    }

    /// Whether a question was refused for its own fault: by one of the codes, or by a REST status with that meaning.
    private static func isRefusal(_ request: ObservedRequest, _ history: Observations) -> Bool {
        if let code = request.refusalCode { return refusals.contains(code) }
        return history.exchange(of: request)?.status.map([400, 404, 409, 413, 422, 429].contains) ?? false
    }
}

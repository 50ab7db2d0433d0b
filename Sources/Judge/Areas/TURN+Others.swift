import Holdfast
import HoldfastJSON
import HoldfastTranscript

extension TURN {
    /// TURN-10: "A server MUST send every `toolUse` of a turn and its ending, where that is a frame, to every open
    /// connection of its principal, whichever connection or transport started it".
    ///
    /// Every other connection that was greeted before the question and stayed open must see everything that one of them
    /// saw, even if it asked something itself. TURN-3 judges a turn without an ending. Once per turn and other
    /// connection. Numbers rise on each connection, so a number that was skipped there and shown elsewhere was not
    /// sent.
    static func everyConnectionSeesTheTurn(_ history: Observations, _ evidence: inout Evidence) {
        for passed in passedOver(history) where passed.item.frame.kind != .message {
            evidence.violate(passed.finding("an open connection did not receive a frame of a turn"))
        }
        endingsInReadsAreSent(history, &evidence)
        for turn in history.turns where turn.isAccepted {
            lazy var uses = ToolUses(of: turn)
            for index in observers(of: turn, history) {
                guard let ending = turn.endings(on: index).first else {
                    guard let ended = turn.ended,
                        let end: any HasEvent = successor(of: turn, on: index, history)
                            ?? endingDeadline(of: turn, on: index, history)
                    else { continue }
                    evidence.violate(
                        "an open connection did not receive the ending of a turn",
                        expected: "the ending on every connection",
                        actual: "none on connection \(history.connections[index].device)", at: [turn.event, ended, end])
                    continue
                }
                let isAsker = turn.requests.contains { $0.connection == index }
                let isSeenElsewhere = [turn.frames, turn.endings].joined().contains { $0.connection != index }
                evidence.test(
                    no: isSeenElsewhere ? difference(of: turn, ended: ending, on: index, uses) : nil, keptIf: !isAsker)
            }
        }
    }

    private struct ToolUses {
        /// The tools by connection; never empty.
        private let seen: [Int: [Frame]]
        let most: Int
        /// The tools on the first connection that saw `most` of them.
        let first: [Frame]

        init(of turn: ObservedTurn) {
            // TURN-3 judges frames after the ending.
            let seen = Dictionary(
                grouping: turn.toolUses.filter { use in
                    (turn.endings(on: use.connection).first?.event).isOpen(at: use.event)
                }, by: \.connection)
            let most = seen.values.map(\.count).max() ?? 0
            first = seen.values.filter { $0.count == most }.min { $0[0].isBefore($1[0].event) } ?? []
            (self.seen, self.most) = (seen, most)
        }

        func on(_ connection: Int) -> [Frame] { seen[connection] ?? [] }
    }

    /// The first difference between a connection's frames and those on the first one: the tools, then the ending.
    private static func difference(
        of turn: ObservedTurn, ended ending: Frame, on index: Int, _ uses: ToolUses
    ) -> Finding? {
        let own = uses.on(index)
        if own.count < uses.most {
            return Finding(
                "an open connection did not receive every toolUse of a turn", expected: "\(uses.most) toolUse",
                actual: "\(own.count)", at: [turn.event, ending.event])
        }
        func finding(_ name: String, _ one: Frame, _ other: Frame) -> Finding {
            Finding(
                "two connections received different frames of one turn", expected: shown(one.string(name)),
                actual: shown(other.string(name)), at: [turn.event, other.event])
        }
        for (one, other) in zip(uses.first, own) where one.string("tool") != other.string("tool") {
            return finding("tool", one, other)
        }
        guard let first = turn.endings.first, first.event != ending.event, first.turnId == ending.turnId else {
            return nil
        }
        return ["type", "text", "code"].first { first[$0] != ending[$0] }.map { finding($0, first, ending) }
    }

    /// In a capture, when a read shows a turn as over, each open connection gets its ending; a stage waits for `turn`
    /// (TURN-3).
    ///
    /// Tested once for each such turn that no frame ended, by a connection that was greeted before the question.
    private static func endingsInReadsAreSent(_ history: Observations, _ evidence: inout Evidence) {
        guard history.isCapture else { return }
        for turn in history.turns where turn.ended == nil && turn.copies.isEmpty && turn.isAccepted {
            guard !turn.replayed.contains(where: { $0.isOf(.done, .error) }),
                let read = history.reads(of: turn).after(turn.event).first(where: { read in
                    ["done", "failed"].contains(read.entry(of: turn)?.status)
                })
            else { continue }
            for index in history.connections(of: turn.principal) {
                let connection = history.connections[index]
                guard connection.isGreeted(before: turn.event), connection.isOpen(at: read.event),
                    let late = history.deadline(after: read.event, within: history.timeouts.ack, on: index)
                else { continue }
                evidence.violate(
                    "a read shows that a turn is over, but an open connection did not get its ending",
                    expected: "its ending on connection \(connection.device)", actual: "none before a later pong",
                    at: inOrder(turn.event, read.event) + [late])
            }
        }
    }

    /// TURN-11: "A server MUST put a `message` for every accepted question into its stream, and send it to every open
    /// connection of its principal except, if it chooses, the sender's".
    ///
    /// Once per accepted question and other connection that stayed open, and once per replay with its ending. A skipped
    /// number is evidence as in TURN-10.
    static func otherConnectionsSeeTheQuestion(_ history: Observations, _ evidence: inout Evidence) {
        replaysHoldTheQuestion(history, &evidence)
        let passed = passedOver(history)
        for passed in passed where passed.item.frame.kind == .message {
            evidence.violate(passed.finding("an open connection did not receive a question"))
        }
        for turn in history.turns where turn.isAccepted {
            let askers = turn.requests.compactMap(\.connection)
            for index in observers(of: turn, history) where !askers.contains(index) {
                let messages = turn.frames.filter { $0.connection == index && $0.isQuestion }
                if !messages.isEmpty {
                    evidence.test(no: difference(of: messages, from: turn))
                    continue
                }
                let end: (any HasEvent)? =
                    turn.endings(on: index).first?.event
                    ?? passed.first { $0.connection == index && $0.isEnding(of: turn) }?.next.event
                    ?? successor(of: turn, on: index, history) ?? endingDeadline(of: turn, on: index, history)
                guard let end else { continue }
                evidence.violate(
                    "another connection did not receive the question of a turn", expected: "one message",
                    actual: "none on connection \(history.connections[index].device)", at: [turn.event, end])
            }
        }
    }

    private static func difference(of messages: [Frame], from turn: ObservedTurn) -> Finding? {
        let message = messages[0]
        if messages.count > 1 {
            return Finding(
                "another connection received a question twice", expected: "one message",
                actual: "\(messages.count)", at: [turn.event, messages[1].event])
        }
        let pairs = [
            ("a question under another id", turn.ack?.messageId, message.messageId),
            ("a question with another session or turn", turn.sessionId, message.sessionId),
            ("a question with another session or turn", turn.turnId, message.turnId),
            ("a question with another session or turn", turn.clientMessageId, message.clientMessageId),
        ]
        for case let (what, expected?, actual?) in pairs where !exactlyEqual(expected, actual) {
            return Finding(
                "another connection received \(what)", expected: shown(expected), actual: shown(actual),
                at: [turn.event, message.event])
        }
        return nil
    }

    /// A complete replay with the ending of a turn contains its question, if that was asked after the replay's position
    /// was announced.
    ///
    /// If no `message` was ever seen, the other rules of this clause decide.
    private static func replaysHoldTheQuestion(_ history: Observations, _ evidence: inout Evidence) {
        guard history.received.contains(where: \.isQuestion) else { return }
        let turns = Dictionary(
            history.turns.compactMap { turn in turn.turnId.map { ($0, turn) } }, uniquingKeysWith: { first, _ in first }
        )
        for (sync, result) in history.answeredSyncs where sync.claimsComplete && !result.hasMore {
            guard let position = sync.lastSeqSeen, let epoch = result.epoch, sync.request.epoch == epoch,
                let delivered = firstDelivered(position, of: epoch, to: history.principal(of: sync), history)
            else { continue }
            for ending in sync.missed where ending.isOf(.done, .error) {
                guard let turn = ending.turnId.flatMap({ turns[$0] }), turn.isAfter(delivered), turn.isAccepted else {
                    continue
                }
                evidence.test(
                    sync.missed.contains { $0.isQuestion && isQuestion($0, of: turn) },
                    otherwise: "a replay contains an ending without its question", expected: "a message before it",
                    actual: "none from \(position) on", at: [turn.event, result.event])
            }
        }
    }

    private static func isQuestion(_ message: Frame, of turn: ObservedTurn) -> Bool {
        let names = [
            (message.turnId, turn.turnId), (message.clientMessageId, turn.clientMessageId),
            (message.messageId, turn.ack?.messageId),
        ]
        return names.contains { $0.0 != nil && $0.0 == $0.1 }
    }

    /// The first event that showed a principal a position, or a later one.
    private static func firstDelivered(
        _ position: Int, of epoch: String, to principal: String, _ history: Observations
    ) -> Int? {
        history.connections.filter { $0.principal == principal }.compactMap { connection -> Int? in
            guard let greeting = connection.greeting, greeting.epoch == epoch else { return nil }
            if let start = greeting["lastSeq"]?.intValue, start >= position { return greeting.event }
            return connection.received.first { ($0.seq ?? -1) >= position }?.event
        }.min()
    }

    /// A frame of the stream that was due on a connection but not sent.
    private struct PassedOver {
        let item: NumberedFrame
        let connection: Int
        let device: String
        /// The greeting of the connection, and the frame with a later number that followed instead.
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
        return history.connections.indices.flatMap { passedOver(on: $0, history) }
    }

    private static func passedOver(on index: Int, _ history: Observations) -> [PassedOver] {
        let connection = history.connections[index]
        guard let greeting = connection.greeting, let epoch = greeting.epoch,
            var reached = greeting["lastSeq"]?.intValue
        else { return [] }
        lazy var live = LiveFrames(on: index, history)
        let stream = history.stream(of: connection.principal, epoch: epoch)
        let begun = connection.auth ?? connection.opening
        let answer = connection.received.first { $0.kind == .syncResult }?.event ?? .max
        let first = history.syncs.first { $0.connection == index && $0.result?.event == answer }
        let replayed = Set(first?.missed.compactMap(\.seq) ?? [])
        if let carried = history.capture?.carried, greeting.isBefore(carried) {
            reached = live.frames.after(carried - 1).first?.seq ?? .max
        }
        let hasQuestions = !history.turns(on: index).isEmpty
        var passed: [PassedOver] = []
        for frame in connection.received.between(greeting.event, answer) {
            guard let seq = frame.seq, seq > reached, NumberedFrame.isNumbered(frame) else { continue }
            for item in stream.firstShown(after: reached) {
                if item.seq >= seq { break }
                guard item.isAfter(begun), item.frame.kind != .message || !hasQuestions,
                    !replayed.contains(item.seq), !live.hasReceived(item)
                else { continue }
                passed.append(
                    PassedOver(
                        item: item, connection: index, device: connection.device, greeting: greeting.event, next: frame)
                )
            }
            reached = seq
        }
        return passed
    }

    /// The principal's connections that were greeted before a question and could see its whole turn live; SYNC-7 and
    /// SYNC-8 judge replayed frames.
    static func observers(of turn: ObservedTurn, _ history: Observations) -> [Int] {
        let asked = turn.accepted.event
        return history.connections(of: turn.principal).filter { index in
            let connection = history.connections[index]
            return connection.isGreeted(before: asked) && connection.isOpen(at: asked)
                && !isReplayed(turn, on: index, history)
        }
    }

    /// Whether part of a turn arrived in a replay that was requested before the turn ended.
    private static func isReplayed(_ turn: ObservedTurn, on index: Int, _ history: Observations) -> Bool {
        guard !turn.replayed.isEmpty else { return false }
        let replays = Set(turn.replayed.on(index).map(\.event))
        return history.answeredSyncs.contains { sync, result in
            sync.connection == index && turn.ended.isOpen(at: sync.request.event) && replays.contains(result.event)
        }
    }

    /// The event that proves that a connection will never see a turn's ending: the ending of a later turn of its
    /// session that certainly had to wait for it (ORDER-2).
    private static func successor(of turn: ObservedTurn, on index: Int, _ history: Observations) -> Int? {
        guard let ended = turn.ended else { return nil }
        return history.siblings(of: turn).after(ended).filter { turn.precedes($0) }
            .compactMap { $0.endings(on: index).first?.event }.first
    }

    private static func endingDeadline(of turn: ObservedTurn, on index: Int, _ history: Observations) -> Expiry? {
        guard let ended = turn.ended else { return history.turnDeadline(of: turn, on: index) }
        guard history.connections[index].isOpen(at: ended) else { return nil }
        let late = history.deadline(after: ended, within: history.timeouts.turn, on: index)
        return late ?? history.turnDeadline(of: turn, on: index).map { Expiry(event: max($0.event, ended)) }
    }

    /// TURN-12: "A server MUST NOT store a message, create a session or start a turn for a question that it refused".
    ///
    /// Tested once for each refusal in each read of its session, or list, between the refusal and a resend of the key.
    /// Violated by a read of any session, or at once by a frame of the turn. ID-6 judges ill-formed session ids.
    /// Refused repeats legally leave traces.
    static func refusedQuestionsLeaveNoTrace(_ history: Observations, _ evidence: inout Evidence) {
        for (turn, request) in history.requests {
            guard let refused = RefusedQuestion(request, of: turn, history) else { continue }
            if let start = refused.start {
                evidence.violate(
                    "a refused question started a turn", expected: "nothing after the refusal",
                    actual: "a frame of the turn", at: [request.event, refused.refusal, start])
                continue
            }
            guard refused.isTraceable else { continue }
            for exchange in history.exchanges.asked(after: refused.refusal) {
                guard let session = exchange.sessionRead, exchange.sent.principal == request.principal,
                    let response = exchange.response, refused.again.isOpen(at: response)
                else { continue }
                let read = history.read(in: exchange)
                let isNamed = session == request.sessionAsked ?? turn.sessionId
                evidence.test(
                    no: read?.messages.first { refused.isStored(as: $0) },
                    keptIf: isNamed && (read != nil || exchange.status == 404)
                ) { message in
                    Finding(
                        "a refused question was stored", expected: "no trace of it", actual: shown(message.text),
                        at: [request.event, refused.refusal, response])
                }
            }
        }
        refusedQuestionsCreateNoSession(history, &evidence)
    }

    private static func refusedQuestionsCreateNoSession(_ history: Observations, _ evidence: inout Evidence) {
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
}

/// A question that was refused for its own fault, and the traces by which it can be found.
private struct RefusedQuestion {
    let refusal: Int
    let again: Int?
    /// The first frame that shows that it started a turn.
    let start: Int?
    private let prompt: String
    /// Its key, if no earlier request with it was accepted.
    private let key: String?
    /// Whether no other question has its text.
    private let isAlone: Bool

    private static let codes = ErrorMeaning.ofQuestions.union([
        "bad_request", "too_large", "persist_failed", "rate_limited",
    ])

    init?(_ request: ObservedRequest, of turn: ObservedTurn, _ history: Observations) {
        let status = history.exchange(of: request)?.status
        guard let refusal = request.refusal, request.sessionAsked.map(isSessionID) ?? true,
            request.refusalCode.map(Self.codes.contains)
                ?? status.map([400, 404, 409, 413, 422, 429].contains) ?? false
        else { return nil }
        let first = turn.requests.before(request.event).first { $0.refusal == nil }
        if let first, MessageContent.isSame(first.content, as: request.content) { return nil }
        let again = turn.requests.after(request.event).first?.event
        // A question that could not be stored may have had frames before its refusal.
        let earliest = request.refusalCode == "persist_failed" ? refusal : request.event
        start = first == nil ? turn.allFrames.between(earliest, again ?? .max).earliest?.event : nil
        key = first == nil ? request.clientMessageId : nil
        // A text is evidence only if it is unique.
        isAlone = !history.requests.contains { _, other in
            other !== request && exactlyEqual(other.prompt, request.prompt)
        }
        (self.refusal, self.again, prompt) = (refusal, again, request.prompt)
    }

    var isTraceable: Bool { key != nil || isAlone }

    func isStored(as message: ObservedSessionRead.StoredMessage) -> Bool {
        guard let key, let named = message.clientMessageId else {
            return isAlone && message.role == "user" && exactlyEqual(message.text, prompt)
        }
        return named == key
    }
}

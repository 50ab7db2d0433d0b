import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

enum TURN {
    static let checks: [Check] = [
        Check(.TURN, 1, chatsAreAnswered, acksHaveTheKeyOfAChat),
        Check(.TURN, 2, ackMeansDurable),
        Check(.TURN, 3, everyTurnEnds, nothingFollowsTheEnding),
        Check(.TURN, 4, agentFailuresAreNamed),
        Check(.TURN, 5, turnsRunAfterAFailure),
        Check(.TURN, 6, turnsOutliveTheirConnection),
        Check(.TURN, 7, Rule(sessionsListTheirTurns, needs: [.frames]), Rule(endedTurnsStayAsTheyEnded)),
        Check(.TURN, 8, interruptedTurnsEnd, SYNC.brokenTurnsEndInTheStream),
        Check(.TURN, 9, stoppedTurnsAreInterrupted),
        Check(.TURN, 10, everyConnectionSeesTheTurn),
        Check(.TURN, 11, otherConnectionsSeeTheQuestion),
        Check(.TURN, 12, refusedQuestionsLeaveNoTrace),
        Check(.TURN, 13, endingErrorsSayWhetherToRetry),
        Check(.TURN, 14, refusalsNameTheirQuestion),
    ]

    /// TURN-1: "A server MUST answer each valid `chat` on its open connection within `ack`: with a refusal or one `ack`
    /// with its `clientMessageId`, before other frames of a new turn".
    ///
    /// A missing ack is detected by the first `toolUse` or ending, a late answer on its arrival, and silence by later
    /// events on the connection. IDEM-2 judges the ack of each repeat, and RATE-3 a question beyond the budget.
    static func chatsAreAnswered(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns where !turn.isFromBeforeCapture {
            guard let index = turn.request.connection, history.connections[index].isGreeted(before: turn.event) else {
                continue
            }
            let acks = turn.acks.on(index)
            // Any of several concurrent requests with one key may arrive first; the others are repeats.
            if turn.requests.count > 1, acks.first?.isDuplicate == true { continue }
            let first = [turn.frames, turn.endings].joined().on(index).filter { $0.kind != .message }.earliest?.event
            let answer = earliest(acks.first?.event, turn.request.refusal, first, turn.copies.first?.event)
            if let finding = strayAck(of: turn, on: index, history) ?? lateAnswer(answer, to: turn, on: index, history)
            {
                evidence.violate(finding)
            } else if turn.request.refusal != nil {
                continue
            } else if let ack = acks.first, first.isOpen(at: ack.event) {
                evidence.test(no: extraAck(of: turn)) { extra in
                    Finding(
                        "a chat was acknowledged more than once", expected: "one ack for each chat", actual: "one more",
                        at: inOrder(turn.event, waiting(for: extra, history)?.event) + [extra.event])
                }
            } else if let first,
                // The same question may have overtaken it on another transport, so that it is an unanswered repeat.
                !acks.isEmpty || turn.requests.before(first).allSatisfy({ $0.origin == turn.request.origin })
            {
                evidence.violate(
                    "a turn began before its ack", expected: "ack first",
                    actual: acks.isEmpty ? "no ack before the first frame" : "ack after the first frame",
                    at: [turn.event, first])
            }
        }
    }

    private static func strayAck(of turn: ObservedTurn, on index: Int, _ history: Observations) -> Finding? {
        let stray = turn.acks.first { ack in
            // Questions from before a capture are unknown.
            !turn.requests.contains { $0.connection == ack.connection }
                && (!history.isCapture || history.connections[ack.connection].connected != nil)
        }
        return stray.map { stray in
            Finding(
                "a chat was acknowledged on a connection other than its own",
                expected: "ack on connection \(history.connections[index].device)",
                actual: "ack on connection \(history.connections[stray.connection].device)", at: [turn, stray])
        }
    }

    private static func lateAnswer(
        _ answer: Int?, to turn: ObservedTurn, on index: Int, _ history: Observations
    ) -> Finding? {
        guard turn.isAccepted || history.isNoReason("bad_request", to: turn.request),
            let late = lateness(of: answer, to: turn, on: index, history), answer.isOpen(at: late.event),
            (turn.requests.dropFirst().first?.event).isOpen(at: late.event - 1), !history.isOverBudget(turn.request)
        else { return nil }
        return Finding(
            answer == nil ? "a chat was neither acknowledged nor refused" : "a chat was answered late",
            expected: "an ack or a refusal within \(history.timeouts.ack)",
            actual: answer.map { "one after \(history.span(from: turn.event, to: $0) / 1_000) ms" } ?? "neither",
            at: [turn.event, answer ?? late])
    }

    /// The event that proves that the answer to a chat is late: the timeout `ack` starts with the answer to the
    /// previous chat on its connection, if that is later.
    private static func lateness(
        of answer: Int?, to turn: ObservedTurn, on index: Int, _ history: Observations
    ) -> Expiry? {
        func deadline(_ cause: Int) -> Expiry? {
            history.deadline(after: cause, within: history.timeouts.ack, on: index)
        }
        guard let late = deadline(turn.event), answer.isOpen(at: late.event) else { return nil }
        let before = history.turns(on: index).map(\.request).before(turn.event)
            .filter { $0.connection == index }.compactMap { $0.ack?.event ?? $0.refusal }
        return deadline(before.filter { answer.isOpen(at: $0) }.reduce(turn.event, max))
    }

    private static func extraAck(of turn: ObservedTurn) -> Frame? {
        if turn.acks.count == 1, turn.requests.contains(where: { $0.connection == turn.acks[0].connection }) {
            return nil
        }
        let extra = Dictionary(grouping: turn.acks, by: \.connection).compactMap { index, acks in
            acks.dropFirst(turn.requests.count { $0.connection == index }).first
        }
        return extra.earliest
    }

    /// TURN-1, rule 2: the key of each `ack` is that of a `chat` on its connection.
    ///
    /// An ack with another key is a violation if such a chat, or the one that its other ids name, has no ack.
    static func acksHaveTheKeyOfAChat(_ history: Observations, _ evidence: inout Evidence) {
        let answered = Dictionary(
            history.requests.compactMap { _, request in request.ack.map { ($0.event, request) } },
            uniquingKeysWith: { first, _ in first })
        let known = Set(history.turns.lazy.flatMap(\.acks).map(\.event))
        let doubtfulFrames = Set(history.turns.lazy.flatMap(\.doubtfulFrames).map(\.event))
        for connection in history.connections {
            guard let greeting = connection.connected else { continue }
            for ack in connection.received.after(greeting) where ack.kind == .ack {
                if doubtfulFrames.contains(ack.event) { continue }
                let open = known.contains(ack.event) ? answered[ack.event] : waiting(for: ack, history)
                guard let open, open.clientMessageId != nil else { continue }
                evidence.test(
                    ack.clientMessageId == open.clientMessageId, otherwise: "an ack has a key that no chat has",
                    expected: shown(open.clientMessageId),
                    actual: shown(ack.clientMessageId ?? ack["clientMessageId"]?.text()), at: [open.event, ack.event])
            }
        }
    }

    private static func waiting(for ack: Frame, _ history: Observations) -> ObservedRequest? {
        // The ack may answer a message that should have been refused (ENV-3).
        let isOfHostile = history.hostileFrames.contains {
            $0.answer == nil && $0.frame.connection == ack.connection && $0.frame.isBefore(ack.event)
        }
        guard !isOfHostile, let greeting = history.connections[ack.connection].connected else { return nil }
        return history.requests.first { turn, request in
            turn.doubtfulFrames.isEmpty && request.connection == ack.connection && request.isAfter(greeting)
                && request.isBefore(ack.event) && request.ack == nil && request.refusal == nil
        }?.request
    }

    /// TURN-3: "A server MUST end every accepted turn with exactly one ending, and send no frame of that turn after it
    /// without `duplicate: true`".
    ///
    /// Judged on the asking connections. If none of them remains, a turn that shows activity but no ending is judged on
    /// the others. On a wire without acks, a question that was not refused counts as accepted.
    static func everyTurnEnds(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns where turn.isAccepted || !history.hasAcks {
            var isFound = false
            for (index, asked) in askers(of: turn) {
                guard turn.endings(on: index).isEmpty else {
                    evidence.keep()
                    continue
                }
                // Only a repeat gets a copy.
                guard turn.requests.count == 1 || turn.copies.on(index).isEmpty,
                    history.connections[index].isGreeted(before: asked),
                    let end = history.turnDeadline(of: turn, on: index)
                else { continue }
                isFound = true
                evidence.violate(missingEnding(of: turn, on: index, asked, by: end, history))
            }
            if !isFound, turn.isAccepted, turn.ended == nil,
                !(turn.copies + turn.replayed).contains(where: \.isEnding),
                let end = observers(of: turn, history).compactMap({ history.turnDeadline(of: turn, on: $0) }).earliest
            {
                evidence.violate(
                    "an accepted turn did not end", expected: "one done, or one error that ends the turn",
                    actual: "none on any connection within \(history.timeouts.turn) after the script's own waits",
                    at: [turn.event, turn.firstSign ?? turn.event, end])
            }
        }
    }

    private static func missingEnding(
        of turn: ObservedTurn, on index: Int, _ asked: Int, by end: Expiry, _ history: Observations
    ) -> Finding {
        guard let other = turn.endings.before(end.event).first else {
            return Finding(
                "an accepted turn did not end", expected: "one done, or one error that ends the turn",
                actual: "none within \(history.timeouts.turn) after the script's own waits", at: [asked, end])
        }
        let own = history.connections[index].device
        let device = history.connections[other.connection].device
        let lane = device == own ? "another connection of \(device)" : device
        let time = readable(history.time(of: other.event) / 1000)
        return Finding(
            "an accepted turn did not end on \(own), which asked",
            expected: "one done, or one error that ends the turn, also on \(own)",
            actual: "none; \(lane) had \(called(other)) at +\(time) ms", at: inOrder(asked, other.event) + [end])
    }

    /// The connections on which the client knew that the turn runs, with the first request on each: the asking one, and
    /// those with an acknowledged repeat.
    private static func askers(of turn: ObservedTurn) -> [(connection: Int, asked: Int)] {
        let known = turn.requests.filter { $0.refusal == nil && ($0 === turn.request || $0.ack != nil) }
        let asked = known.compactMap { request in request.connection.map { ($0, request.event) } }
        return Dictionary(asked, uniquingKeysWith: min).map { ($0.key, $0.value) }.sorted { $0.1 < $1.1 }
    }

    /// TURN-3, rule 2: nothing of a turn follows its ending on a connection.
    ///
    /// Once per ended turn and connection, even if one key ran as several turns. An unmarked copy is a second ending. A
    /// recording may start after the question, so a turn whose question was not recorded is judged by its `turnId`.
    static func nothingFollowsTheEnding(_ history: Observations, _ evidence: inout Evidence) {
        let asked = history.turns.lazy.flatMap { turn in
            [turn.frames, turn.endings].joined().lazy.map { ($0.event, turn) }
        }
        let turns = Dictionary(asked, uniquingKeysWith: { first, _ in first })
        let frames = history.received.filter { frame in
            NumberedFrame.isInStream(frame.kind) && !frame.isDuplicate
                && (frame.turnId != nil || turns[frame.event] != nil)
        }
        let groups = Dictionary(grouping: frames) { frame in
            let name = frame.turnId ?? name(of: frame, in: turns[frame.event])
            return NameOnConnection(name: name, connection: frame.connection)
        }
        for frames in groups.values {
            guard let index = frames.firstIndex(where: \.isEnding) else { continue }
            let (ending, turn) = (frames[index], turns[frames[index].event])
            evidence.test(no: frames[(index + 1)...].first, keptIf: turn != nil) { late in
                Finding(
                    late.isEnding
                        ? "a turn ended twice on one connection" : "\(called(late)) came after the ending of its turn",
                    expected: "nothing after \(called(ending))", actual: called(late),
                    at: [turn?.event, ending.event, late.event].compactMap(\.self),
                    lacking: late.isEnding ? "duplicate" : nil)
            }
        }
    }

    /// The turn of a frame that names none: that of its question, or a second turn in another session.
    private static func name(of frame: Frame, in turn: ObservedTurn?) -> String {
        if let session = frame.sessionId, session != turn?.sessionId { return session }
        return turn?.turnId ?? "\(turn?.event ?? 0)"
    }
}

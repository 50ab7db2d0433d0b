import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// Checks of the life of a turn: from an accepted question to exactly one ending.
enum TURN {
    static let checks: [Check] = [
        Check(.TURN, 1, acceptedChatsAreAckedOnce), Check(.TURN, 2, acksRepeatTheKey),
        Check(.TURN, 20, ackedQuestionsAreShown), Check(.TURN, 4, questionsAreStoredBeforeTheTurnShows),
        Check(.TURN, 5, everyTurnEndsOnce), Check(.TURN, 6, nothingFollowsTheEnding),
        Check(.TURN, 7, doneSaysWhatIsStored), Check(.TURN, 8, agentFailuresAreNamed),
        Check(.TURN, 9, failedTurnsAreShownFailed), Check(.TURN, 10, turnsRunAfterAFailure),
        Check(.TURN, 11, turnsOutliveTheirConnection), Check(.TURN, 12, sessionsListTheirTurns),
        Check(.TURN, 15, everyConnectionSeesTheTurn), Check(.TURN, 16, otherConnectionsSeeTheQuestion),
        Check(.TURN, 3, ackMeansDurable), Check(.TURN, 13, interruptedTurnsEnd),
        Check(.TURN, 14, stoppedTurnsAreInterrupted),
        Check(.TURN, 18, refusedQuestionsLeaveNoTrace), Check(.TURN, 19, endingErrorsSayWhetherToRetry),
        Check(.TURN, 21, refusalsNameTheirQuestion),
    ]

    /// TURN-1: "A server MUST answer an accepted `chat` with one `ack` on the connection that sent it, within `ack` and before
    /// the first frame of its turn".
    ///
    /// A missing ack shows by the first `toolUse` or ending, a late one when it comes. Each repeat may have an ack of its own.
    static func acceptedChatsAreAckedOnce(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns {
            guard let index = turn.request.connection, turn.request.refusal == nil,
                turn.event > history.connections[index].connected ?? .max
            else { continue }
            let acks = turn.acks.lazy.filter { $0.connection == index }
            // Of requests with one key that travel at the same time any may be the first to arrive; the others are repeats.
            if turn.requests.count > 1, acks.first?.isDuplicate == true { continue }
            let first = turn.firstSignOfRunning { $0.connection == index }
            let stray = turn.acks.first { ack in
                // Who asked before a capture began is not known.
                !turn.requests.contains { $0.connection == ack.connection }
                    && (!history.isCapture || history.connections[ack.connection].connected != nil)
            }
            if let stray {
                evidence.violate(
                    "a chat was acknowledged on another connection than its own",
                    expected: "ack on connection \(history.connections[index].device)",
                    actual: "ack on connection \(history.connections[stray.connection].device)",
                    at: [turn.event, stray.event])
            } else if let ack = acks.first, turn.requests.count == 1,
                let late = history.deadline(after: turn.event, within: history.timeouts.ack, on: index),
                late < min(ack.event, first ?? .max)
            {
                evidence.violate(
                    "an accepted chat was acknowledged late", expected: "within \(history.timeouts.ack)",
                    actual: "after \(history.span(from: turn.event, to: ack.event) / 1_000) ms",
                    at: [turn.event, ack.event])
            } else if let ack = acks.first, ack.event < first ?? .max {
                evidence.test(no: extraAck(of: turn)) { extra in
                    Finding(
                        "a chat was acknowledged more than once", expected: "one ack for each chat", actual: "one more",
                        at: [turn.event, extra.event])
                }
            } else if let first {
                // The same question on another transport may have overtaken it, and this one be a repeat that nobody answered.
                let isOvertaken = turn.requests.contains { $0.origin != turn.request.origin && $0.event < first }
                if acks.isEmpty, isOvertaken { continue }
                evidence.violate(
                    "a turn began before its ack", expected: "ack first",
                    actual: acks.isEmpty ? "no ack before the first frame" : "ack after the first frame",
                    at: [turn.event, first])
            }
        }
    }

    /// The first ack on a connection beyond one for each time the question was sent there.
    private static func extraAck(of turn: ObservedTurn) -> Frame? {
        guard turn.acks.count > 1 else { return nil }
        for index in Set(turn.requests.compactMap(\.connection)).sorted() {
            let requests = turn.requests.filter { $0.connection == index }.count
            if let extra = turn.acks.filter({ $0.connection == index }).dropFirst(requests).first { return extra }
        }
        return nil
    }

    /// TURN-2: "A server MUST repeat the `clientMessageId` of the `chat` in its `ack`".
    ///
    /// Once for each ack. One that belongs to no question breaks it where a chat on its connection has none.
    static func acksRepeatTheKey(_ history: Observations, _ evidence: inout Evidence) {
        for (_, request) in history.requests {
            guard let ack = request.ack, request.clientMessageId != nil else { continue }
            evidence.test(
                ack.clientMessageId == request.clientMessageId,
                otherwise: "an ack does not repeat the key of its chat", expected: shown(request.clientMessageId),
                actual: shown(ack.clientMessageId ?? ack["clientMessageId"]?.text()), at: [request.event, ack.event])
        }
        let matched = Set(history.turns.flatMap(\.acks).map(\.event))
        for (index, connection) in history.connections.enumerated() {
            guard let greeting = connection.connected else { continue }
            for ack in connection.received where ack.type == "ack" && !matched.contains(ack.event) {
                // What should have been refused may be what it answers (ENV-9).
                let isOfHostile = history.hostileFrames.contains {
                    $0.frame.connection == index && $0.frame.event < ack.event && $0.answer == nil
                }
                let open = history.requests.first { _, request in
                    request.connection == index && request.event > greeting && request.event < ack.event
                        && request.ack == nil && request.refusal == nil && !isOfHostile
                }
                guard let open = open?.request, open.clientMessageId != ack.clientMessageId else { continue }
                evidence.violate(
                    "an ack has the key of no chat", expected: shown(open.clientMessageId),
                    actual: shown(ack.clientMessageId ?? ack["clientMessageId"]?.text()), at: [open.event, ack.event])
            }
        }
    }

    /// TURN-20: "A server MUST include the user's message in every read of the session that begins after it sent the
    /// `ack`".
    ///
    /// Judged by the first read begun after the ack and before the turn shows anything else. A later read proves only
    /// TURN-4, unless the server sent both at once, so that no read could begin between. One after a crash is the matter
    /// of TURN-3.
    static func ackedQuestionsAreShown(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns {
            guard let ack = turn.ack else { continue }
            let shows = turn.firstSignOfRunning { _ in true } ?? .max
            let reads = history.reads(of: turn).filter { $0.request > ack.event }
            let isAtOnce = shows < .max && history.span(from: ack.event, to: shows) < 20_000
            guard let read = reads.first(where: { $0.request < shows || isAtOnce }),
                !history.hasCrashed(between: ack.event, and: read.request)
            else { continue }
            // What a later read lacks is the matter of TURN-4.
            if read.request > shows, history.question(of: turn, in: read) == nil { continue }
            count(turn, in: read, since: ack, "an acknowledged question is not shown", history, &evidence)
        }
    }

    /// TURN-4: "A server MUST have stored the user's message by the time it sends the first `toolUse` or the ending of
    /// its turn".
    ///
    /// Judged by the first read begun after the first `toolUse` or ending that any connection saw.
    static func questionsAreStoredBeforeTheTurnShows(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns {
            guard let shows = turn.signsOfRunning.min(by: { $0.event < $1.event }),
                let read = history.reads(of: turn).first(where: { $0.request > shows.event }),
                !history.hasCrashed(between: shows.event, and: read.request)
            else { continue }
            let what = "a turn showed \(called(shows)), but its question is not stored"
            count(turn, in: read, since: shows, what, history, &evidence)
        }
    }

    private static func count(
        _ turn: ObservedTurn, in read: ObservedSessionRead, since frame: Frame, _ what: String,
        _ history: Observations, _ evidence: inout Evidence
    ) {
        if history.question(of: turn, in: read) != nil { return evidence.keep() }
        // A text that came back changed is the matter of ENV-14: where nothing has a name, enough questions are evidence.
        let isNamed = turn.ack != nil || read.messages.contains { $0.clientMessageId != nil || $0.turnId != nil }
        let asked = history.turns.filter { $0.event <= turn.event && $0.isAccepted && $0.session == read.sessionId }
        if !isNamed, read.messages.filter({ $0.role == "user" }).count >= asked.count { return }
        evidence.violate(
            what, expected: shown(turn.request.prompt),
            actual: "\(read.messages.count) messages: \(listed(read.messages.compactMap(\.id)))",
            at: [turn.event, frame.event, read.event])
    }

    /// TURN-5: "A server MUST end every accepted turn with exactly one `done` or one `error` that ends it".
    ///
    /// A second ending is judged on every connection, a missing one on those that asked. A question that was not refused
    /// counts as accepted, because nothing says how soon its ack comes. Where nobody who asked is there to see it, a turn that
    /// shows itself and ends nowhere is told by the others.
    static func everyTurnEndsOnce(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns {
            for (index, endings) in turn.endingsByConnection {
                var kept: [Frame] = []
                for ending in endings {
                    if let before = kept.first(where: { isSameTurn($0, ending, of: turn) }) {
                        evidence.violate(
                            "a turn ended twice on one connection", expected: "one ending", actual: called(ending),
                            at: [turn.event, before.event, ending.event])
                    } else {
                        kept.append(ending)
                        if askers(of: turn).contains(where: { $0.connection == index }) { evidence.keep() }
                    }
                }
            }
            var isTold = false
            for (index, asked) in askers(of: turn) {
                guard turn.endings(on: index).isEmpty, !turn.copies.contains(where: { $0.connection == index }),
                    asked > history.connections[index].connected ?? .max,
                    let end = history.turnDeadline(of: turn, on: index)
                else { continue }
                isTold = true
                evidence.violate(missingEnding(of: turn, on: index, asked, by: end, history))
            }
            if !isTold, turn.isAccepted, !hasEndedAnywhere(turn),
                let end = observers(of: turn, history).compactMap({ history.turnDeadline(of: turn, on: $0) }).min()
            {
                evidence.violate(
                    "an accepted turn did not end", expected: "one done, or one error that ends the turn",
                    actual: "none on any connection within \(history.timeouts.turn) after the script's own waits",
                    at: [turn.event, turn.firstSign ?? turn.event, end])
            }
        }
        for (ending, later) in unasked(history) {
            guard let again = later.first(where: { $0.isOf("done", "error") }) else { continue }
            evidence.violate(
                "a turn ended twice on one connection", expected: "one ending", actual: called(again),
                at: [ending.event, again.event])
        }
    }

    /// The frames of turns that nobody in this history asked for, by connection and the name of the turn: a recording may begin
    /// after the question.
    private static func unasked(_ history: Observations) -> [(ending: Frame, later: [Frame])] {
        let known = Set(history.turns.flatMap { ($0.frames + $0.endings + $0.copies).map(\.event) })
        let frames = history.received.filter { frame in
            frame.turnId != nil && !frame.isDuplicate && frame.isOf("message", "toolUse", "done", "error")
                && !known.contains(frame.event)
        }
        return Dictionary(grouping: frames, by: \.connection).sorted { $0.key < $1.key }.flatMap { _, frames in
            Dictionary(grouping: frames, by: \.turnId).values.compactMap { frames in
                guard let place = frames.firstIndex(where: { $0.isOf("done", "error") }) else { return nil }
                return (frames[place], Array(frames[(place + 1)...]))
            }.sorted { $0.ending.event < $1.ending.event }
        }
    }

    /// What is found where a connection that asked was shown no ending: it came elsewhere, or not at all.
    private static func missingEnding(
        of turn: ObservedTurn, on index: Int, _ asked: Int, by end: Int, _ history: Observations
    ) -> Finding {
        guard let other = turn.endings.first(where: { $0.event < end }) else {
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
            actual: "none; \(lane) had \(called(other)) at +\(time) ms", at: [asked, other.event, end].sorted())
    }

    /// Whether anything shows that a turn ended, live or not.
    private static func hasEndedAnywhere(_ turn: ObservedTurn) -> Bool {
        turn.ended != nil || !turn.copies.isEmpty || turn.replayed.contains { $0.isOf("done", "error") }
    }

    /// Whether two endings that answer one question are of one turn, as far as they say.
    ///
    /// One key that was sent again and is answered in two sessions has started two turns, which is the matter of IDEM-1.
    private static func isSameTurn(_ one: Frame, _ other: Frame, of turn: ObservedTurn) -> Bool {
        guard one.turnId == other.turnId else { return false }
        guard turn.requests.count > 1, one.turnId == nil, let session = one.sessionId, let second = other.sessionId
        else { return true }
        return session == second
    }

    /// The connections that were told or could expect that the turn runs, with the first request on each: the one that
    /// asked, and those whose repeat was acknowledged.
    private static func askers(of turn: ObservedTurn) -> [(connection: Int, asked: Int)] {
        var askers: [(connection: Int, asked: Int)] = []
        for (position, request) in turn.requests.enumerated() where request.refusal == nil {
            guard let index = request.connection, position == 0 || request.ack != nil,
                !askers.contains(where: { $0.connection == index })
            else { continue }
            askers.append((index, request.event))
        }
        return askers
    }

    /// TURN-6: "A server MUST NOT send any further frame of a turn after the one that ended it".
    ///
    /// A second ending is the matter of TURN-5. Exercised once per ended turn and connection.
    static func nothingFollowsTheEnding(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns {
            for (index, endings) in turn.endingsByConnection {
                let ending = endings[0]
                let late = turn.frames.first { frame in
                    frame.connection == index && frame.event > ending.event
                        && (frame.turnId == nil || ending.turnId == nil || frame.turnId == ending.turnId)
                }
                evidence.test(no: late) { late in
                    Finding(
                        "\(called(late)) came after the ending of its turn",
                        expected: "nothing after \(called(ending))", actual: called(late),
                        at: [turn.event, ending.event, late.event])
                }
            }
        }
        for (ending, later) in unasked(history) {
            guard let late = later.first(where: { $0.isOf("message", "toolUse") }) else { continue }
            evidence.violate(
                "\(called(late)) came after the ending of its turn", expected: "nothing after \(called(ending))",
                actual: called(late), at: [ending.event, late.event])
        }
    }

    /// TURN-7: "A server MUST send in `done` exactly the text that it stored as the answer of that turn".
    ///
    /// An answer that a read does not hold at all is the matter of PERSIST-2. Exercised once per turn and read.
    static func doneSaysWhatIsStored(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns {
            for done in turn.endings + turn.copies where done.type == "done" {
                guard let text = done.text else { continue }
                for read in history.reads(of: turn) where read.request > done.event {
                    guard let index = history.answer(of: turn, in: read) else { continue }
                    let stored = read.messages[index]
                    evidence.test(
                        text, is: stored.text,
                        otherwise: "the text of done differs from the stored answer",
                        at: [turn.event, done.event, read.event])
                }
            }
        }
    }
}

import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// Checks of idempotency: a resent question runs once.
enum IDEM {
    static let checks: [Check] = [
        Check(.IDEM, 1, repeatStartsNoSecondTurn, repeatStoresNoSecondMessage),
        Check(.IDEM, 2, repeatIsAcknowledgedAsSuch, endedTurnIsCopied),
        Check(.IDEM, 3, runningTurnIsNotCopied),
        Check(.IDEM, 4, repeatOverRESTHasTheFirstOutcome),
        Check(.IDEM, 5, mismatchIsRefused),
        Check(.IDEM, 7, refusedKeyIsFree),
    ]

    /// IDEM-1: "A server MUST NOT start a second turn or store a second message for a repeat, on either transport, also
    /// after it was killed and started again".
    ///
    /// Tested once for each further answer to one key that names a turn, and once for each read that lists the turns of
    /// a repeated key. A turn runs in one session, so where turns have no ids, an answer in another session belongs to
    /// another turn. With one id, it names the wrong session (ID-3).
    static func repeatStartsNoSecondTurn(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns where turn.clientMessageId != nil {
            let requests = turn.requests.filter {
                $0.refusal == nil && MessageContent.isSame($0.content, as: turn.request.content)
            }
            guard requests.count > 1 else { continue }
            let answers = requests.compactMap { $0.ack?.event ?? $0.outcome }
            // After a crash, only answers that promised durability count.
            let binding = history.answers(to: turn).filter { answer in
                !history.hasCrashed(between: answer.event, and: requests[requests.count - 1].event)
                    || turn.requests.contains { $0.success == answer.event }
                    || (turn.acks + turn.endings).contains { $0.event == answer.event && $0.kind != .error }
            }
            if let (first, other) = otherTurn(in: binding, of: turn) {
                evidence.violate(
                    "a repeat started a second turn", expected: first.words, actual: other.words, at: [first, other])
            } else if answers.count > 1, binding.contains(where: { $0.turnId != nil }) {
                evidence.keep()
            }
            for read in history.reads(of: turn).asked(after: requests[1].event) where read.listsTurns {
                let count = read.turns.filter { $0.clientMessageId == turn.clientMessageId }.count
                evidence.test(
                    count <= 1, keptIf: count == 1, otherwise: "a session lists two turns for one key",
                    expected: "one turn", actual: "\(count)", at: [requests[1].event, read.event])
            }
        }
    }

    private static func otherTurn(in answers: [TurnAnswer], of turn: ObservedTurn) -> (TurnAnswer, TurnAnswer)? {
        func different(_ name: (TurnAnswer) -> String?) -> (TurnAnswer, TurnAnswer)? {
            guard let first = answers.first(where: { name($0) != nil }),
                let other = answers.first(where: { name($0) != nil && name($0) != name(first) })
            else { return nil }
            return (first, other)
        }
        if let turns = different(\.turnId) { return turns }
        // A request with other content or another session is not a repeat (IDEM-5).
        let isMixed = turn.requests.contains { request in
            let isElsewhere = request.sessionAsked.map { $0 != turn.sessionId } ?? false
            return request.refusal == nil && (isElsewhere || request.content != turn.request.content)
        }
        return isMixed || answers.allSatisfy { $0.turnId != nil } ? nil : different(\.sessionId)
    }

    /// IDEM-1, rule 2: a repeat is not stored as a second message.
    ///
    /// Tested once for each repeat whose `ack` names the message, and once for each later read with its question. In a
    /// capture, a repeat may be unrecorded, so a read alone decides. A key is free again after a day (IDEM-6).
    static func repeatStoresNoSecondMessage(_ history: Observations, _ evidence: inout Evidence) {
        for read in history.sessionReads where history.isCapture { judgeKeys(in: read, &evidence) }
        for again in history.trueRepeats {
            if let ack = again.request.ack, let id = ack.messageId,
                let first = again.turn.original?.ack?.messageId
            {
                evidence.test(
                    id == first, otherwise: "a repeat was stored as a second user message",
                    expected: "only message \(shown(first))", actual: "also \(shown(id))", at: [again.event, ack.event])
            }
            let answered = again.answered
            for read in history.sessionReads where read.principal == again.turn.principal {
                // A question stored twice is proof in itself; one stored once counts only after the answer.
                guard read.isAsked(after: answered ?? again.event), history.namesItsMessages(read) else { continue }
                let count = history.places(in: read).questions(of: again.turn).count
                let isElsewhere = again.turn.sessionId.map { $0 != read.sessionId } ?? false
                let isNamed = read.messages.contains { $0.clientMessageId == again.turn.clientMessageId }
                evidence.test(
                    isElsewhere ? !isNamed : count <= 1, keptIf: count == 1 && !isElsewhere && answered != nil,
                    otherwise: "a repeat was stored as a second user message", expected: "one, in one session",
                    actual: isElsewhere ? "a second one, in session \(read.sessionId)" : "\(count)", at: [again, read])
            }
        }
    }

    /// Judges the keys in a read of a capture: two messages with one key were stored for one question.
    private static func judgeKeys(in read: ObservedSessionRead, _ evidence: inout Evidence) {
        let asked = read.messages.filter { $0.role == "user" && $0.statedKey != nil }
        let byKey = Dictionary(grouping: asked) { $0.statedKey ?? "" }
        for (key, stored) in byKey.sorted(by: { $0.key < $1.key }) {
            guard let first = stored.first,
                let second = stored.first(where: { $0.id != first.id && $0.isWithinADay(of: first) })
            else { continue }
            evidence.violate(
                "one question is stored twice", expected: "one message with clientMessageId \(shown(key))",
                actual: "messages \(shown(first.id)) and \(shown(second.id))", at: [read.event])
        }
    }

    /// IDEM-2: "A server MUST answer a repeated `chat` only on its connection: an `ack` with the first `turnId` and,
    /// unlike other `ack`s, `duplicate: true`, then a copy of an earlier ending".
    ///
    /// Nothing shows which of two requests with one key an `ack` answers, and the server may answer the repeat first.
    /// So an `ack` with `duplicate` belongs to the repeat.
    static func repeatIsAcknowledgedAsSuch(_ history: Observations, _ evidence: inout Evidence) {
        judgeSingleQuestions(
            overREST: false, "a chat that was sent once was acknowledged as a repeat", history, &evidence)
        for again in history.trueRepeats {
            let request = again.request
            guard let connection = request.connection else { continue }
            // The conversation sent with it may have outgrown the limit (ENV-8).
            if request.ack == nil, history.size(of: request) ?? 0 > history.minFrameLimit { continue }
            if let ack = request.ack {
                let expected = history.answers(to: again.turn).lazy.compactMap(\.turnId).first
                let named = ack.includes("turnId") ? ack.turnId : nil
                evidence.test(
                    ack.isDuplicate && (expected == nil || named == expected),
                    otherwise: "the ack of a repeat does not say so",
                    expected: "duplicate: true, turn \(expected ?? "of the first")",
                    actual: "duplicate: \(ack.isDuplicate), turn \(named ?? "none")", at: [again.event, ack.event])
            } else if let refusal = request.refusal {
                // An unauthenticated connection repeats nothing.
                let isEarly = !history.connections[connection].isGreeted(before: again.event)
                if isEarly && request.refusalCode == "not_authenticated" || history.isRefusedForItsRate(request) {
                    continue
                }
                let forms = again.turn.original.flatMap { request.formDifference(from: $0) }
                evidence.violate(
                    "a repeat was refused", expected: "ack with duplicate: true",
                    actual: called(error: request.refusalCode) + (forms.map { "; \($0)" } ?? ""), at: [again, refusal])
            } else if let missing = history.unanswered(again.event, within: history.timeouts.ack, on: connection) {
                evidence.violate("a repeat got no ack", expected: "ack with duplicate: true", by: missing)
            }
        }
    }

    /// Judges questions that were sent once: no answer calls them a repeat.
    private static func judgeSingleQuestions(
        overREST: Bool, _ what: String, _ history: Observations, _ evidence: inout Evidence
    ) {
        for turn in history.turns where turn.requests.count == 1 && !history.isCapture {
            let request = turn.request
            guard (request.connection == nil) == overREST, let answer = request.ack?.event ?? request.success,
                history.isCalledDuplicate(request),
                // AUTH-7 judges the key of another principal.
                !history.turns.before(turn.event).contains(where: { other in
                    other.clientMessageId == turn.clientMessageId && other.principal != turn.principal
                })
            else { continue }
            evidence.violate(what, expected: "no 'duplicate'", actual: "duplicate: true", at: [turn.event, answer])
        }
    }

    /// IDEM-2, rule 2: a repeat of an ended turn gets one copy of the ending, after its `ack`, only on its connection.
    static func endedTurnIsCopied(_ history: Observations, _ evidence: inout Evidence) {
        for again in history.trueRepeats {
            guard let connection = again.request.connection, let ack = again.request.ack,
                ack.isDuplicate || again.isKnown(by: ack, on: connection),
                let first = endingToCopy(for: again, history)
            else { continue }
            let copies = again.turn.copies.after(ack.event)
            if let finding = misplacedCopy(of: first, for: again, ack) {
                evidence.violate(finding)
            } else if let copy = copies.on(connection).first {
                let names = ["type", "text", "code", "sessionId", "turnId", "messageId"]
                let wrong = names.filter { copy[$0] != first[$0] }
                evidence.test(
                    wrong.isEmpty, otherwise: "a copy differs from the first ending",
                    expected: "the same outcome", actual: "other \(wrong.joined(separator: ", "))", at: [first, copy])
            } else if let late = history.deadline(after: ack.event, within: history.timeouts.ack, on: connection) {
                evidence.violate(
                    "a repeat of an ended turn did not get its outcome", expected: "a copy of \(called(first))",
                    actual: "none within the bound 'ack'", at: [again.event, late])
            }
        }
    }

    private static func misplacedCopy(of ending: Frame, for again: Repeat, _ ack: Frame) -> Finding? {
        let (copies, duplicateAcks) = (again.turn.copies, again.turn.acks.filter(\.isDuplicate))
        let here = copies.on(ack.connection)
        let repeats = again.turn.requests.filter { $0.ack?.isDuplicate == true }
        let stray = copies.after(ack.event).first { copy in
            !repeats.before(copy.event).contains { $0.connection == copy.connection }
        }
        // An earlier ack may explain a copy before this one.
        let before = here.before(ack.event)
        let isEarly = before.count > duplicateAcks.before(ack.event).on(ack.connection).count
        let early = before.last.flatMap { isEarly && $0.isAfter(again.event) ? $0 : nil }
        let extra = here.dropFirst(repeats.count { $0.connection == ack.connection }).first
        let wrong = [
            (
                stray, "a copy was sent to a connection that did not ask", "a copy only on the connection that asked",
                "a copy on another connection"
            ), (early, "a copy came before the ack of its repeat", "the ack first", "a copy of \(called(ending))"),
            (extra, "a repeat got more than one copy", "one copy for each repeat", "one more"),
        ]
        return wrong.lazy.compactMap { copy, what, expected, actual in
            copy.map { Finding(what, expected: expected, actual: actual, at: [again.event, $0.event]) }
        }.first
    }

    /// IDEM-3: "A server MUST NOT send a copy of an ending for a repeat that arrived while its turn was still running".
    ///
    /// Tested once for each repeat whose `ack` arrived before the ending on its own connection: then the turn was
    /// certainly running. A copy before the ending shows the same on a connection open from the start, which would have
    /// received the ending first. If the `ack` arrived later, a repeat sent before the ending counts if no copy arrived
    /// before the pong to a later ping: a server that read the repeat after the ending owed a copy (IDEM-2).
    static func runningTurnIsNotCopied(_ history: Observations, _ evidence: inout Evidence) {
        for again in history.trueRepeats {
            guard let connection = again.request.connection, let ack = again.request.ack else { continue }
            let ending = again.turn.endings(on: connection).first?.event
            let copies = again.turn.copies.after(ack.event).on(connection)
            let isWitness = history.connections[connection].isGreeted(before: again.turn.event)
            let early = copies.first { copy in ending.map(copy.isBefore) ?? isWitness }
            let owed = again.turn.requests.count { request in
                request.connection == connection && ending.isBefore(request.ack?.event ?? 0)
            }
            let ranWhenAcked = ending.isAfter(ack.event)
            let copy = early ?? (ranWhenAcked && copies.count > owed ? copies.first : nil)
            let gotNone =
                copies.isEmpty && ending.isAfter(again.event)
                && history.pings(on: connection).contains { $0.pong != nil && $0.request.isAfter(ack.event) }
            evidence.test(no: copy, keptIf: ranWhenAcked || gotNone) { copy in
                Finding(
                    "a repeat of a running turn got a copy", expected: "only the ending itself",
                    actual: "a copy with duplicate: true", at: [again.event, copy.event])
            }
        }
    }

    /// IDEM-4: "A server MUST answer a repeated `POST /api/chat` with the first turn's ending, once there is one, and
    /// set `duplicate: true` in the 200 of a repeat and no other".
    static func repeatOverRESTHasTheFirstOutcome(_ history: Observations, _ evidence: inout Evidence) {
        judgeSingleQuestions(
            overREST: true, "a question that was sent once was answered as a repeat", history, &evidence)
        for again in history.trueRepeats where again.request.connection == nil {
            if let response = again.request.success {
                let wrong = wrongMembers(ofResponse: response, to: again, history)
                evidence.test(
                    wrong.isEmpty, otherwise: "a repeat over REST got another outcome",
                    expected: "the first outcome, duplicate: true", actual: "other \(wrong.joined(separator: ", "))",
                    at: [again.event, response])
            } else if let failure = again.request.failure {
                let turn = again.turn
                let hasFailed = turn.ending?.kind == .error || turn.requests.contains { $0.failure.isBefore(failure) }
                let isDone = turn.endings.contains { $0.kind == .done } || turn.original?.success != nil
                evidence.test(hasFailed, brokenBy: isDone ? failure : nil) { failure in
                    Finding(
                        "a repeat of a finished turn failed over REST", expected: "200 with the first outcome",
                        actual: "a failure", at: [again.event, failure])
                }
            } else if let refusal = again.request.refusal, !history.isRefusedForItsRate(again.request),
                history.size(of: again.request) ?? 0 <= history.minFrameLimit
            {
                evidence.violate(
                    "a repeat over REST was refused", expected: "the first outcome",
                    actual: again.request.refusalCode ?? "a status without code", at: [again.event, refusal])
            } else if again.turn.ended.isBefore(again.event), let exchange = history.exchange(of: again.request),
                let missing = history.unanswered(exchange, within: history.timeouts.rest)
            {
                evidence.violate("a repeat over REST was not answered", expected: "the first outcome", by: missing)
            }
        }
    }

    private static func wrongMembers(
        ofResponse response: Int, to again: Repeat, _ history: Observations
    ) -> [String] {
        let turn = again.turn
        let body = history.body(ofResponse: response)
        let done = turn.endings.first { $0.kind == .done }
        let original = turn.original?.success.flatMap { history.body(ofResponse: $0) }
        var wrong = history.isDuplicate(response: response) ? [] : ["duplicate"]
        wrong += ["text", "sessionId", "turnId"].filter { name in
            let expected = done?[name] ?? original?[name] ?? (name == "text" ? nil : turn.ack?[name])
            return expected.map { body?[name] != $0 } ?? false
        }
        let mayDiffer = history.wasDisturbed(between: turn.event, and: again.event)
        return turn.ending?.kind == .error && !mayDiffer ? wrong + ["status 200"] : wrong
    }

    /// ID-9, rule 2: session reads show the `turnId` of each message of a turn, and the key of its question.
    static func readsShowTheKey(_ history: Observations, _ evidence: inout Evidence) {
        history.forEachTurnRead { turn, read, places in
            // IDEM-1 judges questions stored twice.
            let stored = places.questions(of: turn)
            guard let key = turn.clientMessageId, let position = stored.first, stored.count == 1,
                history.turnIdsStarted(by: turn).count < 2
            else { return }
            let given = read.messages[position].statedKey
            if given == key {
                evidence.keep()
            } else {
                evidence.violate(
                    Finding(
                        "a user message does not show its key", expected: "clientMessageId \(key)",
                        actual: given ?? "none", at: [read.event], lacking: given == nil ? "clientMessageId" : nil))
            }
            guard let turnId = turn.turnId else { return }
            let statedTurns = ([position] + places.answers(of: turn)).map { read.messages[$0].statedTurn }
            evidence.test(no: statedTurns.first { $0 != turnId }) { stated in
                Finding(
                    "a message does not show its turn", expected: "turnId \(turnId)", actual: stated ?? "none",
                    at: [read.event], lacking: stated == nil ? "turnId" : nil)
            }
        }
    }

    /// The ending of a turn that was over when a repeat was sent, and that the server must still know.
    ///
    /// A failure need not survive the process or refused writes, unless a read showed it.
    private static func endingToCopy(for again: Repeat, _ history: Observations) -> Frame? {
        guard let first = again.turn.ending, first.isBefore(again.event),
            first.kind == .done || !history.wasDisturbed(between: again.turn.event, and: again.event)
                || history.wasShownFailed(again.turn, by: first, before: again.event)
        else { return nil }
        return first
    }
}

import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

/// Checks of notifications: their contents, when they are sent, and the handling of refusals by the push service.
enum PUSH {
    static let checks: [Check] = [
        Check(.PUSH, 1, unseenAnswersArePushed),
        Check(.PUSH, 2, pushesAreValidAndNameTheAnswer),
        Check(.PUSH, 3, bodiesAreCutWell),
        Check(.PUSH, 4, turnsAreAnnouncedOnce),
        Check(.PUSH, 5, devicesOutliveOtherRefusals),
        Check(.PUSH, 6, goneDevicesAreLeftAlone),
        Check(.PUSH, 7, turnsDoNotWaitForPushes),
        Check(.PUSH, 8, titlesAreForPeople),
    ]

    /// The maximum size of a payload in bytes.
    private static let maxPayloadBytes = 4096
    /// The maximum length of a body in characters.
    private static let maxBodyCharacters = 200

    /// PUSH-2: "A server MUST send payloads of at most 4096 bytes and headers, valid against their schemas, that name
    /// the stored answer and, as `aps.thread-id`, its session".
    ///
    /// Once for each push, by its payload, its headers if they were recorded, and the first later session read with its
    /// ids. PERSIST-1 judges an answer that is not there yet.
    static func pushesAreValidAndNameTheAnswer(_ history: Observations, _ evidence: inout Evidence) {
        for push in history.pushes {
            if let finding = problem(of: push, history.schemas) {
                evidence.violate(finding)
            } else if case .wrong(let actual, let event) = history.naming(of: push) {
                evidence.violate(
                    "a push does not name the stored answer", expected: "sessionId and messageId of the stored answer",
                    actual: actual, at: event.map { [push.event, $0] } ?? [push.event])
            } else {
                evidence.keep()
            }
        }
    }

    private static func problem(of push: ObservedPush, _ schemas: MessageSchemas) -> Finding? {
        if push.bytes > maxPayloadBytes {
            return Finding(
                "a push payload is too large", expected: "at most \(maxPayloadBytes) bytes",
                actual: "\(push.bytes) bytes", at: [push.event])
        }
        var fields = JSONObject()
        for header in push.request.headers where fields[header.name] == nil {
            fields[header.name] = .string(header.value)
        }
        let headers = fields.isEmpty ? [] : schemas.validate(.object(fields), as: "pushHeaders")
        let payload = schemas.validate(text: push.request.body ?? "", as: "push")
        if let (place, problem) = payload.first.map({ ("payload", $0) }) ?? headers.first.map({ ("headers", $0) }) {
            return Finding(
                "\(located("push \(place)", problem.instance)): \(problem.what)", expected: problem.expected,
                actual: problem.what, at: [push.event])
        }
        let thread = push["aps"]?["thread-id"]?.stringValue
        guard let session = push.sessionId, thread != session else { return nil }
        return Finding(
            "the thread-id of a push is not its session", expected: "thread-id \(shown(session))",
            actual: "thread-id \(shown(thread))", at: [push.event])
    }

    /// PUSH-3: "A server MUST limit `aps.alert.body` to 200 grapheme clusters, and cut it between them".
    ///
    /// A short answer shown whole proves nothing; a body that is not a start of the answer, such as a summary, is
    /// judged by its length only.
    static func bodiesAreCutWell(_ history: Observations, _ evidence: inout Evidence) {
        for push in history.pushes {
            guard let body = push.alertBody else { continue }
            let count = body.count
            if count > maxBodyCharacters {
                evidence.violate(
                    "the text of a push is too long", expected: "at most \(maxBodyCharacters) characters",
                    actual: "\(count) characters", at: [push.event])
                continue
            }
            guard let answer = history.text(announcedBy: push) else { continue }
            let cut = AnswerCut(of: body, from: answer)
            evidence.test(
                cut != .inside, keptIf: cut == .between || answer.count > maxBodyCharacters,
                otherwise: "the text of a push is cut within a character", expected: "a cut between grapheme clusters",
                actual: "it ends in \(scalars(body.unicodeScalars.suffix(4)))", at: [push.event])
        }
    }

    /// Scalars by number, because half a character is invisible.
    private static func scalars(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        scalars.map { "U+" + String($0.value, radix: 16, uppercase: true) }.joined(separator: " ")
    }

    /// PUSH-8: "A server SHOULD NOT show a raw id as the title of a notification".
    ///
    /// Once for each title, compared with every id in the history.
    static func titlesAreForPeople(_ history: Observations, _ evidence: inout Evidence) {
        let ids = history.pushes.isEmpty ? [] : history.namedIDs
        for push in history.pushes {
            guard let title = push.alertTitle else { continue }
            let words = String(title.trimmed(\.isWhitespace))
            evidence.test(
                !ids.contains(words), otherwise: "the title of a push is an id",
                expected: "a name that people understand",
                actual: shown(title), at: [push.event])
        }
    }

    // MARK: When notifications are sent, and how often

    /// PUSH-1: "A server MUST push every unseen answer within `push` to the device tokens of its principal that it
    /// uses, unless its process ends before the push service answers".
    ///
    /// Once for each question whose answer was stored after the last connection had ended for both sides and each
    /// client that asked over REST had disconnected; and for each asked over a WebSocket whose `done` was the last
    /// event on its connections. Absence counts once a read has shown the answer, or from an end that the server caused
    /// or certainly noticed, if pushes were then recorded for the timeout `push`. It does not count if the push service
    /// had refused this device before, or owes an answer, because a server may send one push at a time.
    static func unseenAnswersArePushed(_ history: Observations, _ evidence: inout Evidence) {
        func judge(_ index: Int, since known: Int, at events: [Int], by late: (String) -> Int?) {
            let turn = history.turns[index]
            let pushes = history.pushes.filter { $0.principal == turn.principal }
            let announced = pushes.filter { $0.event > turn.event }.map { history.turn(announcedBy: $0) }
            // A push without a turn may be this one.
            let isOwed =
                !announced.contains(nil) && pushes.allSatisfy { $0.wasTaken || $0.event > known }
                && !history.wasStopped(between: turn.event, and: known)
            evidence.test(announced.contains(index), orBy: isOwed ? late(turn.principal) : nil) { late in
                Finding(
                    "no push for an answer that nobody saw", expected: "a push within \(history.timeouts.push)",
                    actual: "none", at: [turn.event] + events + [late])
            }
        }
        for (index, known) in history.turnsEndedAway {
            judge(index, since: known, at: [known]) { history.pushDeadline(after: known, for: $0) }
        }
        for (index, turn) in history.turns.enumerated() {
            guard let unheard = history.unheardEnd(of: turn) else { continue }
            judge(index, since: unheard.done, at: [unheard.done, unheard.end]) {
                history.pushDeadline(of: unheard, for: $0)
            }
        }
    }

    /// PERSIST-1, rule 3: the answer is stored before a push that announces it.
    ///
    /// Once for each push, by the first read of its session that started after it. PUSH-2 judges a push with other ids,
    /// and rule 4 one for an answer that could not be stored.
    static func announcedAnswersAreStored(_ history: Observations, _ evidence: inout Evidence) {
        for push in history.pushes {
            if case .wrong = history.naming(of: push) { continue }
            let turn = history.turn(announcedBy: push).map { history.turns[$0] }
            guard let session = history.session(of: push), push.messageId != nil || turn != nil,
                !history.couldNotBeStored(turn)
            else { continue }
            let first = history.exchanges.first { exchange in
                exchange.isRead(of: .session(session)) && exchange.sent.principal == push.principal
                    && exchange.request > push.event && [200, 404].contains(exchange.status)
            }
            guard let first, let response = first.response else { continue }
            let read = history.sessionReads.first { $0.event == response }
            let isThere =
                read.map { read in
                    if let id = push.messageId { return read.messages.contains { $0.id == id } }
                    return turn.map { history.answer(of: $0, in: read) != nil } ?? false
                } ?? false
            evidence.test(
                isThere, otherwise: "a push came before its answer was stored",
                expected: "message \(shown(push.messageId)) in every read that begins after the push",
                actual: read.map { "\($0.messages.count) messages without it" } ?? "no such session",
                at: [push.event, response])
        }
    }

    /// PUSH-4: "A server MUST NOT send more than one push for one turn to one device token, also after a resend, a
    /// replay or a restart".
    ///
    /// A second push counts once the first was accepted: a refused or lost one may be retried. Its absence is evidence
    /// after a resend, a replay or a restart, once a later push to the device, or the timeout `push`, ends the wait.
    static func turnsAreAnnouncedOnce(_ history: Observations, _ evidence: inout Evidence) {
        for (index, push) in history.pushes.enumerated() {
            let same = history.pushes[..<index].first { $0.wasTaken && history.announceTheSame($0, push) }
            if let same {
                evidence.violate(
                    "two pushes to one device for one turn", expected: "one push for each turn", actual: "one more",
                    at: [same.event, push.event])
            } else if push.wasTaken,
                !history.pushes[(index + 1)...].contains(where: { history.announceTheSame(push, $0) })
            {
                for cause in history.temptations(after: push)
                where history.staysSilent(after: cause, besides: push) { evidence.keep() }
            }
        }
    }

    /// PERSIST-1, rule 4: no push announces an answer that could not be stored.
    ///
    /// Once for each turn that ended with an `error` while writes were refused. A push for it counts unless a later
    /// read has the answer. Its absence is evidence after a wait as in PUSH-4, and only while the principal was absent.
    static func unstoredAnswersAreNotAnnounced(_ history: Observations, _ evidence: inout Evidence) {
        for (index, turn) in history.turns.enumerated() where history.couldNotBeStored(turn) {
            let pushes = history.pushes.filter {
                $0.event > turn.event && $0.principal == turn.principal && history.turn(announcedBy: $0) == index
            }
            func staysSilent(after failed: Int) -> Bool {
                history.away(turn.principal, at: failed) != nil
                    && history.isSilent(after: failed, for: turn.principal, until: { $0 != index })
            }
            evidence.test(
                no: pushes.first { !history.isStoredInTheEnd($0) },
                keptIf: pushes.isEmpty && history.failureShown(of: turn).map(staysSilent) == true
            ) { push in
                Finding(
                    "a push announced an answer that could not be stored", expected: "no push", actual: "a push",
                    at: [turn.event, push.event])
            }
        }
    }

    // MARK: Refusals by the push service

    /// PUSH-5: "A server MUST NOT stop using a device token for any refusal other than 410 or a 400 with reason
    /// `BadDeviceToken` or `DeviceTokenNotForTopic`".
    ///
    /// Once for each other refusal, by the pushes for turns asked after it. Absence is judged as in PUSH-1; after a 429
    /// or 5xx it is inconclusive, because a server may wait longer than the timeout before it retries.
    static func devicesOutliveOtherRefusals(_ history: Observations, _ evidence: inout Evidence) {
        for push in history.pushes {
            guard case .answered(let status, let reason) = push.outcome, status >= 300, !push.endsTheDevice else {
                continue
            }
            let later = history.pushes.filter { $0.event > push.event && $0.request.path == push.request.path }
            if later.contains(where: { history.isAskedLater($0, than: push) }) {
                evidence.keep()
                continue
            }
            let silence = history.turnsEndedAway.lazy.compactMap { turn, known -> [Int]? in
                let turn = history.turns[turn]
                guard turn.principal == push.principal, turn.event > push.event,
                    !later.contains(where: { $0.endsTheDevice || $0.outcome == .hung }),
                    !history.wasStopped(between: push.event, and: known),
                    let late = history.pushDeadline(after: known, for: push.principal)
                else { return nil }
                return [push.event, known, late]
            }.first
            guard let silence else { continue }
            let finding = Finding(
                "no more pushes to a device after a refusal that did not concern it",
                expected: "a push for a later turn", actual: "none after \(status)\(reason.map { " \($0)" } ?? "")",
                at: silence)
            if status == 429 || status >= 500 { evidence.doubt(finding) } else { evidence.violate(finding) }
        }
    }

    /// PUSH-6: "A server SHOULD NOT send further pushes to a device token that was refused with 410".
    ///
    /// A further push is one for the same turn or for a turn asked after the refusal, in the same life of the server:
    /// the device may register again before the next one. Its absence is evidence for each turn whose answer would have
    /// been announced, once a push to another device for a later turn, or the timeout `push`, ends the wait.
    static func goneDevicesAreLeftAlone(_ history: Observations, _ evidence: inout Evidence) {
        let refused = history.pushes.filter { $0.wasGone && !history.wasStopped(between: $0.event, and: $0.event) }
        for (index, push) in refused.enumerated() {
            guard !refused[..<index].contains(where: { $0.request.path == push.request.path }) else { continue }
            let further = history.pushes.first { other in
                other.event > push.event && other.request.path == push.request.path
                    && history.lives.life(at: other.event) == history.lives.life(at: push.event)
                    && (other.messageId != nil && other.messageId == push.messageId
                        || history.isAskedLater(other, than: push))
            }
            if let further {
                evidence.violate(
                    "a push went to a device that is gone", expected: "no push after 410", actual: "a push",
                    at: [push.event, further.event])
                continue
            }
            for (turn, known) in history.turnsEndedAway {
                let turn = history.turns[turn]
                guard turn.principal == push.principal, turn.event > push.event else { continue }
                let fence = history.pushes.contains { other in
                    guard other.principal != push.principal, let index = history.turn(announcedBy: other) else {
                        return false
                    }
                    return history.turns[index].event > known
                }
                if fence || history.pushDeadline(after: known, for: push.principal) != nil { evidence.keep() }
            }
        }
    }

    /// PUSH-7: "A server MUST deliver the turn in the same way whether the push succeeds, fails or hangs".
    ///
    /// Once for each turn whose push was refused, cut off or never answered, and for each later turn of its principal:
    /// its ending or a read with its answer comes within the timeout `turn`.
    static func turnsDoNotWaitForPushes(_ history: Observations, _ evidence: inout Evidence) {
        for (index, turn) in history.turns.enumerated() where !turn.isRefused {
            let trouble = history.pushes.first { push in
                push.principal == turn.principal && push.outcome != nil && !push.wasTaken
                    && (push.event < turn.event || history.turn(announcedBy: push) == index)
            }
            guard let trouble, turn.ended.map({ $0 > trouble.event }) ?? true else { continue }
            if let ended = history.endingShown(of: turn, after: trouble.event) {
                // The reason for a failure is unknown, but the turn was not delivered.
                if turn.ending?.event == ended, turn.ending?.type == "error" {
                    guard history.subject.hasScriptedAgent, !turn.isScriptedToFail,
                        history.turns.contains(where: { history.isDeliveredWithout(trouble, $0) }),
                        !history.wasDisturbed(between: turn.event, and: ended)
                    else { continue }
                    evidence.violate(
                        "a turn failed while push delivery failed", expected: "its done", actual: "an error",
                        at: [trouble.event, turn.event, ended])
                    continue
                }
                let bound = history.timeouts.turn + turn.request.scriptedWait
                let begun = max(turn.event, history.endOfTurnsBefore(turn) ?? ended)
                let lasted = history.span(from: begun, to: ended)
                if let ending = turn.ending, ending.event == ended, history.mayHaveWaited(ending) { continue }
                evidence.test(
                    turn.event < trouble.event || lasted <= bound.microseconds || turn.ending?.event != ended,
                    otherwise: "a turn ended late while push delivery failed", expected: "its ending within \(bound)",
                    actual: "\(lasted / 1000) ms", at: [trouble.event, turn.event, ended])
            } else if let late = history.lateness(of: turn) {
                evidence.violate(
                    "a turn did not end while push delivery failed",
                    expected: "done or a read that has the answer within the bound 'turn'", actual: "neither",
                    at: [trouble.event, turn.event, late])
            }
        }
    }
}

extension Observations {
    /// Whether a frame may have arrived long before it was read.
    fileprivate func mayHaveWaited(_ frame: Frame) -> Bool {
        connections[frame.connection].pauses.contains { stopped, resumed in
            guard stopped < frame.event, let resumed else { return stopped < frame.event }
            return span(from: resumed, to: frame.event) < timeouts.pong.microseconds
        }
    }

    /// Whether a turn of the same principal had succeeded well before a push was in trouble.
    fileprivate func isDeliveredWithout(_ trouble: ObservedPush, _ turn: ObservedTurn) -> Bool {
        turn.principal == trouble.principal && turn.endings.contains { $0.type == "done" && $0.event < trouble.event }
    }
}

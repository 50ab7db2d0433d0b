import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastTranscript

enum PUSH {
    static let checks: [Check] = [
        Check(.PUSH, 1, unseenAnswersArePushed),
        Check(.PUSH, 2, pushesAreValidAndNameTheAnswer),
        Check(.PUSH, 3, bodiesAreTruncatedWell),
        Check(.PUSH, 4, turnsAreAnnouncedOnce),
        Check(.PUSH, 5, devicesOutliveOtherRefusals),
        Check(.PUSH, 6, goneDevicesGetNoPush),
        Check(.PUSH, 7, turnsDoNotWaitForPushes),
        Check(.PUSH, 8, titlesAreForPeople),
    ]

    private static let maxPayloadBytes = 4096
    /// The longest time without pushes to a device after a temporary refusal (chapter 7.2).
    fileprivate static let temporaryPause = Duration.seconds(60)
    private static let maxBodyCharacters = 200

    /// PUSH-2: "A server MUST send headers, and payloads of at most 4096 bytes, valid against their schemas, that name
    /// the stored answer and, as `aps.thread-id`, its session".
    ///
    /// Tested once for each push, by its payload, its headers if they were recorded, and the first later read that has
    /// its session and answer. PERSIST-1 judges an answer that is not stored yet.
    static func pushesAreValidAndNameTheAnswer(_ history: Observations, _ evidence: inout Evidence) {
        for push in history.pushes {
            if let finding = problem(of: push, history.schemas) {
                evidence.violate(finding)
            } else if case .wrong(let actual, let event) = history.naming(of: push) {
                evidence.violate(
                    "a push does not name the stored answer", expected: "sessionId and messageId of the stored answer",
                    actual: actual, at: [push.event, event])
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
    static func bodiesAreTruncatedWell(_ history: Observations, _ evidence: inout Evidence) {
        for push in history.pushes {
            guard let body = push["aps"]?["alert"]?.string("body") else { continue }
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
    static func titlesAreForPeople(_ history: Observations, _ evidence: inout Evidence) {
        let ids = history.pushes.isEmpty ? [] : history.namedIDs
        for push in history.pushes {
            guard let title = push["aps"]?["alert"]?.string("title") else { continue }
            let words = String(title.trimmed(\.isWhitespace))
            evidence.test(
                !ids.contains(words), otherwise: "the title of a push is an id",
                expected: "a human-readable name",
                actual: shown(title), at: [push.event])
        }
    }

    // MARK: Occasions and number of notifications

    /// PUSH-1: "A server MUST push every unseen answer within `push` to the device tokens of its principal that it
    /// uses, unless its process ends before the push service answers".
    ///
    /// Tested once for each answer stored after the last connection had ended for both sides and each client that asked
    /// over REST had disconnected; and for each `done` on a WebSocket after which its principal's connections show
    /// nothing. A missing push is a violation if pushes were recorded for the timeout `push` after a read showed the
    /// answer, or after an end that the server caused or must have noticed; but not if the push service had refused the
    /// device, or owes an answer, because a server may send one push at a time.
    static func unseenAnswersArePushed(_ history: Observations, _ evidence: inout Evidence) {
        for answer in history.answersWhileAbsent + history.maybeUnseenAnswers {
            let turn = answer.turn
            let pushes = history.pushes.filter { $0.principal == turn.principal }
            let announced = pushes.filter { $0.isAfter(turn.event) }.map { history.turn(announcedBy: $0) }
            // A push whose turn is unknown may announce this answer.
            let isOwed =
                !announced.contains { $0 == nil } && pushes.allSatisfy { $0.wasAccepted || $0.isAfter(answer.shown) }
                && !history.wasStopped(between: turn.event, and: answer.shown)
            evidence.test(
                announced.contains { $0 === turn }, brokenBy: isOwed ? history.pushDeadline(after: answer) : nil
            ) { late in
                Finding(
                    "no push for an unseen answer", expected: "a push within \(history.timeouts.push)",
                    actual: "none", at: [turn.event, answer.shown] + [answer.end].compactMap(\.self) + [late])
            }
        }
    }

    /// PERSIST-1, rule 3: the answer is stored before a push that announces it.
    ///
    /// Tested once for each push, by the first read of its session that started after it. PUSH-2 judges a push with
    /// other ids; rule 4 judges a push for an answer that could not be stored.
    static func announcedAnswersAreStored(_ history: Observations, _ evidence: inout Evidence) {
        for push in history.pushes {
            if case .wrong = history.naming(of: push) { continue }
            let turn = history.turn(announcedBy: push)
            guard let id = push.messageId, let session = push.sessionId ?? turn?.session,
                !history.couldNotBeStored(turn)
            else { continue }
            let first = history.exchanges.first { exchange in
                exchange.isRead(of: .session(session)) && exchange.sent.principal == push.principal
                    && exchange.isAsked(after: push.event) && [200, 404].contains(exchange.status)
            }
            guard let first else { continue }
            let read = history.read(in: first)
            evidence.test(
                read?.messages.contains { $0.id == id } == true,
                otherwise: "a push was sent before its answer was stored",
                expected: "message \(shown(id)) in every read that begins after the push",
                actual: read.map { "\($0.messages.count) messages without it" } ?? "no such session",
                at: [push.event] + first.events.suffix(1))
        }
    }

    /// PUSH-4: "A server MUST NOT send more than one push for one turn to one device token, also after a resend, a
    /// replay or a restart".
    ///
    /// A second push counts once the first was accepted: a refused or lost one may be retried. Its absence is evidence
    /// after a resend, a replay or a restart, once a later push to the device, or the timeout `push`, ends the wait.
    static func turnsAreAnnouncedOnce(_ history: Observations, _ evidence: inout Evidence) {
        for (index, push) in history.pushes.enumerated() {
            let same = history.pushes[..<index].first { $0.wasAccepted && history.announceTheSame($0, push) }
            if let same {
                evidence.violate(
                    "two pushes to one device for one turn", expected: "one push for each turn", actual: "one more",
                    at: [same.event, push.event])
            } else if push.wasAccepted,
                !history.pushes[(index + 1)...].contains(where: { history.announceTheSame(push, $0) })
            {
                for cause in history.pushTriggers(after: push)
                where history.staysSilent(after: cause, besides: push) { evidence.keep() }
            }
        }
    }

    /// PERSIST-1, rule 4: no push announces an answer that could not be stored.
    ///
    /// Tested once for each turn that ended with an `error` while writes were refused. A push for it counts unless a
    /// later read has the answer. Absence is evidence after a wait as in PUSH-4, while the principal was absent.
    static func unstoredAnswersAreNotAnnounced(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns where history.couldNotBeStored(turn) {
            let pushes = history.pushes.filter { $0.isAfter(turn.event) && $0.principal == turn.principal }
            let own = pushes.filter { history.turn(announcedBy: $0) === turn }
            func staysSilent(after failed: Int) -> Bool {
                let answer = UnseenAnswer(turn: turn, shown: failed, known: history.effectiveTime(of: failed))
                let isFollowed = pushes.contains { push in
                    push.isAfter(failed) && history.turn(announcedBy: push).map { $0 !== turn } ?? false
                }
                return history.absentSince(turn.principal, at: failed) != nil
                    && (isFollowed || history.pushDeadline(after: answer) != nil)
            }
            let wrong = own.first { push in
                if case .stored = history.naming(of: push) { false } else { true }
            }
            evidence.test(
                no: wrong, keptIf: own.isEmpty && history.failureShown(of: turn).map(staysSilent) == true
            ) { push in
                Finding(
                    "a push announced an answer that could not be stored", expected: "no push", actual: "a push",
                    at: [turn.event, push.event])
            }
        }
    }

    /// AUTH-6, rule 4: no push of a turn is sent to a device of another principal.
    ///
    /// Tested once for each push whose turn or message has an owner, and for one that only names another principal's
    /// session; a push to the right device counts only if pushes to another principal were recorded too.
    static func noticesStayWithTheirPrincipal(_ history: Observations, _ evidence: inout Evidence) {
        let ownership = Ownership(history)
        for push in history.pushes {
            // Two principals may have sessions with the same id, and the server may have other turns in them.
            let isForeign =
                push.messageId == nil
                && push.sessionId.map { ownership.foreign($0, to: push.principal) != nil } ?? false
            let named = history.turns.filter { turn in
                turn.isBefore(push.event)
                    && history.isNamed(turn, by: push, orBySession: isForeign || turn.principal == push.principal)
            }
            guard let turn = named.first else { continue }
            evidence.test(
                named.contains { $0.principal == push.principal },
                keptIf: !history.pushListeners(at: push.event).subtracting([push.principal]).isEmpty,
                otherwise: "a push went to another principal's device", expected: "a device of \(turn.principal)",
                actual: "one of \(push.principal)", at: [turn.event, push.event])
        }
    }

    // MARK: Refusals by the push service

    /// PUSH-5: "A server MUST NOT stop using a device token for any refusal other than 410 or a 400 with reason
    /// `BadDeviceToken` or `DeviceTokenNotForTopic`".
    ///
    /// Tested once for each other refusal, by the pushes for turns asked after it. Absence is judged as in PUSH-1; for
    /// turns asked before a 429 or 5xx, or within a minute after it, it is inconclusive.
    static func devicesOutliveOtherRefusals(_ history: Observations, _ evidence: inout Evidence) {
        for push in history.pushes {
            guard case .answered(let status, let reason) = push.outcome, status >= 300, !push.endsTheDevice else {
                continue
            }
            let later = history.pushes.filter { $0.isAfter(push.event) && $0.request.path == push.request.path }
            if later.contains(where: { history.isAskedLater($0, than: push) }) {
                evidence.keep()
                continue
            }
            let silences = history.answersWhileAbsent.compactMap { answer -> (isOwed: Bool, events: [any HasEvent])? in
                guard answer.turn.principal == push.principal, answer.turn.isAfter(push.event),
                    !later.contains(where: { $0.endsTheDevice || $0.outcome == .hung }),
                    !history.wasStopped(between: push.event, and: answer.shown),
                    let late = history.pushDeadline(after: answer)
                else { return nil }
                let mayPause = history.pushes.before(answer.shown).contains { other in
                    other.principal == push.principal && other.status.map { $0 == 429 || $0 >= 500 } == true
                        && history.span(from: other.event, to: answer.turn.event) <= temporaryPause.microseconds
                }
                return (!mayPause, [push.event, answer.shown, late])
            }
            let owed = silences.first(where: \.isOwed)
            guard let silence = owed ?? silences.first else { continue }
            let finding = Finding(
                "no more pushes to a device after a refusal that did not concern it",
                expected: "a push for a later turn", actual: "none after \(status)\(reason.map { " \($0)" } ?? "")",
                at: silence.events)
            if owed == nil { evidence.doubt(finding) } else { evidence.violate(finding) }
        }
    }

    /// PUSH-6: "A server SHOULD NOT send further pushes to a device token that was refused with 410".
    ///
    /// A further push is one for the same turn or for a turn asked after the refusal, in the same life of the server:
    /// it may register again before the next life. Its absence is evidence for each turn whose answer would have
    /// been announced, once a push to another device for a later turn, or the timeout `push`, ends the wait.
    static func goneDevicesGetNoPush(_ history: Observations, _ evidence: inout Evidence) {
        let gone = history.pushes.filter { $0.status == 410 && !history.wasStopped(between: $0.event, and: $0.event) }
        let firsts = Dictionary(grouping: gone, by: \.request.path).values.compactMap(\.first)
        for push in firsts.sorted(by: { $0.isBefore($1.event) }) {
            let further = history.pushes.first { other in
                other.isAfter(push.event) && other.request.path == push.request.path
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
            for answer in history.answersWhileAbsent
            where answer.turn.principal == push.principal && answer.turn.isAfter(push.event) {
                let isFollowed = history.pushes.contains { other in
                    other.principal != push.principal
                        && history.turn(announcedBy: other).map { $0.isAfter(answer.shown) } ?? false
                }
                if isFollowed || history.pushDeadline(after: answer) != nil { evidence.keep() }
            }
        }
    }

    /// PUSH-7: "A server MUST deliver the turn in the same way whether the push succeeds, fails or hangs".
    ///
    /// Tested once for each turn whose push was refused, cut off or never answered, and for each later turn of its
    /// principal: its ending or a read with its answer arrives within the timeout `turn`.
    static func turnsDoNotWaitForPushes(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns where !turn.isRefused {
            let trouble = history.pushes.first { push in
                push.principal == turn.principal && push.outcome != nil && !push.wasAccepted
                    && (push.isBefore(turn.event) || history.turn(announcedBy: push) === turn)
            }
            guard let trouble, turn.ended.isOpen(at: trouble.event) else { continue }
            if let ended = history.endingShown(of: turn, after: trouble.event) {
                judge(turn, endedAt: ended, after: trouble, history, &evidence)
            } else if let late = history.lateness(of: turn) {
                evidence.violate(
                    "a turn did not end while push delivery failed",
                    expected: "done or a read that has the answer within the bound 'turn'", actual: "neither",
                    at: [trouble.event, turn.event, late])
            }
        }
    }

    private static func judge(
        _ turn: ObservedTurn, endedAt ended: Int, after trouble: ObservedPush, _ history: Observations,
        _ evidence: inout Evidence
    ) {
        let events = [trouble.event, turn.event, ended]
        let ending = turn.ending.flatMap { $0.event == ended ? $0 : nil }
        // A failed turn was not delivered; it counts unless something other than the push may explain the failure.
        if ending?.kind == .error {
            let worked = history.turns.contains { other in
                other.principal == turn.principal
                    && other.endings.contains { $0.kind == .done && $0.isBefore(trouble.event) }
            }
            guard worked, history.subject.hasScriptedAgent, !turn.isScriptedToFail,
                !history.wasDisturbed(between: turn.event, and: ended)
            else { return }
            return evidence.violate(
                "a turn failed while push delivery failed", expected: "a done", actual: "an error", at: events)
        }
        if let ending, mayHaveWaited(ending, history) { return }
        let bound = history.timeouts.turn + turn.request.scriptedWait
        let lasted = history.span(from: max(turn.event, history.endOfTurnsBefore(turn) ?? ended), to: ended)
        evidence.test(
            turn.isBefore(trouble.event) || lasted <= bound.microseconds || ending == nil,
            otherwise: "a turn ended late while push delivery failed", expected: "its ending within \(bound)",
            actual: "\(lasted / 1000) ms", at: events)
    }

    /// Whether a frame may have arrived long before it was read.
    private static func mayHaveWaited(_ frame: Frame, _ history: Observations) -> Bool {
        history.connections[frame.connection].pauses.contains { stopped, resumed in
            stopped.isBefore(frame.event)
                && resumed.map { history.span(from: $0, to: frame.event) < history.timeouts.pong.microseconds } ?? true
        }
    }
}

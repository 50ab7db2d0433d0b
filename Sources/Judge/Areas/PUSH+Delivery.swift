import Holdfast
import JSON
import Transcript

/// Checks of notifications: when they are sent, and how often.
extension PUSH {
    /// PUSH-1: "A server MUST send a push for a turn that ended with `done` while its principal had no open connection".
    ///
    /// Once for each question asked over a WebSocket whose answer was stored after the last connection had ended for both
    /// sides. Absence counts once a read has shown the answer and the sink was watched for the bound `push` from then on,
    /// unless the push service had refused this device before.
    static func leftPrincipalsAreCalled(_ history: Observations, _ evidence: inout Evidence) {
        for (index, known) in history.turnsEndedAway {
            let turn = history.turns[index]
            let pushes = history.pushes.filter { $0.principal == turn.principal }
            let isCalled = pushes.contains { push in
                push.event > turn.event && history.turn(announcedBy: push) ?? index == index
            }
            let isOwed =
                pushes.allSatisfy { $0.wasTaken || $0.event > known }
                && !history.wasStopped(between: turn.event, and: known)
            let late = isOwed ? history.pushDeadline(after: known, for: turn.principal) : nil
            evidence.test(isCalled, orBy: late) { late in
                Finding(
                    "nobody was called for an answer that nobody was there to take",
                    expected: "a push within \(history.timeouts.push)", actual: "none", at: [turn.event, known, late])
            }
        }
    }

    /// PUSH-2: "A server MUST send a push only after the answer it announces is durable".
    ///
    /// Once for each push, by the first read of its session that began after it. A push that names something else is the
    /// matter of PUSH-3, one for an answer that could not be stored that of PUSH-13.
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

    /// PUSH-8: "A server MUST NOT send more than one push for one turn to one device token, also after a resend, a replay or
    /// a restart".
    ///
    /// A second push counts once the first was taken: what was refused or lost may be tried again. Silence proves something
    /// after a resend, a replay or a restart, once a later push to the device or the bound `push` shows that it lasted.
    static func turnsAreAnnouncedOnce(_ history: Observations, _ evidence: inout Evidence) {
        for (index, push) in history.pushes.enumerated() {
            let same = history.pushes[..<index].first { $0.wasTaken && history.announceTheSame($0, push) }
            if let same {
                evidence.violate(
                    "a turn was announced twice to one device", expected: "one push for each turn", actual: "one more",
                    at: [same.event, push.event])
            } else if push.wasTaken,
                !history.pushes[(index + 1)...].contains(where: { history.announceTheSame(push, $0) })
            {
                for cause in history.temptations(after: push)
                where history.staysSilent(after: cause, besides: push) { evidence.keep() }
            }
        }
    }

    /// PUSH-13: "A server MUST NOT send a push for a turn whose answer it could not store".
    ///
    /// Once for each turn that ended with an `error` while writes were refused. A push for it counts unless a read that began
    /// afterwards has the answer; silence does once it lasted as in PUSH-8, and only while the principal was away.
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
                    "an answer was announced that could not be stored", expected: "no push", actual: "a push",
                    at: [turn.event, push.event])
            }
        }
    }
}

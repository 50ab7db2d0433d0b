import Holdfast
import JSON
import Transcript

/// Checks of notifications: what follows when the push service refuses them.
extension PUSH {
    /// PUSH-10: "A server MUST NOT stop using a device token for any refusal other than 410 or a 400 with reason
    /// `BadDeviceToken` or `DeviceTokenNotForTopic`".
    ///
    /// Once for each other refusal, by the pushes for turns asked after it. Absence is judged as in PUSH-1; after a 429 or 5xx
    /// it is a doubt, because a server may wait longer than the bound before it tries such a service again.
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
                "after a refusal that says nothing about the device, it was called no more",
                expected: "a push for a further turn", actual: "none after \(status)\(reason.map { " \($0)" } ?? "")",
                at: silence)
            if status == 429 || status >= 500 { evidence.doubt(finding) } else { evidence.violate(finding) }
        }
    }

    /// PUSH-11: "A server SHOULD NOT send further pushes to a device token that was refused with 410".
    ///
    /// A further push is one for the same turn or for a turn that was asked after the refusal. Silence counts for each turn
    /// whose answer would have been announced, once a push to another device for a still later turn, or the bound `push`,
    /// shows that it lasted.
    static func goneDevicesAreLeftAlone(_ history: Observations, _ evidence: inout Evidence) {
        for (index, push) in history.pushes.enumerated() where push.wasGone {
            let isFirst = !history.pushes[..<index].contains { $0.wasGone && $0.request.path == push.request.path }
            guard isFirst else { continue }
            let further = history.pushes.first { other in
                other.event > push.event && other.request.path == push.request.path
                    && (other.messageId != nil && other.messageId == push.messageId
                        || history.isAskedLater(other, than: push))
            }
            if let further {
                evidence.violate(
                    "a device that is gone was called again", expected: "no push after 410", actual: "a push",
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

    /// PUSH-12: "A server MUST deliver the turn in the same way whether the push succeeds, fails or hangs".
    ///
    /// Once for each turn whose push was refused, cut off or never answered, and for each turn its principal asked after that:
    /// its ending or a read that has its answer comes within the bound `turn`.
    static func turnsDoNotWaitForPushes(_ history: Observations, _ evidence: inout Evidence) {
        for (index, turn) in history.turns.enumerated() where !turn.isRefused {
            let trouble = history.pushes.first { push in
                push.principal == turn.principal && push.outcome != nil && !push.wasTaken
                    && (push.event < turn.event || history.turn(announcedBy: push) == index)
            }
            guard let trouble else { continue }
            if let ended = history.endingShown(of: turn, after: trouble.event) {
                let bound = history.timeouts.turn + turn.request.scriptedWait
                let begun = max(turn.event, history.endOfTurnsBefore(turn) ?? ended)
                let lasted = history.span(from: begun, to: ended)
                evidence.test(
                    turn.event < trouble.event || lasted <= bound.microseconds || turn.ending?.event != ended,
                    otherwise: "a turn ended late while a push was in trouble", expected: "its ending within \(bound)",
                    actual: "\(lasted / 1000) ms", at: [trouble.event, turn.event, ended])
            } else if let late = history.lateness(of: turn) {
                evidence.violate(
                    "a turn did not end while a push was in trouble",
                    expected: "done or a read that has the answer within the bound 'turn'", actual: "neither",
                    at: [trouble.event, turn.event, late])
            }
        }
    }
}

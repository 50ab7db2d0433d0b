import Holdfast
import HoldfastJSON
import HoldfastTranscript

extension CLIENT {
    /// CLIENT-25, rule 3: at rest the screen shows the whole history in its order.
    ///
    /// Tested once for each session that was checked while network and server were healthy, all turns had ended and
    /// reads were answered. The order is that of the last read and of the stream: other messages may have crossed.
    static func screenAtRestIsComplete(_ history: Observations, _ evidence: inout Evidence) {
        let posts = history.exchanges.filter(\.isChat).compactMap { $0.answer?.root["messageId"]?.stringValue }
        let beside = Set(history.received.filter { $0.seq == nil }.compactMap(\.messageId) + posts)
        let numbered = history.clientPositions.given.map(\.frame).filter { !beside.contains($0.messageId ?? "") }
        for rest in history.rests where !rest.messages.isEmpty {
            let read = history.sessionReads.last { $0.sessionId == rest.sessionId && $0.isBefore(rest.event) }
            let known = Set((read?.messages ?? []).compactMap(\.id)).union(
                numbered.before(rest.event).compactMap(\.messageId))
            let ordered = rest.messages.filter { $0.id.map(known.contains) ?? false }
            let outcome = history.shown(atRest: rest) { state in
                rest.messages.allSatisfy(state.shows) && state.shows(inOrder: ordered)
            }
            evidence.test(outcome) { late in
                let state = history.client.state(at: late)
                let lost = rest.messages.filter { state?.shows($0) == false }.compactMap(\.id)
                if lost.isEmpty, let index = state?.misplaced(in: ordered), index > 0 {
                    let pair = ordered[(index - 1)...index].map { shown($0.id) }
                    return Finding(
                        "at rest messages are out of order", expected: "\(pair[0]) before \(pair[1])",
                        actual: "\(pair[1]) first", at: [rest.event, late])
                }
                return Finding(
                    "at rest messages are missing", expected: listed(lost), actual: "\(state?.count ?? 0) others",
                    at: [rest.event, late])
            }
        }
    }

    /// CLIENT-30, rule 2: at rest nothing is awaited.
    ///
    /// Tested once for each check of a session at rest, if every message that the person typed for it is settled.
    static func nothingIsAwaitedAtRest(_ history: Observations, _ evidence: inout Evidence) {
        let questions = history.clientQuestions
        for rest in history.rests {
            let isOpen = questions.contains { question in
                question.isBefore(rest.end) && question.isAfter(history.client.installation(at: rest.event))
                    && question.requests.first?.sessionAsked ?? rest.sessionId == rest.sessionId
                    && !question.signs.contains {
                        $0.kind != .proof && $0.isBefore(rest.event) && $0.error?.retryAfter == nil
                    }
            }
            if isOpen { continue }
            evidence.test(history.shown(atRest: rest) { !$0.thinking }) { late in
                Finding(
                    "at rest the client still waits for an answer", expected: "thinking false: every turn has ended",
                    actual: "thinking true", at: [rest.event, late])
            }
        }
    }

    /// CLIENT-34, rule 3: a session on the screen has no unread messages.
    static func nothingIsUnreadAtRest(_ history: Observations, _ evidence: inout Evidence) {
        for rest in history.rests {
            evidence.test(history.shown(atRest: rest) { $0.unread[rest.sessionId] ?? 0 == 0 }) { late in
                Finding(
                    "the session on the screen is counted as unread", expected: "none in \(shown(rest.sessionId))",
                    actual: "\(history.client.state(at: late)?.unread[rest.sessionId] ?? 0)", at: [rest.event, late])
            }
        }
    }
}

/// The server's state of one session, recorded by an `atRest` act.
struct IdleScreen {
    let event: Int
    let sessionId: String
    let messages: [ObservedSessionRead.StoredMessage]
    let end: Int
}

extension Observations {
    var rests: [IdleScreen] {
        let acts = history.events.indices.compactMap { index -> (Int, JSONObject)? in
            guard case .act("atRest", let details) = history.events[index].kind else { return nil }
            return (index, details)
        }
        guard !acts.isEmpty else { return [] }
        let item = Dictionary(clientDeliveries.filter { $0.text != nil }.map { ($0.id ?? "", $0) }) { first, _ in first
        }
        return acts.enumerated().compactMap { place, act in
            guard let session = act.1.id("sessionId") else { return nil }
            let replaced = replacedQuestions(in: session, before: act.0)
            let messages = (act.1["messages"]?.arrayValue ?? []).compactMap { $0.stringValue.map(opaqueID) }
                .filter { !replaced.contains($0) && !isHeldBack($0, in: session, before: act.0) }
                .map { id in
                    ObservedSessionRead.StoredMessage(
                        id: id, role: item[id]?.role, text: item[id]?.text ?? "", clientMessageId: item[id]?.key)
                }
            let next = acts.indices.contains(place + 1) ? acts[place + 1].0 : events.endIndex
            let over = client.acts.first { $0.isAfter(act.0) }?.event ?? events.endIndex
            return IdleScreen(event: act.0, sessionId: session, messages: messages, end: min(next, over))
        }
    }

    /// Whether a read that began after a message last came, or was stored if it did not come, lacks it.
    private func isHeldBack(_ id: String, in session: String, before event: Int) -> Bool {
        let came = clientDeliveries.last { $0.id == id && $0.text != nil && $0.isBefore(event) }?.event
        let stored = client.stored.filter { $0.ids.contains(id) }.map(\.event)
        return (came.map { [$0] } ?? stored).contains { lacks(id, in: session, askedAfter: $0, before: event) }
    }

    /// The ids of messages that the person resent since the last read; the screen may omit them until the next read.
    private func replacedQuestions(in session: String, before event: Int) -> Set<String> {
        let read = sessionReads.last { $0.sessionId == session && $0.isBefore(event) }?.request ?? -1
        return Set(
            clientQuestions.filter { question in
                question.repeats.contains { $0 < event && $0 > read }
            }.flatMap(\.ids))
    }

    fileprivate func shown(atRest rest: IdleScreen, holds: (ObservedClient.State) -> Bool) -> ScreenOutcome {
        guard client.hasNetwork(at: rest.event), !wasSentAway(before: rest.event) else { return .unknown }
        return shown(after: rest.event, within: clientBound(\.backoff), before: rest.end) { state in
            // Another session on the screen is judged separately.
            state.sessionId == rest.sessionId ? holds(state) : nil
        }
    }
}

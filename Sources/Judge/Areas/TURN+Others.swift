import Holdfast
import JSON
import Transcript

/// Checks of what other connections see of a turn, and of questions that were refused.
extension TURN {
    /// TURN-15: "A server MUST send every `toolUse` and the ending of a turn to every open connection of its principal,
    /// whichever connection or transport started the turn".
    ///
    /// What one connection saw, every other one that was connected before the question and stayed open has to see. The
    /// ending on the connection that asked is the matter of TURN-5. Exercised once per turn and other connection.
    static func everyConnectionSeesTheTurn(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns where turn.isAccepted {
            let uses = turn.toolUses
            for index in observers(of: turn, history) {
                let isAsker = turn.requests.contains { $0.connection == index }
                guard let ending = turn.endings(on: index).first else {
                    guard !isAsker, let end = endingDeadline(of: turn, on: index, history) else { continue }
                    evidence.violate(
                        "an open connection did not see the ending of a turn",
                        expected: "the ending on every connection",
                        actual: "none on connection \(history.connections[index].device)",
                        at: [turn.event, turn.ended ?? turn.event, end])
                    continue
                }
                let own = uses.filter { $0.connection == index }.count
                let most = Dictionary(grouping: uses, by: \.connection).values.map(\.count).max() ?? 0
                if own < most {
                    evidence.violate(
                        "an open connection did not see every toolUse of a turn", expected: "\(most) toolUse",
                        actual: "\(own)", at: [turn.event, ending.event])
                } else if let other = difference(of: turn, on: index, own, most, uses) {
                    evidence.violate(
                        "two connections were shown different frames of one turn", expected: shown(other.expected),
                        actual: shown(other.actual), at: [turn.event, other.event])
                } else if !isAsker {
                    evidence.keep()
                }
            }
        }
    }

    /// What a connection was shown otherwise than the first one: the tools in their order, then the ending.
    private static func difference(
        of turn: ObservedTurn, on index: Int, _ own: Int, _ most: Int, _ uses: [Frame]
    ) -> (expected: String?, actual: String?, event: Int)? {
        let lanes = Dictionary(grouping: uses, by: \.connection)
        if own == most, let first = lanes.values.filter({ $0.count == most }).min(by: { $0[0].event < $1[0].event }) {
            for (one, other) in zip(first, lanes[index] ?? []) where one.string("tool") != other.string("tool") {
                return (one.string("tool"), other.string("tool"), other.event)
            }
        }
        guard let first = turn.endings.first, let ending = turn.endings(on: index).first, first.turnId == ending.turnId
        else { return nil }
        for name in ["type", "text", "code"] where first[name] != ending[name] {
            return (first.string(name), ending.string(name), ending.event)
        }
        return nil
    }

    /// TURN-16: "A server MUST send a `message` for every accepted user message to every open connection of its
    /// principal other than the one that sent it".
    ///
    /// Exercised once per accepted question and other connection that stayed open.
    static func otherConnectionsSeeTheQuestion(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns where turn.isAccepted {
            let askers = turn.requests.compactMap(\.connection)
            for index in observers(of: turn, history) where !askers.contains(index) {
                let messages = turn.frames.filter {
                    $0.connection == index && $0.type == "message" && $0.string("role") == "user"
                }
                guard let message = messages.first else {
                    let end = turn.endings(on: index).first?.event ?? endingDeadline(of: turn, on: index, history)
                    guard let end else { continue }
                    evidence.violate(
                        "another connection did not see the question of a turn", expected: "one message",
                        actual: "none on connection \(history.connections[index].device)", at: [turn.event, end])
                    continue
                }
                if messages.count > 1 {
                    evidence.violate(
                        "another connection saw a question twice", expected: "one message", actual: "\(messages.count)",
                        at: [turn.event, messages[1].event])
                } else if let id = turn.ack?.messageId, message.messageId != id {
                    evidence.violate(
                        "another connection saw a question under another id", expected: shown(id),
                        actual: shown(message.messageId), at: [turn.event, message.event])
                } else if let other = otherName(in: message, than: turn) {
                    evidence.violate(
                        "another connection saw a question in another session or turn", expected: shown(other.expected),
                        actual: shown(other.actual), at: [turn.event, message.event])
                } else {
                    evidence.test(
                        exactlyEqual(message.text ?? "", turn.accepted.prompt),
                        otherwise: "another connection saw another question", expected: shown(turn.accepted.prompt),
                        actual: shown(message.text), at: [turn.event, message.event])
                }
            }
        }
    }

    /// A name that a `message` states otherwise than its turn.
    private static func otherName(in message: Frame, than turn: ObservedTurn) -> (expected: String, actual: String)? {
        let pairs = [
            (turn.sessionId, message.sessionId), (turn.turnId, message.turnId),
            (turn.clientMessageId, message.clientMessageId),
        ]
        for case let (expected?, actual?) in pairs where expected != actual { return (expected, actual) }
        return nil
    }

    /// Connections of the principal that were connected before a question and could see its whole turn.
    private static func observers(of turn: ObservedTurn, _ history: Observations) -> [Int] {
        history.connections.indices.filter { index in
            let connection = history.connections[index]
            guard connection.principal == turn.principal, let connected = connection.connected, connected < turn.event
            else { return false }
            return connection.isOpen(at: turn.event)
        }
    }

    /// The event that proves that a connection was not shown how a turn ended.
    private static func endingDeadline(of turn: ObservedTurn, on index: Int, _ history: Observations) -> Int? {
        guard let ended = turn.ended else { return history.turnDeadline(of: turn, on: index) }
        let late = history.deadline(after: ended, within: history.timeouts.turn, on: index)
        return late ?? history.turnDeadline(of: turn, on: index).map { max($0, ended) }
    }

    private static let refusals: Set<String> = ["bad_request", "session_not_found", "too_large", "busy"]

    /// TURN-18: "A server MUST NOT store any message, or start any turn, for a `chat` or `POST /api/chat` that it
    /// refused".
    ///
    /// Exercised by a read of the named session, or a list, that was begun after the refusal. A frame of the turn after the
    /// refusal breaks it at once. Ill-formed session ids are the matter of ID-9.
    static func refusedQuestionsLeaveNoTrace(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns {
            guard let refusal = turn.request.refusal, isRefusal(turn.request, history),
                turn.sessionAsked.map(isSessionID) ?? true, turn.requests.allSatisfy({ $0.refusal != nil })
            else { continue }
            if let sign = turn.firstSign {
                evidence.violate(
                    "a refused question started a turn", expected: "nothing after the refusal",
                    actual: "a frame of the turn", at: [turn.event, refusal, sign])
                continue
            }
            guard let session = turn.sessionAsked else { continue }
            let exchange = history.exchanges.first {
                $0.isRead(of: .session(session)) && $0.sent.principal == turn.principal && $0.request > refusal
                    && $0.response != nil
            }
            guard let exchange, let response = exchange.response else { continue }
            let read = history.sessionReads.first { $0.event == response }
            if let read, let index = trace(of: turn, in: read, history) {
                evidence.violate(
                    "a refused question is stored", expected: "no trace of it",
                    actual: shown(read.messages[index].text), at: [turn.event, refusal, response])
            } else if read != nil || exchange.status == 404 {
                evidence.keep()
            }
        }
        for window in ListWindow.all(in: history) where window.created.isEmpty {
            let refused = window.refused.filter { $0.session.map(isSessionID) ?? true }
            guard refused.count == window.refused.count, let last = refused.last else { continue }
            evidence.test(
                window.added.isEmpty, otherwise: "a session appeared although every question was refused",
                expected: "the list as before", actual: listed(window.added),
                at: [last.request, last.answer, window.after.event])
        }
    }

    /// Whether a question was refused for itself: by one of the codes, or over REST by a status that means one of them.
    private static func isRefusal(_ request: ObservedRequest, _ history: Observations) -> Bool {
        if let code = request.refusalCode { return refusals.contains(code) }
        guard let status = history.exchange(of: request)?.status else { return false }
        return [400, 404, 409, 413].contains(status)
    }

    /// The stored message that a refused question left; one with the same text may belong to another question.
    private static func trace(of turn: ObservedTurn, in read: ObservedSessionRead, _ history: Observations) -> Int? {
        if let key = turn.clientMessageId, let index = read.messages.firstIndex(where: { $0.clientMessageId == key }) {
            return index
        }
        let others = history.turns.filter {
            $0.event != turn.event && exactlyEqual($0.request.prompt, turn.request.prompt)
        }
        guard others.isEmpty else { return nil }
        return read.messages.firstIndex {
            $0.role == "user" && $0.clientMessageId == nil && exactlyEqual($0.text, turn.request.prompt)
        }
    }
}

import Holdfast
import JSON

extension Defect {
    static let orderListsAnswersFirst = Defect(
        "order-lists-answers-first", .ORDER, 1, "Shows every answer before its question in session reads.")
    static let orderListsWaitingQuestionsBackwards = Defect(
        "order-lists-waiting-questions-backwards", .ORDER, 2,
        "Shows questions that follow each other without an answer between them in reverse; shows with chats sent at once."
    )
    static let orderInterleavesTurns = Defect(
        "order-interleaves-turns", .ORDER, 3, "Runs the turns of a session at the same time.")
    static let orderNumbersEachSession = Defect(
        "order-numbers-each-session", .ORDER, 4, "Counts `seq` for each session apart; shows with two sessions.")
    static let orderLosesParallelQuestions = Defect(
        "order-loses-parallel-questions", .ORDER, 5,
        "Forgets a question that is stored while another write of its session is under way; shows with chats sent at once."
    )
    static let orderRunsOneTurnAtATime = Defect(
        "order-runs-one-turn-at-a-time", .ORDER, 6, "Runs all turns of all sessions one after the other.")
    static let orderMixesTurns = Defect(
        "order-mixes-turns", .ORDER, 7,
        "Puts the `turnId` of the principal's latest question on every `done`; shows with two turns at once.")
    static let orderLeavesToolsUnnumbered = Defect(
        "order-leaves-tools-unnumbered", .ORDER, 9, "Sends `toolUse` without `seq`.")
    static let orderNumbersAcks = Defect("order-numbers-acks", .ORDER, 10, "Puts a `seq` on every `ack`.")
    static let orderRenumbersForSecondDevices = Defect(
        "order-renumbers-for-second-devices", .ORDER, 11,
        "Adds 1,000,000 to every `seq` on all connections of a principal but the oldest.")
    static let orderNumbersFromZero = Defect(
        "order-numbers-from-zero", .ORDER, 12, "Gives the first frame of a stream the `seq` 0.")

    static let order = [
        orderListsAnswersFirst, orderListsWaitingQuestionsBackwards, orderInterleavesTurns, orderNumbersEachSession,
        orderLosesParallelQuestions, orderRunsOneTurnAtATime, orderMixesTurns, orderLeavesToolsUnnumbered,
        orderNumbersAcks, orderRenumbersForSecondDevices, orderNumbersFromZero,
    ]
}

extension Saboteur {
    /// The line a session's turns wait in.
    func line(of session: String) -> String { has(.orderRunsOneTurnAtATime) ? "everything" : session }
}

extension ServerCore {
    /// The number of a frame; nil when it gets none.
    mutating func number(of frame: JSONValue, _ turn: LiveTurn, in stream: inout ReplayBuffer) -> Int? {
        if broken(.orderLeavesToolsUnnumbered), frame["type"]?.stringValue == "toolUse" { return nil }
        var step = rules.variations.contains(.sparseNumbers) ? ids.number(upTo: 9) : 1
        if rules.variations.contains(.hugeNumbers) { step = stream.lastSeq == 0 ? 5_000_000_000 : 1000 }
        let seq = stream.draw(step: step)
        if broken(.orderNumbersFromZero) { return seq - 1 }
        guard broken(.orderNumbersEachSession) else { return seq }
        mischief.numbersBySession[turn.names.session, default: 0] += 1
        return mischief.numbersBySession[turn.names.session]
    }

    /// A frame of the stream as one connection gets it; nil when it does not.
    mutating func twisted(_ text: String, _ frame: JSONValue, for socket: Int, of principal: String) -> String? {
        guard !saboteur.isHealthy else { return text }
        if mischief.losesNextFrame.remove(socket) != nil { return nil }
        guard broken(.orderRenumbersForSecondDevices), socket != connections.sockets(of: principal).first,
            let seq = frame["seq"]?.intValue
        else { return text }
        var frame = frame
        frame["seq"] = JSONValue(seq + 1_000_000)
        return shaper.text(ofShaped: frame)
    }

    /// A session as reads show it.
    func visible(_ session: SessionStore.Session) -> SessionStore.Session {
        guard !saboteur.isHealthy else { return session }
        var session = session
        if broken(.orderListsAnswersFirst) {
            for (position, message) in session.messages.enumerated()
            where message.role == "assistant" && message.turn != nil {
                guard let question = session.messages[..<position].firstIndex(where: { $0.turn == message.turn }) else {
                    continue
                }
                session.messages.insert(session.messages.remove(at: position), at: question)
            }
        }
        if broken(.orderListsWaitingQuestionsBackwards) {
            session.messages = session.messages.reduce(into: [[SessionStore.Message]]()) { runs, message in
                if message.role == "user", runs.last?.last?.role == "user" {
                    runs[runs.count - 1].insert(message, at: 0)
                } else {
                    runs.append([message])
                }
            }.flatMap { $0 }
        }
        if broken(.persistForgetsOldMessages) { session.messages = session.messages.suffix(4) }
        if broken(.restGivesAnswersOtherIds) {
            session.messages = session.messages.map { $0.role == "user" ? $0 : $0.renamed("-r") }
        }
        if broken(.idemStoresRepeatsAgain) {
            session.messages = session.messages.flatMap { message in
                message.role == "user" && message.turn.map(mischief.repeatedTurns.contains) == true
                    ? [message, message.renamed("-2")] : [message]
            }
        }
        return session
    }
}

extension SessionStore.Message {
    fileprivate func renamed(_ suffix: String) -> SessionStore.Message {
        SessionStore.Message(id: id + suffix, role: role, content: content, at: at, turn: turn, key: key)
    }
}

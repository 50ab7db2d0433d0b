/// The last read that showed how a question came out, by each name that it may have there.
struct AnsweredInReads {
    /// A message after a question, with the turn that it names, if no better evidence exists.
    private struct Following {
        let event: Int
        let turnId: String?
    }

    private var byTurn: [String: Int] = [:]
    private var byKey: [String: Following] = [:]
    private var byText: [String: Following] = [:]
    /// By the text of messages that were stored without a key.
    private var byTextAlone: [String: Following] = [:]

    /// Takes what a read shows; reads come in the order of their responses.
    mutating func take(_ read: ObservedSessionRead) {
        for message in read.messages where message.role == "assistant" {
            if let turn = message.turnId { byTurn[turn] = read.event }
        }
        for turn in read.turns where turn.status == "failed" {
            if let id = turn.turnId { byTurn[id] = read.event }
        }
        for (message, next) in zip(read.messages, read.messages.dropFirst())
        where message.role == "user" && next.role == "assistant" {
            let following = Following(event: read.event, turnId: next.turnId)
            // A message that names another turn answers another question.
            if let turnId = message.turnId, let other = next.turnId, turnId != other { continue }
            byText[message.text] = following
            if let key = message.clientMessageId {
                byKey[key] = following
            } else {
                byTextAlone[message.text] = following
            }
        }
    }

    /// The last read that shows the answer or the failure of a turn: by its id, by the key of its question, or by its words
    /// where that has none.
    func last(of turn: ObservedTurn) -> Int? {
        let prompt = turn.request.prompt
        let following = [
            turn.clientMessageId.flatMap { byKey[$0] },
            turn.clientMessageId == nil ? byText[prompt] : byTextAlone[prompt],
        ].compactMap(\.self).filter { $0.turnId == nil || turn.turnId == nil || $0.turnId == turn.turnId }
        return (following.map(\.event) + [turn.turnId.flatMap { byTurn[$0] }].compactMap(\.self)).max()
    }
}

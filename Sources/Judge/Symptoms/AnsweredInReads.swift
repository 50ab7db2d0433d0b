/// The last read that showed how a question came out, by each name that it may have there.
struct AnsweredInReads {
    private var byTurn: [String: Int] = [:]
    private var byKey: [String: Int] = [:]
    private var byText: [String: Int] = [:]
    /// By the text of messages that were stored without a key.
    private var byTextAlone: [String: Int] = [:]

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
            byText[message.text] = read.event
            if let key = message.clientMessageId {
                byKey[key] = read.event
            } else {
                byTextAlone[message.text] = read.event
            }
        }
    }

    /// The last read that shows the answer or the failure of a turn: by its id, by the key of its question, or by its words
    /// where that has none.
    func last(of turn: ObservedTurn) -> Int? {
        let prompt = turn.request.prompt
        let byName = [turn.turnId.flatMap { byTurn[$0] }, turn.clientMessageId.flatMap { byKey[$0] }]
        let byWords = turn.clientMessageId == nil ? byText[prompt] : byTextAlone[prompt]
        return (byName + [byWords]).compactMap(\.self).max()
    }
}

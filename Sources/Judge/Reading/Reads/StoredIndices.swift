import HoldfastJSON

/// The positions of turns' messages in a session read, by id, key and turn.
struct StoredIndices {
    let read: ObservedSessionRead
    private var byID: [String: [Int]] = [:]
    private var byKey: [String: [Int]] = [:]
    private var byTurn: [String: [Int]] = [:]
    private var questions: [ExactString: Int] = [:]

    init(_ read: ObservedSessionRead) {
        self.read = read
        for (index, message) in read.messages.enumerated() {
            let role = message.role ?? ""
            if let id = message.id { byID[role + id, default: []].append(index) }
            if let key = message.clientMessageId { byKey[role + key, default: []].append(index) }
            if let turn = message.turnId { byTurn[role + turn, default: []].append(index) }
            if role == "user" { questions[ExactString(message.text), default: 0] += 1 }
        }
    }

    func questions(saying text: String) -> Int { questions[ExactString(text)] ?? 0 }

    /// The positions of a turn's question; several if it is stored more than once.
    func questions(of turn: ObservedTurn) -> [Int] {
        var places: Set<Int> = []
        if let id = turn.ack?.messageId { places.formUnion(byID["user" + id] ?? []) }
        // If the ack of a repeat names another message with the same text, the question is stored twice.
        for id in turn.acks.compactMap(\.messageId) {
            let named = byID["user" + id] ?? []
            places.formUnion(named.filter { exactlyEqual(read.messages[$0].text, turn.request.prompt) })
        }
        if let key = turn.clientMessageId { places.formUnion(byKey["user" + key] ?? []) }
        if let id = turn.turnId { places.formUnion(byTurn["user" + id] ?? []) }
        return places.sorted()
    }

    func answers(of turn: ObservedTurn, under messageId: String? = nil) -> [Int] {
        var places: Set<Int> = []
        for id in turn.dones.compactMap(\.messageId) + [messageId].compactMap(\.self) {
            places.formUnion(byID["assistant" + id] ?? [])
        }
        if let id = turn.turnId { places.formUnion(byTurn["assistant" + id] ?? []) }
        return places.sorted()
    }
}

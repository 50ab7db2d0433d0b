import HoldfastJSON

/// Where the messages of turns stand in one session read; found by id first, by text only when nothing else tells.
struct StoredPlaces {
    private let read: ObservedSessionRead
    private var byID: [String: [Int]] = [:]
    private var byKey: [String: [Int]] = [:]
    private var byTurn: [String: [Int]] = [:]
    private var byText: [String: [Int]] = [:]

    init(_ read: ObservedSessionRead) {
        self.read = read
        for (index, message) in read.messages.enumerated() {
            let role = message.role ?? ""
            if let id = message.id { byID[role + id, default: []].append(index) }
            if let key = message.clientMessageId { byKey[role + key, default: []].append(index) }
            if let turn = message.turnId { byTurn[role + turn, default: []].append(index) }
            byText[role + message.text, default: []].append(index)
        }
    }

    /// Whether the question of a turn is found by another name than its text.
    func name(_ turn: ObservedTurn) -> Bool { !namedQuestions(of: turn).isEmpty }

    /// The places of a turn's question; more than one when it is stored twice.
    func questions(of turn: ObservedTurn) -> [Int] {
        let named = namedQuestions(of: turn)
        return (named.isEmpty ? Set(unnamed("user", turn.request.prompt, turn)) : named).sorted()
    }

    private func namedQuestions(of turn: ObservedTurn) -> Set<Int> {
        var places: Set<Int> = []
        if let id = turn.ack?.messageId { places.formUnion(byID["user" + id] ?? []) }
        // The ack of a repeat that names another message of the same text tells of a second one.
        for id in turn.acks.compactMap(\.messageId) {
            let named = byID["user" + id] ?? []
            places.formUnion(named.filter { exactlyEqual(read.messages[$0].text, turn.request.prompt) })
        }
        if let key = turn.clientMessageId { places.formUnion(byKey["user" + key] ?? []) }
        if let id = turn.turnId { places.formUnion(byTurn["user" + id] ?? []) }
        return places
    }

    /// The places of a turn's answer; more than one when it is stored twice.
    func answers(of turn: ObservedTurn, response: (messageId: String?, text: String?)? = nil) -> [Int] {
        var places: Set<Int> = []
        let endings = turn.dones
        for id in endings.compactMap(\.messageId) + [response?.messageId].compactMap({ $0 }) {
            places.formUnion(byID["assistant" + id] ?? [])
        }
        if let id = turn.turnId { places.formUnion(byTurn["assistant" + id] ?? []) }
        if places.isEmpty, let text = endings.first?.text ?? response?.text {
            places.formUnion(unnamed("assistant", text, turn))
        }
        return places.sorted()
    }

    /// Messages with a text that name no other turn.
    private func unnamed(_ role: String, _ text: String, _ turn: ObservedTurn) -> [Int] {
        (byText[role + text] ?? []).filter { index in
            let message = read.messages[index]
            if let id = message.turnId, let known = turn.turnId, id != known { return false }
            if let key = message.clientMessageId, let known = turn.clientMessageId, key != known { return false }
            return true
        }
    }
}

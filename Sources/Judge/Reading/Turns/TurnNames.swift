/// Which turn goes by which name, for each principal.
struct TurnNames {
    /// A name as one principal knows it.
    struct Key: Hashable {
        let principal: String
        let name: String
    }

    private var byTurnId: [Key: Int] = [:]
    private var byClientMessageId: [Key: [Int]] = [:]

    mutating func add(_ turn: Int, _ principal: String, turnId: String) {
        let key = Key(principal: principal, name: turnId)
        if byTurnId[key] == nil { byTurnId[key] = turn }
    }

    mutating func add(_ turn: Int, _ principal: String, key name: String) {
        byClientMessageId[Key(principal: principal, name: name), default: []].append(turn)
    }

    func turn(_ principal: String, turnId: String) -> Int? {
        byTurnId[Key(principal: principal, name: turnId)]
    }

    func turns(_ principal: String, key name: String) -> [Int] {
        byClientMessageId[Key(principal: principal, name: name)] ?? []
    }
}

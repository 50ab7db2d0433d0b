struct TurnNames: Sendable, Equatable {
    var session: String
    var turn: String
    /// The id of the stored question.
    var question: String
    /// The key of the question; empty for a turn that no client started.
    var key: String
}

extension SessionStore.Session {
    func names(of turn: SessionStore.Turn) -> TurnNames {
        TurnNames(session: id, turn: turn.id, question: turn.question, key: turn.key ?? "")
    }
}

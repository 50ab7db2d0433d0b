import JSON

// What a server holds, for people who watch it.
extension ServerCore {
    /// The most sessions that are told of; the newest ones.
    private static let maxShownSessions = 50
    /// The most turns.
    private static let maxShownTurns = 100

    /// Epoch, sessions, turns that run, and what was ordered.
    var state: JSONValue {
        let newest = sessions.all.sorted { $0.updatedAt > $1.updatedAt }
        let running = turns.values.sorted { $0.chargedAt < $1.chargedAt }
        return members([
            ("epoch", .string(epoch)),
            (
                "sessions",
                .array(
                    newest.prefix(Self.maxShownSessions).map { session in
                        members([
                            ("id", .string(session.id)), ("principal", .string(session.owner)),
                            ("title", .string(session.title)), ("messages", JSONValue(session.messages.count)),
                            ("updatedAt", .string(Timestamp.text(session.updatedAt))),
                        ])
                    })
            ), ("sessionCount", JSONValue(newest.count)),
            (
                "turns",
                .array(
                    running.prefix(Self.maxShownTurns).map { turn in
                        members([
                            ("turnId", .string(turn.names.turn)), ("sessionId", .string(turn.names.session)),
                            ("principal", .string(turn.principal)),
                            ("clientMessageId", turn.names.key.map(JSONValue.string)),
                            ("state", .string(turn.state.rawValue)),
                        ])
                    })
            ), ("turnCount", JSONValue(turns.count)),
            ("orders", standing.state()),
        ])
    }
}

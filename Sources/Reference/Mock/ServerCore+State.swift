import HoldfastJSON

extension ServerCore {
    /// The state shows only the newest ones.
    private static let maxShownSessions = 50
    private static let maxShownTurns = 100

    var state: JSONValue {
        let newest = sessions.all.sorted { $0.updatedAt > $1.updatedAt }
        let running = turns.values.sorted { $0.chargedAt < $1.chargedAt }
        return JSONValue(members: [
            "epoch": epoch,
            "sessions": newest.prefix(Self.maxShownSessions).map { session in
                JSONValue(members: [
                    "id": session.id, "principal": session.owner, "title": session.title,
                    "messages": session.messages.count, "updatedAt": Timestamp.text(session.updatedAt),
                ])
            },
            "sessionCount": newest.count,
            "turns": running.prefix(Self.maxShownTurns).map { turn in
                JSONValue(members: [
                    "turnId": turn.names.turn, "sessionId": turn.names.session, "principal": turn.principal,
                    "clientMessageId": turn.names.key, "state": turn.state.rawValue,
                ])
            },
            "turnCount": turns.count, "orders": mockRules.state(),
        ])
    }
}

import HoldfastJSON

extension Dialect {
    /// The reasons why this wire cannot keep a clause: those in its file and, for clients, the missing members.
    package func limitations(for clause: ClauseID, of role: Role) -> [Limitation] {
        let declared = unkeepable[clause] ?? []
        guard role == .client, !isCanonical else { return declared }
        if clause == ClauseID(.AUTH, 11), case .query = credential {
            return declared + [Limitation("the key travels in the query of the upgrade")]
        }
        if assumedGreeting != nil, [ClauseID(.AUTH, 10), ClauseID(.CLIENT, 23)].contains(clause) {
            return declared + [Limitation("an accepted upgrade stands for the greeting")]
        }
        return declared
            + Self.foundations.filter { foundation in
                foundation.clauses.contains { ClauseID(.CLIENT, $0) == clause } && !hasPlace(for: foundation)
            }.map { Limitation("`\($0.type)` has no place for `\($0.members.joined(separator: "` or `"))`") }
    }

    /// Members that clauses of clients rely on: if a wire has none of them, even a correct client violates the clauses.
    private typealias Foundation = (sender: Role, type: String, members: [String], clauses: [Int])

    private static let foundations: [Foundation] = [
        (.client, "chat", ["clientMessageId"], [4, 5, 6, 7, 8, 9, 10, 12, 14, 21, 24, 25, 26, 30, 31, 32, 35, 38, 39]),
        (.client, "sync", ["epoch"], [15, 19]),
        (.server, "ack", ["clientMessageId"], [4, 24, 31]),
        (.server, "done", ["turnId", "clientMessageId"], [14, 24, 26, 30, 31, 39]),
        (.server, "done", ["messageId"], [25, 26, 29, 34]),
        (.server, "error", ["turnId", "clientMessageId"], [9, 24, 30, 31, 32]),
        (.server, "error", ["code"], [8, 9, 32]),
        (.server, "error", ["retryAfterMs"], [8]),
        (.server, "connected", ["limits"], [11]),
        (.server, "connected", ["epoch"], [15, 19]),
        (.server, "syncResult", ["complete"], [17, 18]),
        (.server, "syncResult", ["more"], [16]),
        (.server, "session", ["/session/turns"], [14, 30, 31, 32, 39]),
        (.server, "stored message", ["clientMessageId"], [21, 24, 25, 26, 30, 31, 35]),
    ]

    private func hasPlace(for foundation: Foundation) -> Bool {
        let session = [restRules.rule(of: .session)?.answer.members].compactMap(\.self)
        let maps =
            switch foundation.type {
            case "session": session
            case "stored message": session.map { $0.elements(of: "/session/messages") }
            default: frameRules.expressing(foundation.type, sentBy: foundation.sender).map(\.members)
            }
        return maps.contains { foundation.members.contains(where: $0.hasPlace) }
    }
}

extension MemberMap {
    private func location(of member: String) -> MemberRule.Location? {
        rules.first { $0.canonical == MemberMapReader.location(member) }?.location
    }

    /// Without a rule, a member has the same name on both sides.
    fileprivate func hasPlace(_ member: String) -> Bool { location(of: member).map { $0.wire != nil } ?? true }

    fileprivate func elements(of list: String) -> MemberMap {
        if case .list(_, let map, _) = location(of: list) { map } else { MemberMap() }
    }
}

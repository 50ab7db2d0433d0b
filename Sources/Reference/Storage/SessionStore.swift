import Holdfast
import HoldfastJSON

/// Every session as its records tell it: the source of truth for REST; replay only announces changes.
///
/// Records are the only way in, and each is applied once it is durable, so a crash cannot undo anything a client was
/// shown.
struct SessionStore: Sendable {
    struct Session: Sendable {
        let id: String
        var owner: String
        let createdAt: Int
        var updatedAt: Int
        var title: String
        var messages: [Message] = []
        var turns: [Turn] = []
    }

    struct Message: Sendable {
        let id: String
        let role: String
        let content: JSONValue
        let at: Int
        let turn: String
        let key: String?
    }

    struct Turn: Sendable {
        let id: String
        /// Nil for an unsolicited message of the agent.
        let key: String?
        let question: String
        var ending: TurnEnding?
    }

    private var sessions: [String: Session] = [:]
    private var idsByOwner: [String: [String]] = [:]

    /// The latest time of any record, in microseconds since 1970.
    private(set) var newest = 0

    /// Nil if another principal owns the session: to this one, it does not exist.
    func session(_ id: String, of principal: String) -> Session? {
        guard let session = sessions[id], session.owner == principal else { return nil }
        return session
    }

    /// The principal's sessions, newest message first; no two messages have the same time.
    func sessions(of principal: String) -> [Session] {
        (idsByOwner[principal] ?? []).compactMap { sessions[$0] }.sorted { $0.updatedAt > $1.updatedAt }
    }

    subscript(id: String) -> Session? {
        get { sessions[id] }
        set {
            if let old = sessions[id], old.owner != newValue?.owner { idsByOwner[old.owner]?.removeAll { $0 == id } }
            if let newValue, sessions[id]?.owner != newValue.owner {
                idsByOwner[newValue.owner, default: []].append(id)
            }
            sessions[id] = newValue
        }
    }

    var all: some Collection<Session> { sessions.values }

    /// Nil if the turn is running or does not exist.
    func ending(of turn: String, in session: String) -> TurnEnding? {
        sessions[session]?.turns.last { $0.id == turn }?.ending
    }

    mutating func apply(_ record: StoredRecord) {
        switch record {
        case .question(let it): apply(it, Turn(id: it.names.turn, key: it.names.key, question: it.names.question))
        case .ending(let it):
            newest = max(newest, it.at)
            change(it.session) { session in
                if case .answered(let message, let text) = it.ending {
                    session.updatedAt = it.at
                    session.messages.append(
                        Message(
                            id: message, role: "assistant", content: .string(text), at: it.at, turn: it.turn, key: nil))
                }
                session.end(it.turn, it.ending)
            }
        case .remark(let it):
            let ending = TurnEnding.answered(message: it.names.question, text: MessageContent.text(of: it.content))
            apply(it, Turn(id: it.names.turn, key: nil, question: it.names.question, ending: ending))
        }
    }

    /// Ends a turn in memory only, if its ending could not be stored; a restart finds it interrupted.
    mutating func endUnstored(_ turn: String, in session: String, _ ending: TurnEnding) {
        change(session) { $0.end(turn, ending) }
    }

    /// Adds the message that begins a turn: the question, or an unsolicited message, which is the whole turn.
    private mutating func apply(_ post: StoredRecord.Post, _ turn: Turn) {
        newest = max(newest, post.at)
        let id = post.names.session
        if sessions[id] == nil {
            self[id] = Session(
                id: id, owner: post.principal, createdAt: post.at, updatedAt: post.at,
                title: Preview.title(of: MessageContent.text(of: post.content)))
        }
        change(id) { session in
            session.updatedAt = post.at
            session.messages.append(
                Message(
                    id: turn.question, role: turn.ending == nil ? "user" : "assistant", content: post.content,
                    at: post.at, turn: turn.id, key: turn.key))
            session.turns.append(turn)
        }
    }

    private mutating func change(_ id: String, _ body: (inout Session) -> Void) {
        // Removed and reinserted, so that the arrays inside are changed in place.
        guard var session = sessions.removeValue(forKey: id) else { return }
        body(&session)
        sessions[id] = session
    }
}

extension SessionStore.Session {
    fileprivate mutating func end(_ turn: String, _ ending: TurnEnding) {
        guard let position = turns.lastIndex(where: { $0.id == turn }), turns[position].ending == nil else { return }
        turns[position].ending = ending
    }
}

/// Shortens texts for lists and notices, always between user-perceived characters.
enum Preview {
    /// The title of a session: the first line of its first question, at most 60 characters.
    static func title(of question: String) -> String {
        let limit = 60
        let line = question.drop { $0.isWhitespace }.prefix(limit + 1).prefix { !$0.isNewline }
        return cut(String(line), to: limit)
    }

    /// The ellipsis counts toward the limit.
    static func cut(_ text: String, to limit: Int, ellipsis: String = "…") -> String {
        guard text.index(text.startIndex, offsetBy: limit + 1, limitedBy: text.endIndex) != nil else { return text }
        return text.prefix(limit - ellipsis.count) + ellipsis
    }
}

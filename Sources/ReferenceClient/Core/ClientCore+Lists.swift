import HoldfastJSON

/// The list of sessions: it tells where to start, what is new while there is no connection, and which sessions may
/// contain a question. It never proves which one does: the newest session may be unrelated.
extension ClientCore {
    /// Opens the conversation of the last launch, or the newest, if the user has not chosen one.
    mutating func startNormally() {
        startIsDue = false
        guard mayRequest else { return startIsDue = true }
        if conversations[shown]?.session != nil { return refresh(shown) }
        _ = ask("GET", "/api/sessions", for: .start)
    }

    mutating func startAnswered(_ body: JSONValue, succeeded: Bool) {
        guard succeeded else { return startIsDue = true }
        // A text typed before the app ended stays in its own conversation.
        guard isUntouched, conversations[shown]?.messages.isEmpty != false, let newest = sessions(of: body).first else {
            return
        }
        show(conversation(of: newest.id))
        refresh(shown)
    }

    mutating func listRead(_ body: JSONValue) {
        for (id, entry) in sessions(of: body) {
            guard let number = knownNumber(id) else { continue }
            let before = conversations[number]?.listed
            conversations[number]?.listed = entry
            let count = conversations[number]?.messages.count { $0.id != nil }
            guard before.map({ $0 != entry }) ?? (entry["messageCount"]?.intValue != count) else { continue }
            conversations[number]?.isStale = true
            if number == shown { beginReading(number, atOnce: true) }
        }
    }

    /// Searches the listed sessions that may contain a question's key.
    mutating func searched(_ body: JSONValue, for number: Int, succeeded: Bool) {
        readEnded(number, succeeded: succeeded)
        guard succeeded, needsReading(number), conversations[number]?.session == nil else { return }
        for (id, entry) in sessions(of: body).prefix(20) {
            let candidate = conversation(of: id)
            guard conversations[candidate]?.listed != entry else { continue }
            search(for: number, in: candidate)
            conversations[candidate]?.listed = entry
        }
    }

    func sessions(of body: JSONValue) -> [(id: String, entry: JSONValue)] {
        (body["sessions"]?.arrayValue ?? []).compactMap { entry in entry.text("id").map { ($0, entry) } }
    }
}

/// Sessions that no crash may take: a read or list showed them, or an ack, an answer or a response named them.
struct SafeSessions {
    private var since: [TurnNames.Key: Int] = [:]

    init(_ history: Observations) {
        for read in history.sessionReads where !read.messages.isEmpty {
            note(read.sessionId, read.principal, read.event)
        }
        for list in history.listReads {
            for id in list.ids { note(id, list.principal, list.event) }
        }
        for frame in history.received where frame.type == "ack" || frame.type == "done" {
            note(frame.sessionId, history.principal(of: frame), frame.event)
        }
        for turn in history.turns {
            for response in turn.requests.compactMap(\.success) { note(turn.sessionId, turn.principal, response) }
        }
    }

    func sessions(of principal: String, before event: Int) -> Set<String> {
        Set(since.filter { $0.key.principal == principal && $0.value < event }.map(\.key.name))
    }

    private mutating func note(_ session: String?, _ principal: String?, _ event: Int) {
        guard let session, let principal else { return }
        let key = TurnNames.Key(principal: principal, name: session)
        since[key] = min(since[key] ?? event, event)
    }
}

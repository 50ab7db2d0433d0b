import HoldfastTranscript

/// Finds the turn of a frame without using the server's ids.
struct ScriptMarks {
    private var tools: [String: Set<Int>] = [:]
    private var replies: [String: Set<Int>] = [:]
    private var keys: [OwnName: Set<Int>] = [:]

    init(_ history: Observations) {
        for (index, turn) in history.turns.enumerated() {
            for step in turn.request.script {
                if let tool = step.string("tool") { tools[tool, default: []].insert(index) }
                if let reply = step.string("reply") { replies[reply, default: []].insert(index) }
            }
            if let key = turn.clientMessageId {
                keys[OwnName(key, of: turn.principal), default: []].insert(index)
            }
        }
    }

    /// The only turn that matches a frame's key, tool or text, if there is exactly one.
    func owner(of frame: Frame, principal: String) -> Int? {
        if let key = frame.clientMessageId {
            return only(keys[OwnName(key, of: principal)])
        }
        switch frame.type {
        case "toolUse": return only(frame.string("tool").flatMap { tools[$0] })
        case "done": return only(frame.text.flatMap { replies[$0] })
        default: return nil
        }
    }

    private func only(_ turns: Set<Int>?) -> Int? { turns?.count == 1 ? turns?.first : nil }
}

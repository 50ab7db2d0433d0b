import HoldfastTranscript

/// Finds the turn of a frame without using the server's ids.
struct ScriptMarks {
    private enum Mark: Hashable {
        case key(ScopedName)
        case tool(String)
        case reply(String)
    }

    private let turns: [Mark: [ObservedTurn]]

    init(_ history: Observations) {
        let marks = history.turns.flatMap { turn -> [(mark: Mark, turn: ObservedTurn)] in
            let key = turn.clientMessageId.map { Mark.key(ScopedName($0, of: turn.principal)) }
            let script = turn.request.script.flatMap { step in
                [step.string("tool").map(Mark.tool), step.string("reply").map(Mark.reply)]
            }
            return Set((script + [key]).compactMap(\.self)).map { ($0, turn) }
        }
        turns = Dictionary(grouping: marks, by: \.mark).mapValues { $0.map(\.turn) }
    }

    /// The turn that matches a frame's key, tool or text, if exactly one does.
    func owner(of frame: Frame, principal: String) -> ObservedTurn? {
        let mark: Mark? =
            switch (frame.clientMessageId, frame.type) {
            case (let key?, _): .key(ScopedName(key, of: principal))
            case (_, "toolUse"): frame.string("tool").map(Mark.tool)
            case (_, "done"): frame.text.map(Mark.reply)
            default: nil
            }
        let found = mark.flatMap { turns[$0] } ?? []
        return found.count == 1 ? found[0] : nil
    }
}

import HoldfastJSON

/// The turns that a session read must show.
extension Observations {
    /// The accepted turns of a read's session, in order.
    func turns(in read: ObservedSessionRead) -> [ObservedTurn] {
        guard namesItsMessages(read) else { return [] }
        return index.turns(of: read.sessionId).lazy.map { self.turns[$0] }.filter { turn in
            turn.principal == read.principal && turn.isAccepted && turn.event < read.event
        }
    }

    /// Visits each accepted turn in each read, with the positions of its messages.
    func forEachTurnRead(_ body: (ObservedTurn, ObservedSessionRead, StoredPlaces) -> Void) {
        for read in sessionReads {
            let places = places(in: read)
            for turn in turns(in: read) { body(turn, read, places) }
        }
    }

    /// How many more questions with the text of a turn a read shows than were asked, counting refused ones.
    func surplus(of turn: ObservedTurn, in read: ObservedSessionRead) -> Int {
        let text = turn.request.prompt
        let asked = (index.turns(of: read.sessionId) + index.unplaced).count {
            turns[$0].event < read.event && exactlyEqual(turns[$0].request.prompt, text)
        }
        return max(0, read.messages.count { $0.role == "user" && exactlyEqual($0.text, text) } - asked)
    }

    /// Whether a read shows the end of a turn: its answer, or a final status.
    func showsEnd(of turn: ObservedTurn, in read: ObservedSessionRead) -> Bool {
        answer(of: turn, in: read) != nil || ["done", "failed"].contains(read.entry(of: turn)?.status)
    }
}

extension ObservedSessionRead {
    /// The entry of a turn, by its id or its question's key.
    func entry(of turn: ObservedTurn) -> StoredTurn? {
        turns.first { turn.turnId != nil && $0.turnId == turn.turnId }
            ?? turns.first {
                turn.clientMessageId != nil && $0.clientMessageId == turn.clientMessageId
                    && (turn.turnId == nil || $0.turnId == nil)
            }
    }

    /// The first message of an earlier read that this one lacks or shows differently.
    func firstLost(of earlier: ObservedSessionRead) -> StoredMessage? {
        var rest = messages[...]
        return earlier.messages.first { message in
            let place = rest.firstIndex {
                $0.id == message.id && $0.role == message.role && exactlyEqual($0.text, message.text)
            }
            guard let place else { return true }
            rest = rest[(place + 1)...]
            return false
        }
    }
}

extension ObservedSessionRead.StoredMessage {
    var words: String { "\(role ?? "message") \(id ?? "without id"), '\(text.prefix(40))', in its place" }
}

extension ListWindow {
    /// New sessions without an accepted question.
    var unexplained: [String] {
        let explained = Set(
            created.flatMap { [$0.sessionId] + ($0.endings + $0.replayed).map(\.sessionId) }.compactMap(\.self))
        return added.filter { !explained.contains($0) }
    }
}

import HoldfastJSON

/// The turns that a session read has to show.
extension Observations {
    /// The accepted turns of a read's session, in the order of asking.
    func turns(in read: ObservedSessionRead) -> [ObservedTurn] {
        guard namesItsMessages(read) else { return [] }
        return index.turns(of: read.sessionId).lazy.map { self.turns[$0] }.filter { turn in
            turn.principal == read.principal && turn.isAccepted && turn.event < read.event
        }
    }

    /// Goes through each accepted turn of each read, with the places of its messages.
    func forEachTurnRead(_ body: (ObservedTurn, ObservedSessionRead, StoredPlaces) -> Void) {
        for read in sessionReads {
            let places = places(in: read)
            for turn in turns(in: read) { body(turn, read, places) }
        }
    }

    /// Whether a read surely shows the question of a turn, and not another one of the same text.
    func stands(_ turn: ObservedTurn, in read: ObservedSessionRead) -> Bool {
        let places = places(in: read)
        guard !places.questions(of: turn).isEmpty else { return false }
        return places.name(turn) || unnamedQuestions(in: read, places)[turn.request.prompt] ?? 0 <= 1
    }

    /// How many questions of each text a read may show of which nothing else tells which is whose.
    func unnamedQuestions(in read: ObservedSessionRead, _ places: StoredPlaces) -> [String: Int] {
        var counts: [String: Int] = [:]
        for place in index.turns(of: read.sessionId) + index.unplaced {
            let turn = turns[place]
            guard turn.principal == read.principal, turn.event < read.event, !turn.isRefused, !places.name(turn) else {
                continue
            }
            counts[turn.request.prompt, default: 0] += 1
        }
        return counts
    }

    /// How many more questions with the text of a turn a read shows than were asked, also those that were refused.
    func surplus(of turn: ObservedTurn, in read: ObservedSessionRead) -> Int {
        let text = turn.request.prompt
        let asked = (index.turns(of: read.sessionId) + index.unplaced).count {
            turns[$0].event < read.event && exactlyEqual(turns[$0].request.prompt, text)
        }
        return max(0, read.messages.count { $0.role == "user" && exactlyEqual($0.text, text) } - asked)
    }

    /// The entry of a turn: by its names, else by the turn that the conversation says its question belongs to.
    func entry(of turn: ObservedTurn, in read: ObservedSessionRead) -> ObservedSessionRead.StoredTurn? {
        read.entry(of: turn)
            ?? turnNamed(for: turn, in: read).flatMap { name in read.turns.first { $0.turnId == name } }
    }

    /// What the conversation calls a turn that no frame names; only a question that stands in it once tells.
    func turnNamed(for turn: ObservedTurn, in read: ObservedSessionRead) -> String? {
        guard turn.turnId == nil else { return nil }
        let stored = read.messages.filter { $0.role == "user" && exactlyEqual($0.text, turn.request.prompt) }
        let asked = index.turns(of: read.sessionId).count {
            exactlyEqual(turns[$0].request.prompt, turn.request.prompt)
        }
        return stored.count == 1 && asked == 1 ? stored[0].turnId : nil
    }
}

extension ObservedSessionRead {
    /// The entry of a turn, by its id or the key of its question.
    func entry(of turn: ObservedTurn) -> StoredTurn? {
        turns.first { turn.turnId != nil && $0.turnId == turn.turnId }
            ?? turns.first {
                turn.clientMessageId != nil && $0.clientMessageId == turn.clientMessageId
                    && (turn.turnId == nil || $0.turnId == nil)
            }
    }

    /// The first message of an earlier read that this one does not show as it was, in its place.
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

    /// Whether it shows a turn as running; where nothing names it, any running turn may be the one.
    func showsRunning(_ turn: ObservedTurn) -> Bool {
        if let entry = entry(of: turn) { return entry.status != "done" && entry.status != "failed" }
        guard turn.turnId == nil, turn.clientMessageId == nil else { return false }
        return turns.contains { $0.status == "running" }
    }

    /// Whether it lists turns by their names, and the question of this one, but not the turn.
    func passesOver(_ turn: ObservedTurn) -> Bool {
        turn.turnId != nil && turns.contains { $0.turnId != nil } && entry(of: turn) == nil
            && !StoredPlaces(self).questions(of: turn).isEmpty
    }
}

extension ObservedSessionRead.StoredMessage {
    /// What the message is called in findings.
    var words: String { "\(role ?? "message") \(id ?? "without id"), '\(text.prefix(40))', in its place" }
}

extension ListWindow {
    /// The sessions that appeared and that no accepted question explains.
    var unexplained: [String] {
        let explained = Set(
            created.flatMap { [$0.sessionId] + ($0.endings + $0.replayed).map(\.sessionId) }.compactMap(\.self))
        return added.filter { !explained.contains($0) }
    }
}

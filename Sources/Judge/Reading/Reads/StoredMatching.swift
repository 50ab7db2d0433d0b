import HoldfastJSON

/// Finds a turn's question and answer in a session read.
extension Observations {
    func question(of turn: ObservedTurn, in read: ObservedSessionRead) -> Int? {
        places(in: read).questions(of: turn).first
    }

    func answer(of turn: ObservedTurn, in read: ObservedSessionRead) -> Int? {
        places(in: read).answers(of: turn).first
    }

    /// The reads of a turn's session by its principal, in order.
    func reads(of turn: ObservedTurn) -> [ObservedSessionRead] {
        guard let session = turn.session else { return [] }
        let reads = index.reads(of: session, by: turn.principal)
        return isCapture ? reads.filter { namesItsMessages($0) } : reads
    }
}

extension Observations {
    /// Whether a turn of a session ran, or was asked, between two events.
    func runs(in session: String, for principal: String, from first: Int, to last: Int) -> Bool {
        // A question without a session may belong to this one.
        (index.turns(of: session) + index.unplaced).contains { place in
            let turn = turns[place]
            return turn.principal == principal && !turn.isRefused && turn.event < last && turn.ended ?? .max > first
        }
    }

    /// Whether a question with a guessed ending was asked in a session before an event.
    func mayHaveRun(in session: String, for principal: String, before event: Int) -> Bool {
        let sure = Set(turns.map(\.event))
        return (guessedTurns + questions.filter { !sure.contains($0.event) }).contains { turn in
            turn.principal == principal && !turn.isRefused && turn.event < event && turn.session ?? session == session
        }
    }

    func listBody(at event: Int) -> JSONValue? {
        body(ofResponse: event)
    }

    /// Every known text of a session: questions, answers and stored messages.
    func texts(of session: String, for principal: String) -> [String] {
        let asked = index.turns(of: session).map { turns[$0] }.filter { $0.principal == principal }
        let stored = index.reads(of: session, by: principal)
        return asked.map(\.request.prompt) + asked.flatMap(\.endings).compactMap(\.text)
            + stored.flatMap(\.messages).map(\.text)
    }
}

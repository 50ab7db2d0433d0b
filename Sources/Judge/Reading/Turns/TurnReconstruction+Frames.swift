import Holdfast
import HoldfastJSON
import HoldfastTranscript

extension TurnReconstruction {
    // MARK: Frames of turns

    /// Begins to place frames: no turn has ended but those whose answer came over REST.
    mutating func forgetEndings() {
        ended = [:]
        firstEnd = [:]
        taken = [:]
        takenEnds = [:]
        placed = [:]
        open = OpenTurns()
        for (index, turn) in turns.enumerated() {
            let answers = turn.requests.compactMap { request -> Int? in
                guard case .exchange(let exchange) = request.origin, let outcome = request.outcome else { return nil }
                let hasAnswer = exchanges[exchange].answer?.root.string("text") != nil
                return hasAnswer || request.failure != nil ? outcome : nil
            }
            if let first = answers.min() { firstEnd[index] = first }
        }
    }

    mutating func place(_ frame: Frame, final: Bool) {
        guard let type = frame.type, NumberedFrame.isOfStream(type) else { return }
        if !final, let seeming = refusedOrEnded[frame.event] { tell(frame, seeming) }
        if type == "error", final { doubtNamelessError(frame) }
        guard !refusals.contains(frame.event), let turn = owner(of: frame, final: final) else { return }
        if type == "error", !endsTurn(frame, turn) { return }
        let isEnding = (type == "done" || type == "error") && !frame.isDuplicate
        if isEnding {
            ended[frame.connection, default: []].insert(turn)
            firstEnd[turn] = min(firstEnd[turn] ?? frame.event, frame.event)
        }
        guard final else { return }
        if isEnding {
            turns[turn].endings.append(frame)
        } else if type == "done" || type == "error" {
            turns[turn].copies.append(frame)
        } else {
            turns[turn].frames.append(frame)
        }
    }

    /// Puts replayed frames to their turns; without any name of the turn, the same frame seen live tells.
    mutating func placeReplayed(_ frames: [Frame]) {
        guard !frames.isEmpty else { return }
        var live: [SharedFrame: Int] = [:]
        for (index, turn) in turns.enumerated() {
            for frame in turn.frames + turn.endings {
                guard let number = SharedFrame(numberOf: frame, of: turn.principal) else { continue }
                live[number] = live[number] ?? index
            }
        }
        for frame in frames {
            let principal = principal(of: frame)
            let owner: Int?
            if let turn = frame.turnId.flatMap({ turn(principal, turnId: $0) }) {
                owner = turn
            } else if let key = frame.clientMessageId {
                owner = turns(principal, key: key).last { turns[$0].event < frame.event }
            } else {
                let number = SharedFrame(numberOf: frame, of: principal)
                owner = frame.turnId == nil ? number.flatMap { live[$0] } : nil
            }
            if let owner { turns[owner].replayed.append(frame) }
        }
    }

    /// An error ends the only turn that goes on, which had used a tool.
    private mutating func tell(_ error: Frame, _ seeming: (turn: Int, request: Int)) {
        let open = openTurns(for: error).filter { turn in
            turn == seeming.turn || turns[turn].requests.contains { $0.refusal == nil }
        }
        guard open == [seeming.turn] else { return }
        turns[seeming.turn].requests[seeming.request].refusal = nil
        turns[seeming.turn].requests[seeming.request].refusalCode = nil
        refusals.remove(error.event)
        ends[error.event] = seeming.turn
    }

    private mutating func owner(of frame: Frame, final: Bool) -> Int? {
        if let turn = ends[frame.event] { return turn }
        let principal = principal(of: frame)
        if let turnId = frame.turnId, let turn = turn(principal, turnId: turnId) { return turn }
        if let key = frame.clientMessageId { return turn(withKey: key, for: frame) }
        if isCapture { return nil }
        if frame.type == "message" { return ownerOfMessage(frame, principal: principal, final: final) }
        let same = SharedFrame(frame, of: principal, in: life(of: frame.connection))
        if let same, let turn = shared[same] { return turn }
        if let turn = knownLate(frame) { return turn }
        guard var choice = ownerByOrder(of: frame, principal: principal) else {
            return ownerBySameness(of: frame) ?? ownerOfLateUse(frame)
        }
        if frame.type == "error", !endsTurn(frame, choice.turn) { return nil }
        // Elsewhere the same frame was put to another turn.
        if let same {
            if let other = placed[same], other != choice.turn {
                choice = Choice(choice.turn, among: choice.others + [other])
            }
            placed[same] = placed[same] ?? choice.turn
        }
        let possible = choice.others + [choice.turn]
        let isOfOneKey = choice.others.allSatisfy { question(of: $0) == question(of: choice.turn) }
        let isAlone = isOfOneKey && !isEarly(frame, choice.turn) && !isUnasked(frame, choice.turn)
        let isSure = isAlone && taken[frame.connection]?.contains(choice.turn) != true
        if !isSure { taken[frame.connection, default: []].formUnion(possible) }
        let isEnding = frame.type == "done" || frame.type == "error"
        let isSureEnding = isAlone && takenEnds[frame.connection]?.contains(choice.turn) != true
        if isEnding, !isSureEnding { takenEnds[frame.connection, default: []].formUnion(possible) }
        if final {
            if isEnding, !isSureEnding {
                guesses.doubt(possible)
            } else if !isSure {
                guesses.doubt(possible, frame: frame.event)
            }
            return choice.turn
        }
        if isSure, let same { shared[same] = choice.turn }
        bind(choice.turn, turnId: frame.turnId, session: frame.sessionId, isSure: isSure)
        return choice.turn
    }

    private func endsTurn(_ error: Frame, _ turn: Int) -> Bool {
        ends[error.event] == turn
            || ErrorMeaning.endsTurn(error, acksAreSent: acksAreSent, wasAcked: !turns[turn].acks.isEmpty)
    }

    /// Marks the turns that an error without any name may refuse or end.
    ///
    /// It is about the last message before it where nothing else waits for an answer; otherwise nothing tells.
    private mutating func doubtNamelessError(_ error: Frame) {
        guard !isCapture, error.code == nil, error.turnId == nil, error.clientMessageId == nil, error.sessionId == nil
        else { return }
        let connection = connections[error.connection]
        let waiting = openTurns(for: error).filter { index in
            turns[index].requests.contains {
                $0.connection == error.connection && $0.event < error.event
                    && ($0.refusal.map { $0 >= error.event } ?? true)
            }
        }
        let last = connection.sent.last { $0.event < error.event && $0.type != "ping" }
        if waiting.count == 1, waiting.allSatisfy({ turns[$0].requests.contains { $0.event == last?.event } }) {
            return
        }
        guesses.doubt(waiting)
    }

    /// The turn whose question a `message` without names is: the ack has its id, or it says the same in the same session.
    private mutating func ownerOfMessage(_ frame: Frame, principal: String, final: Bool) -> Int? {
        if let id = frame.messageId, let turn = acknowledged[OwnName(id, of: principal)],
            turns[turn].event < frame.event
        {
            return turn
        }
        let all = byPrincipal[principal] ?? []
        let own = all[..<all.boundary { $0.event >= frame.event }].map(\.turn)
        guard frame.string("role") == "user", frame.turnId == nil, let text = frame.text else { return nil }
        let same = own.filter {
            (turns[$0].session) == frame.sessionId
                && exactlyEqual(turns[$0].request.prompt, text)
        }
        if final, same.count > 1 { guesses.doubt(same) }
        // Equal questions are shown in the order in which they were asked.
        return same.first { index in
            !turns[index].frames.contains { $0.connection == frame.connection && $0.type == "message" }
        } ?? same.last
    }

    /// A `done` that says on one connection what the last turn of its session already ended with there.
    private func ownerBySameness(of frame: Frame) -> Int? {
        guard frame.type == "done", frame.turnId == nil, frame.clientMessageId == nil else { return nil }
        return turns.lastIndex { turn in
            turn.endings.contains {
                $0.connection == frame.connection && $0.event < frame.event && $0.sessionId == frame.sessionId
                    && $0.text == frame.text && $0.messageId == frame.messageId
            }
        }
    }

    /// The turn that a `toolUse` came after, where no other of its session goes on: the last one that ended on its connection.
    ///
    /// In a session that began before this history, somebody may have asked before it.
    private mutating func ownerOfLateUse(_ use: Frame) -> Int? {
        guard use.type == "toolUse", let session = use.sessionId else { return nil }
        let own = turns.indices.filter { index in
            // An answer that names its question alone tells the session too.
            (turns[index].session ?? turns[index].endings.first?.sessionId) == session && turns[index].event < use.event
        }
        let guessed = takenEnds[use.connection] ?? []
        guard own.contains(where: { turns[$0].sessionAsked == nil }), guessed.isDisjoint(with: own),
            let turn = own.last(where: { ended[use.connection]?.contains($0) == true })
        else { return nil }
        if let id = use.string("toolUseId") { late[OwnName(id, of: turns[turn].principal)] = turn }
        return turn
    }

    /// The ended turn that a `toolUse` came after on another connection, where none of its session went on.
    private func knownLate(_ use: Frame) -> Int? {
        guard use.type == "toolUse", let id = use.string("toolUseId"),
            let turn = late[OwnName(id, of: principal(of: use))], ended[use.connection]?.contains(turn) == true
        else { return nil }
        return turn
    }

    /// The question that a frame without names most likely belongs to, and the others that it may belong to as well.
    private struct Choice {
        let turn: Int
        let others: [Int]

        init(_ turn: Int, among possible: [Int]) {
            self.turn = turn
            others = possible.filter { $0 != turn }
        }
    }

    private mutating func ownerByOrder(of frame: Frame, principal: String) -> Choice? {
        let life = life(of: frame.connection)
        let all = candidates(for: frame)
        // A question asked since the last start comes before one that a crash may have ended, which uses no tool any more.
        let own = all.filter { turns[$0].requests.contains { self.life(of: $0) == life } }
        if let choice = ownerByOrder(of: frame, principal: principal, among: own) {
            guard frame.type == "done", contradicts(frame, choice.turn) else { return choice }
            // What its script does not bring forth may end another turn whose ending was guessed elsewhere.
            let guessed = takenEnds.values.reduce(Set()) { $0.union($1) }.filter { index in
                turns[index].session == frame.sessionId && !contradicts(frame, index)
            }
            return Choice(choice.turn, among: choice.others + guessed)
        }
        guard own.count < all.count, frame.type != "toolUse",
            let old = ownerByOrder(of: frame, principal: principal, among: all)
        else { return nil }
        // It may end a turn of this life whose ending was guessed elsewhere.
        let guessed = takenEnds.values.reduce(Set()) { $0.union($1) }.filter { index in
            turns[index].session == frame.sessionId && turns[index].requests.contains { self.life(of: $0) == life }
        }
        return Choice(old.turn, among: old.others + guessed)
    }

    private func life(of connection: Int) -> Int { lives.life(at: connections[connection].opening) }

    private func life(of request: ObservedRequest) -> Int {
        request.connection.map { life(of: $0) } ?? lives.life(at: request.event)
    }

    /// The turns that may still go on when a frame comes, as its connection sees it.
    private mutating func openTurns(for frame: Frame) -> [Int] {
        let connection = connections[frame.connection]
        return open.turns(
            for: frame, opening: connection.opening, of: connection.principal,
            asked: byPrincipal[connection.principal] ?? [], ended: ended[frame.connection] ?? [], firstEnd: firstEnd)
    }

    /// The questions that a frame without names can belong to.
    private mutating func candidates(for frame: Frame) -> [Int] {
        let open = openTurns(for: frame).filter { index in
            if let known = turns[index].turnId, let given = frame.turnId, known != given { return false }
            return turns[index].requests.contains { $0.refusal == nil && $0.event < frame.event }
        }
        return open.filter { !isAnswerOfOthers(frame, before: $0, open) }
    }

    /// Whether a frame without names came before the first sign that a turn was taken on, and no script says that it is of
    /// that turn: who asked before this history began may be meant.
    private func isEarly(_ frame: Frame, _ turn: Int) -> Bool {
        guard let sign = signs[frame.connection]?[turn], sign > frame.event else { return false }
        return turns[turn].request.script.isEmpty || contradicts(frame, turn)
    }

    /// Whether a `done` without names, of a server that names turns, says what no script of a turn makes the agent say: it may
    /// answer what was asked before this history began, or nothing.
    private func isUnasked(_ frame: Frame, _ turn: Int) -> Bool {
        acksAreSent && frame.type == "done" && frame.turnId == nil && contradicts(frame, turn)
    }

    /// Whether a `done` that came before any sign that a turn was taken on is the answer to a question of somebody else: as
    /// many others as there are questions come after the sign.
    private func isAnswerOfOthers(_ frame: Frame, before turn: Int, _ open: [Int]) -> Bool {
        guard frame.type == "done", let sign = signs[frame.connection]?[turn], sign > frame.event else { return false }
        let connection = connections[frame.connection]
        let answers = connection.received.count {
            $0.event > sign && $0.type == "done" && $0.turnId == nil && $0.clientMessageId == nil
                && $0.sessionId == frame.sessionId
        }
        let asked = byPrincipal[connection.principal] ?? []
        let later = asked[asked.boundary { $0.event >= frame.event }...].map(\.turn)
        let waiting = (open + later).count { turns[$0].session.map { $0 == frame.sessionId } ?? true }
        return answers >= waiting
    }

    private func ownerByOrder(of frame: Frame, principal: String, among candidates: [Int]) -> Choice? {
        func isOwn(_ index: Int) -> Bool { turns[index].requests.contains { $0.connection == frame.connection } }
        guard let session = frame.sessionId else {
            let fitting = fitting(frame, candidates)
            return (fitting.first(where: isOwn) ?? candidates.first(where: isOwn)).map { Choice($0, among: fitting) }
        }
        let seen = sessionSeen[OwnName(session, of: principal)] ?? frame.event
        let possible = fitting(
            frame,
            candidates.filter { index in
                let turn = turns[index]
                if let asked = turn.sessionAsked { return asked == session }
                if turn.sessionId == session { return true }
                return (turn.sessionId == nil || guessedSession.contains(index)) && seen > turn.event
            })
        // Where only some have a script, what no script brings forth is rather of one without.
        let likely = possible.filter { !contradicts(frame, $0) } + possible
        if let match = likely.first(where: { (turns[$0].session) == session }) {
            return Choice(match, among: possible)
        }
        let own = candidates.filter { isOwn($0) && turns[$0].sessionId == nil && seen > turns[$0].event }
        if let new = possible.first(where: { own.contains($0) }) { return Choice(new, among: possible) }
        // A question that named another session and is the only one: the server ran it in the wrong place, unless the frame
        // is nothing that its script could bring forth, or what was asked elsewhere explains it.
        guard possible.isEmpty, own.count == 1, let only = own.first, !contradicts(frame, only) else { return nil }
        return Choice(only, among: possible)
    }

    /// The turns whose scripts bring a frame forth; all of them where one has no script, or no script does.
    private func fitting(_ frame: Frame, _ candidates: [Int]) -> [Int] {
        guard candidates.count > 1, candidates.allSatisfy({ !turns[$0].request.script.isEmpty }) else {
            return candidates
        }
        let fitting = candidates.filter { !contradicts(frame, $0) }
        return fitting.isEmpty ? candidates : fitting
    }

    /// Whether a frame is none that the script of a turn brings forth.
    private func contradicts(_ frame: Frame, _ turn: Int) -> Bool {
        let script = turns[turn].request.script
        guard !script.isEmpty else { return false }
        switch frame.type {
        case "toolUse":
            // A model has to use the server's own tools, whatever the script calls them: then what they are given tells.
            return !script.contains { step in
                guard let tool = step.string("tool") else { return false }
                return tool == frame.string("tool") || step["input"].map { $0 == frame["input"] } ?? false
            }
        case "done":
            let replies = script.compactMap { $0.string("reply") }
            return turns[turn].isScriptedToFail || !replies.isEmpty && !replies.contains { $0 == frame.text }
        case "error": return frame.code == "agent_failed" && !turns[turn].isScriptedToFail
        default: return false
        }
    }
}

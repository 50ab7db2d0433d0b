import Holdfast
import Transcript

/// What comes before what: in the history, between turns, and in the numbered stream.
enum ORDER {
    static let checks: [Check] = [
        Check(.ORDER, 1, questionStandsBeforeAnswer), Check(.ORDER, 2, questionsKeepTheirOrder),
        Check(.ORDER, 3, turnsOfASessionAreSerial), Check(.ORDER, 4, numbersRise),
        Check(.ORDER, 5, messagesAreKeptOnce), Check(.ORDER, 6, slowSessionBlocksNoOther),
        Check(.ORDER, 7, idsStayWithTheirTurn), Check(.ORDER, 9, streamFramesAreNumbered),
        Check(.ORDER, 10, answersAreNotNumbered), Check(.ORDER, 11, numberMeansOneFrame),
        Check(.ORDER, 12, numbersBeginAtOne),
    ]

    /// ORDER-1: "A server MUST list each user message before the answer to it in every session read".
    ///
    /// Once for each turn whose question and answer a read shows.
    static func questionStandsBeforeAnswer(_ history: Observations, _ evidence: inout Evidence) {
        for read in history.sessionReads {
            let places = StoredPlaces(read)
            for turn in turns(in: read, history) where history.isToldApart(turn) {
                // Equal texts without names have several places: then any answer behind any of them will do.
                guard let question = places.questions(of: turn).first, let answer = places.answers(of: turn).last else {
                    continue
                }
                evidence.test(
                    question < answer, otherwise: "an answer stands before its question",
                    expected: "the question first", actual: "answer at place \(answer), question at place \(question)",
                    at: [read.event])
            }
        }
    }

    /// ORDER-2: "A server MUST list the user messages of a session in the order in which it accepted them".
    ///
    /// Once for each question in a read that another is known to precede: sent before it on the same connection, or
    /// acknowledged or ended before the later one was sent.
    static func questionsKeepTheirOrder(_ history: Observations, _ evidence: inout Evidence) {
        for read in history.sessionReads {
            let places = StoredPlaces(read)
            let found = turns(in: read, history).compactMap { turn in
                let all = places.questions(of: turn)
                return all.first.map { (turn: turn, place: $0, all: all) }
            }
            // Those asked before, by their place: the last that fits is the one to compare with.
            var before: [(turn: ObservedTurn, place: Int, all: [Int])] = []
            for later in found {
                // Questions with one text and no name cannot be told apart.
                let last = before.last { precedes($0.turn, later.turn) && Set($0.all).isDisjoint(with: later.all) }
                before.insert(later, at: before.boundary { $0.place >= later.place })
                guard let last else { continue }
                evidence.test(
                    last.place < later.place, otherwise: "a question accepted later stands earlier",
                    expected:
                        "'\(later.turn.request.prompt.prefix(40))' after '\(last.turn.request.prompt.prefix(40))'",
                    actual: "places \(later.place) and \(last.place)", at: [later.turn.event, read.event])
            }
        }
    }

    /// ORDER-3: "A server MUST NOT send a `toolUse` or the ending of one turn of a session between the first `toolUse` and
    /// the ending of another turn of that session".
    ///
    /// Once for each turn, on each connection, that was asked while another of its session ran; one refused with `busy`
    /// counts, because it was kept out.
    static func turnsOfASessionAreSerial(_ history: Observations, _ evidence: inout Evidence) {
        // Of each connection: the frames of each turn, and whose they are, in the order of time.
        var shown: [Int: [Int: [ObservedFrame]]] = [:]
        for (index, turn) in history.turns.enumerated() {
            for frame in (turn.frames + turn.endings).sorted(by: { $0.event < $1.event })
            where frame.type != "message" && !frame.isReplayed {
                shown[frame.connection, default: [:]][index, default: []].append(frame)
            }
        }
        for connection in shown.keys.sorted() {
            let frames = shown[connection] ?? [:]
            let owners = frames.flatMap { turn, own in own.map { (event: $0.event, turn: turn) } }
                .sorted { $0.event < $1.event }
            for first in frames.keys.sorted() {
                let turn = history.turns[first]
                guard let session = session(of: turn),
                    let begin = frames[first]?.first(where: { $0.type == "toolUse" }),
                    let end = turn.endings(on: connection).first
                else { continue }
                // Only what came in between, or was asked meanwhile, can intrude.
                var others: Set<Int> = []
                for owner in owners[owners.boundary { $0.event > begin.event }...] {
                    if owner.event >= end.event { break }
                    others.insert(owner.turn)
                }
                for place in history.turns[(first + 1)...].indices {
                    if history.turns[place].event >= end.event { break }
                    others.insert(place)
                }
                for second in others.sorted() where second != first {
                    let other = history.turns[second]
                    guard other.principal == turn.principal, self.session(of: other) == session else { continue }
                    let isLater = other.event > turn.event && other.event < end.event
                    let own = frames[second] ?? []
                    // Two turns mixed up are told once, as a flaw of the one that began first.
                    let otherBegin = own.first { $0.type == "toolUse" }?.event
                    if let otherBegin, otherBegin < begin.event { continue }
                    if let intruder = own.first(where: { $0.event > begin.event && $0.event < end.event }) {
                        evidence.violate(
                            "a frame of one turn lies inside another turn of its session",
                            expected: "frames of turn \(turn.turnId ?? "asked first") only, up to its ending",
                            actual: "\(intruder.type ?? "") of turn \(other.turnId ?? "asked later")",
                            at: [begin.event, intruder.event])
                    } else if isLater, !own.isEmpty || other.request.refusalCode == "busy" {
                        evidence.keep()
                    }
                }
            }
        }
    }

    /// ORDER-5: "A server MUST keep in the history every message of every accepted `chat` and `POST /api/chat` exactly once,
    /// also when many arrive at once on one session".
    ///
    /// Once for each turn in each read of its session that began after the turn was known to be accepted; the answer is owed
    /// once a `done` or a 200 told of it. What a crash took has clauses of its own, and a turn that failed while the disk took
    /// no writes may have stored nothing.
    static func messagesAreKeptOnce(_ history: Observations, _ evidence: inout Evidence) {
        for read in history.sessionReads {
            let places = StoredPlaces(read)
            let known = turns(in: read, history).filter { turn in
                !turn.endings.contains { $0.code == "persist_failed" } && !failedWithoutDisk(turn, history)
                    && [turn.ack?.event, turn.ended, turn.frames.first?.event].compactMap { $0 }
                        .contains { $0 < read.request && !history.hasCrashed(between: $0, and: read.request) }
            }
            var unnamed: [String: Int] = [:]
            for turn in known where turn.clientMessageId == nil { unnamed[turn.request.prompt, default: 0] += 1 }
            // What an ack names is the question of that turn, whoever said the same words.
            let named = known.filter { $0.ack?.messageId != nil && $0.clientMessageId != nil }
            let taken = Set(named.flatMap { places.questions(of: $0) })
            for turn in known {
                let twins = unnamed[turn.request.prompt] ?? 0
                let isNamed = turn.clientMessageId != nil || turn.turnId != nil || turn.ack?.messageId != nil
                let questions = places.questions(of: turn).filter { isNamed || !taken.contains($0) }
                let allowed = turn.clientMessageId == nil && turn.turnId == nil ? max(1, twins) : 1
                let done = turn.endings.contains {
                    $0.type == "done" && $0.event < read.request
                        && !history.hasCrashed(between: $0.event, and: read.request)
                }
                let answers = places.answers(of: turn)
                if questions.isEmpty || questions.count > allowed {
                    evidence.violate(finding("the question", turn, questions.count, read))
                } else if done, answers.isEmpty || (turn.turnId != nil && repeated(answers, read) > 1) {
                    evidence.violate(finding("the answer", turn, repeated(answers, read), read))
                } else {
                    evidence.keep()
                }
            }
        }
    }

    /// ORDER-6: "A server SHOULD finish a turn in one session without waiting for a turn in another".
    ///
    /// Once for each scripted turn that was asked while another session's script still had to wait a second longer than its own.
    static func slowSessionBlocksNoOther(_ history: Observations, _ evidence: inout Evidence) {
        for slow in history.turns where slow.isAccepted && slow.request.scriptedWait >= .seconds(1) {
            for quick in history.turns where quick.event > slow.event && quick.principal == slow.principal {
                guard !quick.request.script.isEmpty, let quickEnd = quick.ended, let session = session(of: slow),
                    self.session(of: quick) != session, !history.wasDisturbed(between: slow.event, and: quickEnd)
                else { continue }
                let begun = history.time(of: quick.event) + quick.request.scriptedWait.microseconds + 1_000_000
                guard begun <= history.time(of: slow.event) + slow.request.scriptedWait.microseconds else { continue }
                if let slowEnd = slow.ended, slowEnd < quickEnd {
                    evidence.violate(
                        "a quick turn ended only after a slow one of another session",
                        expected: "the quick turn ends first", actual: "the slow turn ended first",
                        at: [slowEnd, quickEnd])
                } else {
                    evidence.keep()
                }
            }
        }
    }

    /// ORDER-7: "A server MUST NOT put the session, turn or message id of one turn on a frame of another".
    ///
    /// Once for each frame of turns that ran at the same time whose turn is told by something else than the id in question:
    /// by the client's own key, or by a tool or a text that only one script has.
    static func idsStayWithTheirTurn(_ history: Observations, _ evidence: inout Evidence) {
        let marks = ScriptMarks(history)
        let crowded = overlapping(history.turns)
        var acknowledged: [String: Set<Int>] = [:]
        for (index, turn) in history.turns.enumerated() {
            for id in turn.acks.compactMap(\.messageId) { acknowledged[id, default: []].insert(index) }
        }
        for frame in history.received where ["toolUse", "done"].contains(frame.type ?? "") {
            let principal = history.connections[frame.connection].principal
            guard let index = marks.owner(of: frame, principal: principal) else { continue }
            let turn = history.turns[index]
            guard crowded[index] else { continue }
            let owned = turn.acks.first
            let session = owned?.sessionId ?? turn.sessionAsked
            if let session, let given = frame.sessionId, given != session {
                evidence.violate(mixed("session", session, given, frame))
            } else if let turnId = owned?.turnId, let given = frame.turnId, given != turnId {
                evidence.violate(mixed("turn", turnId, given, frame))
            } else if let given = frame.messageId, acknowledged[given]?.contains(where: { $0 != index }) == true {
                evidence.violate(mixed("message", "an id of its own", given, frame))
            } else if session != nil || owned?.turnId != nil {
                evidence.keep()
            }
        }
    }

    // MARK: Words and relations

    /// Whether a turn ended without an answer while the disk took no writes.
    private static func failedWithoutDisk(_ turn: ObservedTurn, _ history: Observations) -> Bool {
        guard let ended = turn.ended, !turn.endings.contains(where: { $0.type == "done" }), turn.response == nil else {
            return false
        }
        return history.lives.refusedWrites(between: turn.event, and: ended)
    }

    static func session(of turn: ObservedTurn) -> String? { turn.sessionId ?? turn.sessionAsked }

    /// The accepted turns of a read's session, in the order of asking.
    static func turns(in read: ObservedSessionRead, _ history: Observations) -> [ObservedTurn] {
        guard history.namesItsMessages(read) else { return [] }
        return history.index.turns(of: read.sessionId).lazy.map { history.turns[$0] }.filter { turn in
            turn.principal == read.principal && turn.isAccepted && turn.event < read.event
        }
    }

    /// The request that was not refused.
    static func accepted(_ turn: ObservedTurn) -> ObservedRequest {
        turn.requests.first { $0.refusal == nil } ?? turn.request
    }

    static func precedes(_ first: ObservedTurn, _ second: ObservedTurn) -> Bool {
        let (one, two) = (accepted(first), accepted(second))
        if let connection = one.connection, connection == two.connection { return one.event < two.event }
        return [first.ack?.event, first.ended].compactMap { $0 }.contains { $0 < two.event }
    }

    static func overlaps(_ one: ObservedTurn, _ other: ObservedTurn) -> Bool {
        guard one.event != other.event else { return false }
        let (first, second) = one.event < other.event ? (one, other) : (other, one)
        return first.ended.map { $0 > second.event } ?? true
    }

    /// For each of some turns, in the order of asking, whether it overlaps any other.
    static func overlapping(_ turns: [ObservedTurn]) -> [Bool] {
        var last = Int.min
        return turns.indices.map { index in
            let end = turns[index].ended ?? .max
            let isLate = last > turns[index].event
            last = max(last, end)
            return isLate || (index + 1 < turns.count && end > turns[index + 1].event)
        }
    }

    /// How often the most frequent text among some messages stands there.
    static func repeated(_ places: [Int], _ read: ObservedSessionRead) -> Int {
        var counts: [String: Int] = [:]
        for place in places { counts[read.messages[place].text, default: 0] += 1 }
        return counts.values.max() ?? 0
    }

    static func finding(_ what: String, _ turn: ObservedTurn, _ count: Int, _ read: ObservedSessionRead)
        -> Finding
    {
        Finding(
            "\(what) of an accepted turn is not kept exactly once",
            expected: "\(what) of '\(turn.request.prompt.prefix(40))' once", actual: "\(count) times",
            at: [turn.event, read.event])
    }

    static func mixed(_ what: String, _ own: String, _ given: String, _ frame: ObservedFrame) -> Finding {
        Finding("a frame carries the \(what) id of another turn", expected: own, actual: given, at: [frame.event])
    }

    /// What names a frame apart from its number; nil for a `toolUse`, of which a turn has many.
    static func name(of frame: ObservedFrame) -> String? {
        switch frame.type {
        case "message": frame.messageId.map { "message \($0)" }
        case "done", "error": frame.turnId.map { "ending \($0)" }
        default: nil
        }
    }

    static func identity(_ frame: ObservedFrame) -> String {
        let ids = [frame.sessionId, frame.turnId, frame.messageId].map { $0 ?? "-" }
        return "\(frame.type ?? "frame") of session \(ids[0]), turn \(ids[1]), message \(ids[2])"
    }
}

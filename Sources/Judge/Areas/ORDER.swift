import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// Checks of order: in the history, between turns, and in the numbered stream.
enum ORDER {
    static let checks: [Check] = [
        Check(.ORDER, 1, historyKeepsTheOrder),
        Check(.ORDER, 2, turnsOfASessionAreSerial),
        Check(.ORDER, 3, numbersRise),
        Check(.ORDER, 4, messagesAreKeptOnce),
        Check(.ORDER, 5, slowSessionBlocksNoOther),
        Check(.ORDER, 6, streamFramesAreNumbered),
        Check(.ORDER, 7, numberMeansOneFrame),
    ]

    /// ORDER-1: "A server MUST list in session reads questions in the order of acceptance, each before its answer and
    /// after every answer whose ending came before it was sent".
    ///
    /// Once for each turn whose question and answer are in a read; and for each question there that was certainly
    /// accepted after another, or sent after the ending of another answered turn.
    static func historyKeepsTheOrder(_ history: Observations, _ evidence: inout Evidence) {
        for read in history.sessionReads {
            func test(_ one: Int, before other: Int, _ what: String, _ expected: String, at events: [Int]) {
                evidence.test(
                    one < other, otherwise: what, expected: expected, actual: "indexes \(one) and \(other)",
                    at: events + [read.event])
            }
            let places = history.places(in: read)
            let turns = history.turns(in: read)
            // Items with several positions can only be compared by number.
            var answers = turns.compactMap { turn -> (ended: Int, place: Int)? in
                let all = places.answers(of: turn)
                guard all.count == 1, let ended = turn.ended else { return nil }
                return (ended, all[0])
            }.sorted { $0.ended < $1.ended }[...]
            var told: (ended: Int, place: Int)?
            // Earlier questions by position; the last fitting one is compared.
            var asked: [(turn: ObservedTurn, place: Int, all: [Int])] = []
            for turn in turns {
                while let next = answers.first, next.ended < turn.event {
                    if next.place > told?.place ?? -1 { told = next }
                    answers.removeFirst()
                }
                let all = places.questions(of: turn)
                guard let place = all.first else { continue }
                if let answer = places.answers(of: turn).last, turn.ended ?? .max < read.request {
                    test(
                        place, before: answer, "an answer is stored before its question", "the question first", at: [])
                }
                if let told, all.count == 1 {
                    test(
                        told.place, before: place, "a question is listed before an answer that it follows",
                        "the answer before \(turn.request.excerpt)", at: [told.ended, turn.event])
                }
                if let before = asked.last(where: { $0.turn.precedes(turn) && Set($0.all).isDisjoint(with: all) }) {
                    test(
                        before.place, before: place, "a question accepted later is stored earlier",
                        "\(before.turn.request.excerpt) before \(turn.request.excerpt)", at: [turn.event])
                }
                asked.insert((turn, place, all), at: asked.boundary { $0.place >= place })
            }
        }
    }

    /// ORDER-2: "A server MUST run the turns of a session one after another in the order in which it accepted them, and
    /// send their `toolUse` frames and endings likewise".
    ///
    /// Once for each turn, on each connection, whose work is shown next after another of its session that was still
    /// running when it was asked; one refused with `busy` counts, because it was kept out. A turn that a stop ended
    /// never ran.
    static func turnsOfASessionAreSerial(_ history: Observations, _ evidence: inout Evidence) {
        // By connection and session: the frames of turns, with their turns.
        var shown: [Int: [OwnName: [(frame: Frame, turn: Int)]]] = [:]
        for (place, turn) in history.turns.enumerated() {
            if turn.request.refusalCode == "busy" { evidence.keep() }
            guard let session = turn.session.map({ OwnName($0, of: turn.principal) }) else { continue }
            for frame in turn.toolUses + turn.endings where !frame.isReplayed && frame.says("turnId") {
                shown[frame.connection, default: [:]][session, default: []].append((frame, place))
            }
        }
        for frames in shown.values.flatMap(\.values) {
            judgeOrder(of: frames.sorted { $0.frame.event < $1.frame.event }, history, &evidence)
        }
    }

    private static func judgeOrder(
        of frames: [(frame: Frame, turn: Int)], _ history: Observations, _ evidence: inout Evidence
    ) {
        var running: (turn: Int, begin: Frame)?
        var last: (turn: ObservedTurn, begin: Frame)?
        var begun: Set<Int> = []
        // Two interleaved turns are reported once, for the one that started first.
        var mixed: Set<[Int]> = []
        for (frame, place) in frames {
            let turn = history.turns[place]
            if let open = running, open.turn != place, mixed.insert([open.turn, place]).inserted {
                evidence.violate(
                    "frames of two turns of one session interleave",
                    expected: "only frames of turn \(history.turns[open.turn].turnId ?? "asked first") until it ends",
                    actual: "\(frame.type ?? "") of turn \(turn.turnId ?? "asked later")",
                    at: [open.begin.event, frame.event])
            }
            if frame.isOf("toolUse", "done") || frame.code == "agent_failed", begun.insert(place).inserted {
                // Which of two started is a guess if one named no session and nothing identifies them.
                if let last, [last.turn, turn].allSatisfy({ $0.ack != nil || $0.request.sessionAsked != nil }) {
                    if turn.precedes(last.turn) {
                        evidence.violate(
                            "a turn ran before one that was accepted earlier", expected: "\(turn.calling) first",
                            actual: "\(last.turn.calling) before it",
                            at: [turn.event, last.turn.event, last.begin.event])
                    } else if last.turn.overlaps(turn), last.turn.precedes(turn) || last.begin.type == "toolUse" {
                        evidence.keep()
                    }
                }
                last = (turn, frame)
            }
            if running?.turn == place, frame.type != "toolUse" {
                running = nil
            } else if running == nil, frame.type == "toolUse",
                turn.endings(on: frame.connection).contains(where: { $0.event > frame.event })
            {
                running = (place, frame)
            }
        }
    }

    /// ORDER-4: "A server MUST keep in the history the question and the answer of every accepted `chat` and `POST
    /// /api/chat` exactly once, also when many arrive at once on one session".
    ///
    /// Once for each turn in each read of its session that started after the turn was known to be accepted; the answer
    /// must be present after a `done` or a 200. Other clauses judge losses by a crash, and a turn that failed while
    /// writes were refused may have stored nothing.
    static func messagesAreKeptOnce(_ history: Observations, _ evidence: inout Evidence) {
        for read in history.sessionReads {
            let places = history.places(in: read)
            let known = history.turns(in: read).filter { turn in
                !turn.endings.contains { $0.code == "persist_failed" } && !failedWithoutDisk(turn, history)
                    && [turn.ack?.event, turn.ended, turn.frames.first?.event].compactMap { $0 }
                        .contains { $0 < read.request && !history.hasCrashed(between: $0, and: read.request) }
            }
            // All questions of a session that started here are known; a server may put all into an existing one (ID-2).
            let isWhole =
                !history.isCapture
                && known.contains { turn in
                    turn.request.sessionAsked == nil && places.questions(of: turn).contains(read.messages.startIndex)
                }
            for turn in known {
                let questions = places.questions(of: turn)
                let done = turn.endings.contains {
                    $0.type == "done" && $0.event < read.request
                        && !history.hasCrashed(between: $0.event, and: read.request)
                }
                let answers = places.answers(of: turn)
                let count =
                    !questions.isEmpty && isWhole
                    ? questions.count + history.surplus(of: turn, in: read) : questions.count
                // PERSIST-2 judges missing messages.
                if count == 0, turn.ended ?? .max > read.request { continue }
                if count != 1 {
                    evidence.violate(finding("the question", turn, count, read))
                } else if done, answers.isEmpty || (turn.turnId != nil && repeated(answers, read) > 1) {
                    evidence.violate(finding("the answer", turn, repeated(answers, read), read))
                } else {
                    evidence.keep()
                }
            }
        }
    }

    /// ORDER-5: "A server SHOULD finish a turn in one session without waiting for a turn in another".
    ///
    /// Once for each scripted turn asked while another session's script still had to wait a second longer than its own,
    /// and no turn of its own session could have run.
    static func slowSessionBlocksNoOther(_ history: Observations, _ evidence: inout Evidence) {
        for slow in history.turns where slow.isAccepted && slow.request.scriptedWait >= .seconds(1) {
            for quick in history.turns where quick.accepted.event > slow.event && quick.principal == slow.principal {
                let asked = quick.accepted
                let begun = history.time(of: asked.event) + quick.request.scriptedWait.microseconds + 1_000_000
                guard begun <= history.time(of: slow.event) + slow.request.scriptedWait.microseconds else { continue }
                // On another connection, or if the stage did not read, the end may be seen much later than it came.
                let seen = asked.connection.flatMap { index in
                    history.connections[index].pauses.isEmpty ? quick.endings(on: index).first?.event : nil
                }
                guard !quick.request.script.isEmpty, seen ?? asked.outcome != nil, let quickEnd = quick.ended,
                    let session = slow.session,
                    let own = quick.session, own != session, !history.mayBeBusy(own, at: quick),
                    !history.wasDisturbed(between: slow.event, and: quickEnd)
                else { continue }
                evidence.test(no: slow.ended.flatMap { $0 < quickEnd ? $0 : nil }) { slowEnd in
                    Finding(
                        "a quick turn waited for a slow turn of another session",
                        expected: "the quick turn ends first", actual: "the slow turn ended first",
                        at: [slowEnd, quickEnd])
                }
            }
        }
    }

    /// ID-3, rule 2: no frame has the session, turn or message id of another turn, even if they are all consistent.
    ///
    /// Once for each frame whose turn is known from something else than the id in question: from the client's own key,
    /// or from a tool or text that only one script has. A resent key may have run twice (IDEM-1).
    static func idsStayWithTheirTurn(_ history: Observations, _ evidence: inout Evidence) {
        let marks = ScriptMarks(history)
        var acknowledged: [String: Set<Int>] = [:]
        for (index, turn) in history.turns.enumerated() {
            for id in turn.acks.compactMap(\.messageId) { acknowledged[id, default: []].insert(index) }
        }
        for frame in history.received where frame.isOf("toolUse", "done") {
            guard let index = marks.owner(of: frame, principal: history.principal(of: frame)),
                history.turns[index].event < frame.event,
                history.turns[index].requests.count(where: { $0.refusal == nil }) == 1
            else { continue }
            let turn = history.turns[index]
            let owned = turn.acks.first
            // A repeat may have named another session, and have been the accepted request.
            let asked = Set(turn.requests.filter { $0.refusal == nil }.map(\.sessionAsked))
            let session = owned?.sessionId ?? (asked.count == 1 ? turn.sessionAsked : nil)
            if let session, let given = frame.sessionId, given != session {
                evidence.violate(mixed("session", session, given, frame))
            } else if let turnId = owned?.turnId, let given = frame.turnId, given != turnId, frame.says("turnId") {
                evidence.violate(mixed("turn", turnId, given, frame))
            } else if let given = frame.messageId, acknowledged[given]?.contains(where: { $0 != index }) == true {
                evidence.violate(mixed("message", "a unique id", given, frame))
            } else if session != nil || owned?.turnId != nil {
                evidence.keep()
            }
        }
    }

    // MARK: Words and relations

    /// Whether a turn ended without an answer while writes were refused.
    private static func failedWithoutDisk(_ turn: ObservedTurn, _ history: Observations) -> Bool {
        guard let ended = turn.ended, !turn.endings.contains(where: { $0.type == "done" }), turn.response == nil else {
            return false
        }
        return history.lives.refusedWrites(between: turn.event, and: ended)
    }

    /// How often the most frequent text among some messages occurs.
    private static func repeated(_ places: [Int], _ read: ObservedSessionRead) -> Int {
        var counts: [String: Int] = [:]
        for place in places { counts[read.messages[place].text, default: 0] += 1 }
        return counts.values.max() ?? 0
    }

    private static func finding(_ what: String, _ turn: ObservedTurn, _ count: Int, _ read: ObservedSessionRead)
        -> Finding
    {
        Finding(
            "\(what) of an accepted turn is not stored exactly once",
            expected: "\(what) of \(turn.request.excerpt) once",
            actual: "\(count) times", at: [turn.event, read.event])
    }

    private static func mixed(_ what: String, _ own: String, _ given: String, _ frame: Frame) -> Finding {
        Finding("a frame has the \(what) id of another turn", expected: own, actual: given, at: [frame.event])
    }

    /// The identity of a frame apart from its number; nil for a `toolUse`, since a turn has many.
    private static func name(of frame: Frame) -> ShownStream.Name? {
        switch frame.type {
        case "message": frame.messageId.map { ShownStream.Name(isEnding: false, id: $0) }
        case "done", "error": frame.turnId.map { ShownStream.Name(isEnding: true, id: $0) }
        default: nil
        }
    }

    // MARK: The numbered stream

    /// ORDER-3: "A server MUST number the frames of its stream in one epoch with integers from 1 upward that strictly
    /// increase on each connection".
    ///
    /// Once for each live frame with a number.
    static func numbersRise(_ history: Observations, _ evidence: inout Evidence) {
        for connection in history.connections {
            var before: (event: Int, seq: Int)?
            for frame in connection.received {
                if frame.type == "syncResult", frame.epoch != connection.greeting?.epoch { before = nil }
                guard NumberedFrame.isOfStream(frame.type), !frame.isDuplicate, let given = frame["seq"]?.numberValue
                else { continue }
                guard let seq = frame.seq, seq >= 1 else {
                    evidence.violate(
                        "seq is not a positive integer", expected: "1 or more", actual: "seq \(given.text)",
                        at: [frame.event])
                    continue
                }
                evidence.test(no: before.flatMap { $0.seq < seq ? nil : $0 }) { before in
                    Finding(
                        "seq does not increase", expected: "seq greater than \(before.seq)", actual: "seq \(seq)",
                        at: [before.event, frame.event])
                }
                before = (frame.event, max(seq, before?.seq ?? seq))
            }
        }
    }

    /// ORDER-6: "A server MUST put `seq` on every `message`, every `toolUse`, every `done` and every `error` that ends
    /// a turn, except on copies marked `duplicate: true`".
    static func streamFramesAreNumbered(_ history: Observations, _ evidence: inout Evidence) {
        let endings = Set(history.turns.flatMap(\.endings).filter { !$0.isReplayed }.map(\.event))
        for frame in history.received where !frame.isDuplicate {
            guard frame.isOf("message", "toolUse", "done") || endings.contains(frame.event) else { continue }
            evidence.test(
                frame.seq != nil || frame["seq"] != nil, otherwise: "a frame of the stream has no seq",
                expected: "seq on \(frame.type ?? "it")", actual: "none", at: [frame.event])
        }
    }

    /// ORDER-7: "A server MUST send a frame of the stream with the same `seq`, members and values on every connection
    /// and in every replay within one epoch".
    ///
    /// Once for each number shown again elsewhere, and for each ending or message shown again.
    static func numberMeansOneFrame(_ history: Observations, _ evidence: inout Evidence) {
        var streams: [ShownStream.Key: Int] = [:]
        var seen: [ShownStream] = []
        var endings: Set<ShownEnding> = []
        let isGuess = history.capture?.lacks.contains(.principals) == true
        for (index, item) in history.shown.enumerated() {
            // In a capture, principals are a guess, so only a single connection is certainly one stream.
            let key = ShownStream.Key(
                stream: Stream.Key(principal: item.principal, epoch: item.epoch),
                connection: isGuess ? item.frame.connection : nil)
            let place = streams[key] ?? seen.count
            if place == seen.count {
                streams[key] = place
                seen.append(ShownStream())
            }
            let name = name(of: item.frame)
            let before = seen[place].take(index, numbered: item.seq, named: name)
            // A second ending on one connection is another frame; TURN-3 judges it.
            let isSecondEnding =
                name?.isEnding == true && !item.frame.isReplayed
                && !endings.insert(ShownEnding(name: name, connection: item.frame.connection)).inserted
            let isElsewhere = { (other: NumberedFrame) in
                other.frame.connection != item.frame.connection || item.frame.isReplayed || other.frame.isReplayed
            }
            if isSecondEnding { continue }
            if let before = before.byName.map({ history.shown[$0] }), before.seq != item.seq {
                evidence.violate(
                    "a frame was sent again under another seq", expected: "seq \(before.seq)",
                    actual: "seq \(item.seq)",
                    at: [before.event, item.event])
            } else if let before = before.byNumber.map({ history.shown[$0] }), isElsewhere(before) {
                let names = (before.frame.identity, item.frame.identity)
                let isSame = names.0 == names.1
                evidence.test(
                    before.frame.value == item.frame.value,
                    otherwise: isSame ? "a frame was sent again with other members" : "two frames have the same seq",
                    expected: isSame ? SYNC.text(before.frame.value) : "seq \(item.seq) for \(names.0)",
                    actual: isSame ? SYNC.text(item.frame.value) : names.1, at: [before.event, item.event])
            }
        }
    }
}

/// The ending of a turn as one connection was shown it live.
private struct ShownEnding: Hashable {
    let name: ShownStream.Name?
    let connection: Int
}

/// The first showing of each number and each name in a stream, by index.
private struct ShownStream {
    struct Key: Hashable {
        let stream: Stream.Key
        let connection: Int?
    }

    /// A message by its id, or the ending of a turn by the turn's.
    struct Name: Hashable {
        let isEnding: Bool
        let id: String
    }

    private var byNumber: [Int: Int] = [:]
    private var byName: [Name: Int] = [:]

    /// Adds a frame; returns earlier showings of its number and its name.
    mutating func take(_ place: Int, numbered seq: Int, named name: Name?) -> (byNumber: Int?, byName: Int?) {
        let before = (byNumber[seq], name.flatMap { byName[$0] })
        if before.0 == nil { byNumber[seq] = place }
        if let name, before.1 == nil { byName[name] = place }
        return before
    }
}

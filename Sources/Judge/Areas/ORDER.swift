import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// What comes before what: in the history, between turns, and in the numbered stream.
enum ORDER {
    static let checks: [Check] = [
        Check(.ORDER, 1, questionStandsBeforeAnswer), Check(.ORDER, 2, questionsKeepTheirOrder),
        Check(.ORDER, 3, turnsOfASessionAreSerial), Check(.ORDER, 4, numbersRise),
        Check(.ORDER, 5, messagesAreKeptOnce), Check(.ORDER, 6, slowSessionBlocksNoOther),
        Check(.ORDER, 7, idsStayWithTheirTurn), Check(.ORDER, 9, streamFramesAreNumbered),
        Check(.ORDER, 10, answersAreNotNumbered), Check(.ORDER, 11, numberMeansOneFrame),
        Check(.ORDER, 12, numbersBeginAtOne), Check(.ORDER, 13, turnsRunInTheirOrder),
        Check(.ORDER, 14, answersStandBeforeWhatFollows),
    ]

    /// ORDER-1: "A server MUST list each user message before the answer to it in every session read".
    ///
    /// Once for each turn whose question and answer a read shows.
    static func questionStandsBeforeAnswer(_ history: Observations, _ evidence: inout Evidence) {
        history.forEachTurnRead { turn, read, places in
            guard turn.ended ?? .max < read.request,
                let question = places.questions(of: turn).first, let answer = places.answers(of: turn).last
            else { return }
            evidence.test(
                question < answer, otherwise: "an answer is stored before its question", expected: "the question first",
                actual: "answer at index \(answer), question at index \(question)", at: [read.event])
        }
    }

    /// ORDER-2: "A server MUST list the user messages of a session in the order in which it accepted them".
    ///
    /// Once for each question in a read that another is known to precede: sent before it on the same connection, or
    /// acknowledged or ended before the later one was sent.
    static func questionsKeepTheirOrder(_ history: Observations, _ evidence: inout Evidence) {
        for read in history.sessionReads {
            let places = history.places(in: read)
            let found = history.turns(in: read).compactMap { turn in
                let all = places.questions(of: turn)
                return all.first.map { (turn: turn, place: $0, all: all) }
            }
            // Those asked before, by their place: the last that fits is the one to compare with.
            var before: [(turn: ObservedTurn, place: Int, all: [Int])] = []
            for later in found {
                let last = before.last { $0.turn.precedes(later.turn) && Set($0.all).isDisjoint(with: later.all) }
                before.insert(later, at: before.boundary { $0.place >= later.place })
                guard let last else { continue }
                evidence.test(
                    last.place < later.place, otherwise: "a question accepted later is stored earlier",
                    expected: "\(later.turn.request.excerpt) after \(last.turn.request.excerpt)",
                    actual: "indexes \(later.place) and \(last.place)", at: [later.turn.event, read.event])
            }
        }
    }

    /// ORDER-14: "A server MUST list an answer before every user message that was sent after its ending".
    ///
    /// Once for each question in a read that was sent when another turn of its session had ended with an answer.
    static func answersStandBeforeWhatFollows(_ history: Observations, _ evidence: inout Evidence) {
        for read in history.sessionReads {
            let places = history.places(in: read)
            let turns = history.turns(in: read).sorted { $0.event < $1.event }
            // What has several places is told apart by its number alone.
            let answers = turns.compactMap { turn -> (ended: Int, place: Int)? in
                let all = places.answers(of: turn)
                guard all.count == 1, let ended = turn.ended else { return nil }
                return (ended, all[0])
            }.sorted { $0.ended < $1.ended }
            var next = 0
            var last: (ended: Int, place: Int)?
            for turn in turns {
                while next < answers.count, answers[next].ended < turn.event {
                    if answers[next].place > last?.place ?? -1 { last = answers[next] }
                    next += 1
                }
                let questions = places.questions(of: turn)
                guard let last, questions.count == 1 else {
                    continue
                }
                evidence.test(
                    last.place < questions[0], otherwise: "a question is listed before an answer that it follows",
                    expected: "the answer before \(turn.request.excerpt)",
                    actual: "answer at index \(last.place), question at index \(questions[0])",
                    at: [last.ended, turn.event, read.event])
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
        var shown: [Int: [Int: [Frame]]] = [:]
        for (index, turn) in history.turns.enumerated() {
            for frame in (turn.frames + turn.endings).sorted(by: { $0.event < $1.event })
            where frame.type != "message" && !frame.isReplayed && frame.says("turnId") {
                shown[frame.connection, default: [:]][index, default: []].append(frame)
            }
        }
        for connection in shown.keys.sorted() {
            let frames = shown[connection] ?? [:]
            let owners = frames.flatMap { turn, own in own.map { (event: $0.event, turn: turn) } }
                .sorted { $0.event < $1.event }
            for first in frames.keys.sorted() {
                let turn = history.turns[first]
                guard let session = turn.session, let begin = frames[first]?.first(where: { $0.type == "toolUse" }),
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
                    guard other.principal == turn.principal, other.session == session else { continue }
                    let isLater = other.event > turn.event && other.event < end.event
                    let own = frames[second] ?? []
                    // Two turns mixed up are told once, as a flaw of the one that began first.
                    let otherBegin = own.first { $0.type == "toolUse" }?.event
                    if let otherBegin, otherBegin < begin.event { continue }
                    let intruder = own.first { $0.event > begin.event && $0.event < end.event }
                    evidence.test(
                        no: intruder, keptIf: isLater && (!own.isEmpty || other.request.refusalCode == "busy")
                    ) { intruder in
                        Finding(
                            "frames of two turns of one session interleave",
                            expected: "only frames of turn \(turn.turnId ?? "asked first") until it ends",
                            actual: "\(intruder.type ?? "") of turn \(other.turnId ?? "asked later")",
                            at: [begin.event, intruder.event])
                    }
                }
            }
        }
    }

    /// ORDER-13: "A server MUST run the turns of a session in the order in which it accepted them".
    ///
    /// Once for each turn, on each connection, that was shown at work next after another of its session that had been
    /// accepted before it and still ran when it was asked; one refused with `busy` counts, because it had not to wait.
    static func turnsRunInTheirOrder(_ history: Observations, _ evidence: inout Evidence) {
        // Of each connection and session: the turns by the first frame that shows their agent at work.
        var begun: [Int: [OwnName: [(event: Int, turn: ObservedTurn)]]] = [:]
        for turn in history.turns {
            guard let session = turn.session else { continue }
            var first: [(connection: Int, event: Int)] = []
            for frames in [turn.frames, turn.endings] {
                for sign in frames
                where !sign.isReplayed && (sign.isOf("toolUse", "done") || sign.code == "agent_failed") {
                    if let place = first.firstIndex(where: { $0.connection == sign.connection }) {
                        first[place].event = min(first[place].event, sign.event)
                    } else {
                        first.append((sign.connection, sign.event))
                    }
                }
            }
            for (connection, event) in first {
                begun[connection, default: [:]][OwnName(session, of: turn.principal), default: []].append((event, turn))
            }
        }
        for connection in begun.keys.sorted() {
            for turns in (begun[connection] ?? [:]).values {
                let inOrder = turns.sorted { $0.event < $1.event }
                for (one, next) in zip(inOrder, inOrder.dropFirst()) {
                    // Which of two began is a guess where one asked for no session and nothing names them.
                    let isNamed = [one.turn, next.turn].allSatisfy { $0.ack != nil || $0.request.sessionAsked != nil }
                    guard isNamed else { continue }
                    if next.turn.precedes(one.turn) {
                        evidence.violate(
                            "a turn ran before one that was accepted earlier",
                            expected: "\(next.turn.calling) first", actual: "\(one.turn.calling) before it",
                            at: [next.turn.event, one.turn.event, one.event])
                    } else if one.turn.precedes(next.turn), one.turn.overlaps(next.turn) {
                        evidence.keep()
                    }
                }
            }
        }
        for turn in history.turns where turn.request.refusalCode == "busy" { evidence.keep() }
    }

    /// ORDER-5: "A server MUST keep in the history every message of every accepted `chat` and `POST /api/chat` exactly once,
    /// also when many arrive at once on one session".
    ///
    /// Once for each turn in each read of its session that began after the turn was known to be accepted; the answer is owed
    /// once a `done` or a 200 told of it. What a crash took has clauses of its own, and a turn that failed while the disk took
    /// no writes may have stored nothing.
    static func messagesAreKeptOnce(_ history: Observations, _ evidence: inout Evidence) {
        for read in history.sessionReads {
            let places = history.places(in: read)
            let known = history.turns(in: read).filter { turn in
                !turn.endings.contains { $0.code == "persist_failed" } && !failedWithoutDisk(turn, history)
                    && [turn.ack?.event, turn.ended, turn.frames.first?.event].compactMap { $0 }
                        .contains { $0 < read.request && !history.hasCrashed(between: $0, and: read.request) }
            }
            // Of a session that began here all questions are known; a server may put all into one that stands (ID-3).
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

    /// ORDER-6: "A server SHOULD finish a turn in one session without waiting for a turn in another".
    ///
    /// Once for each scripted turn that was asked while another session's script still had to wait a second longer than its own,
    /// and none of its own session could have run.
    static func slowSessionBlocksNoOther(_ history: Observations, _ evidence: inout Evidence) {
        for slow in history.turns where slow.isAccepted && slow.request.scriptedWait >= .seconds(1) {
            for quick in history.turns where quick.accepted.event > slow.event && quick.principal == slow.principal {
                let asked = quick.accepted
                let begun = history.time(of: asked.event) + quick.request.scriptedWait.microseconds + 1_000_000
                guard begun <= history.time(of: slow.event) + slow.request.scriptedWait.microseconds else { continue }
                // Elsewhere, or where nobody read, the end may be seen much later than it came.
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

    /// ORDER-7: "A server MUST NOT put the session, turn or message id of one turn on a frame of another".
    ///
    /// Once for each frame of turns that ran at the same time whose turn is told by something else than the id in question:
    /// by the client's own key, or by a tool or a text that only one script has.
    static func idsStayWithTheirTurn(_ history: Observations, _ evidence: inout Evidence) {
        let marks = ScriptMarks(history)
        let crowded = ObservedTurn.overlapping(history.turns)
        var acknowledged: [String: Set<Int>] = [:]
        for (index, turn) in history.turns.enumerated() {
            for id in turn.acks.compactMap(\.messageId) { acknowledged[id, default: []].insert(index) }
        }
        for frame in history.received where frame.isOf("toolUse", "done") {
            guard let index = marks.owner(of: frame, principal: history.principal(of: frame)), crowded[index],
                history.turns[index].event < frame.event
            else { continue }
            let turn = history.turns[index]
            let owned = turn.acks.first
            // A repeat may have named another session, and have been the one that was taken.
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

    /// Whether a turn ended without an answer while the disk took no writes.
    private static func failedWithoutDisk(_ turn: ObservedTurn, _ history: Observations) -> Bool {
        guard let ended = turn.ended, !turn.endings.contains(where: { $0.type == "done" }), turn.response == nil else {
            return false
        }
        return history.lives.refusedWrites(between: turn.event, and: ended)
    }

    /// How often the most frequent text among some messages stands there.
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

    /// What names a frame apart from its number; nil for a `toolUse`, of which a turn has many.
    private static func name(of frame: Frame) -> ShownStream.Name? {
        switch frame.type {
        case "message": frame.messageId.map { ShownStream.Name(isEnding: false, id: $0) }
        case "done", "error": frame.turnId.map { ShownStream.Name(isEnding: true, id: $0) }
        default: nil
        }
    }

    // MARK: The numbered stream

    /// ORDER-4: "A server MUST give the frames of its stream a `seq` that strictly increases on each connection".
    ///
    /// Once for each two live frames that follow each other in one epoch.
    static func numbersRise(_ history: Observations, _ evidence: inout Evidence) {
        for connection in history.connections {
            var before: (event: Int, seq: Int)?
            for frame in connection.received {
                if frame.type == "syncResult", frame.epoch != connection.greeting?.epoch { before = nil }
                guard history.isNumbered(frame), let seq = frame.seq else { continue }
                if let before {
                    evidence.test(
                        seq > before.seq, otherwise: "seq does not increase",
                        expected: "seq greater than \(before.seq)",
                        actual: "seq \(seq)", at: [before.event, frame.event])
                }
                before = (frame.event, max(seq, before?.seq ?? seq))
            }
        }
    }

    /// ORDER-9: "A server MUST put `seq` on every `message`, every `toolUse`, every `done` and every `error` that ends a
    /// turn, except on copies marked `duplicate: true`".
    static func streamFramesAreNumbered(_ history: Observations, _ evidence: inout Evidence) {
        let endings = Set(history.turns.flatMap(\.endings).filter { !$0.isReplayed }.map(\.event))
        for frame in history.received where !frame.isDuplicate {
            guard frame.isOf("message", "toolUse", "done") || endings.contains(frame.event) else { continue }
            evidence.test(
                frame.seq != nil || frame["seq"] != nil, otherwise: "a frame of the stream has no seq",
                expected: "seq on \(frame.type ?? "it")", actual: "none", at: [frame.event])
        }
    }

    /// ORDER-10: "A server MUST NOT put `seq` on `connected`, `ack`, `pong`, `syncResult` or an `error` that ends no turn".
    ///
    /// Once for each such frame; an `error` surely ends no turn when its code refuses and it names no turn.
    static func answersAreNotNumbered(_ history: Observations, _ evidence: inout Evidence) {
        for frame in history.received {
            let isRefusal =
                frame.type == "error" && frame.turnId == nil && frame.code.map(ErrorMeaning.refusals.contains) == true
            guard frame.isOf("connected", "ack", "pong", "syncResult") || isRefusal else { continue }
            evidence.test(no: frame["seq"]) { seq in
                Finding(
                    "a frame outside the stream has a seq", expected: "no seq on \(frame.type ?? "it")",
                    actual: "seq \(seq.text())", at: [frame.event])
            }
        }
    }

    /// ORDER-11: "A server MUST send a frame of the stream with the same `seq` on every connection and in every replay within
    /// one epoch".
    ///
    /// Once for each number shown again, and for each ending or message shown again; other members are left to SYNC-8.
    static func numberMeansOneFrame(_ history: Observations, _ evidence: inout Evidence) {
        var streams: [ShownStream.Key: Int] = [:]
        var seen: [ShownStream] = []
        let isGuess = history.capture?.lacks.contains(.principals) == true
        for (index, item) in history.shown.enumerated() {
            // Who is who is a guess in a capture, so that one connection alone is certainly one stream.
            let key = ShownStream.Key(
                stream: Stream.Key(principal: item.principal, epoch: item.epoch),
                connection: isGuess ? item.frame.connection : nil)
            let place = streams[key] ?? seen.count
            if place == seen.count {
                streams[key] = place
                seen.append(ShownStream())
            }
            let before = seen[place].take(index, numbered: item.seq, named: name(of: item.frame))
            let isElsewhere = { (other: NumberedFrame) in
                other.frame.connection != item.frame.connection || item.frame.isReplayed || other.frame.isReplayed
            }
            if let before = before.byName.map({ history.shown[$0] }), before.seq != item.seq {
                evidence.violate(
                    "a frame was sent again under another seq", expected: "seq \(before.seq)",
                    actual: "seq \(item.seq)",
                    at: [before.event, item.event])
            } else if let before = before.byNumber.map({ history.shown[$0] }), isElsewhere(before) {
                let names = (before.frame.identity, item.frame.identity)
                evidence.test(
                    names.0 == names.1, otherwise: "two frames have the same seq",
                    expected: "seq \(item.seq) for \(names.0)", actual: names.1, at: [before.event, item.event])
            }
        }
    }

    /// ORDER-12: "A server MUST number the stream with integers from 1 upward, so that 0 is the place before the first frame".
    ///
    /// Once for each number, and for each `connected` that says nothing was sent yet after something was shown.
    static func numbersBeginAtOne(_ history: Observations, _ evidence: inout Evidence) {
        func judge(_ frame: Frame) {
            if let seq = frame.seq, seq >= 1, !frame.isDuplicate { return evidence.keep() }
            guard let seq = frame["seq"]?.numberValue, !frame.isDuplicate else { return }
            evidence.test(
                seq.isInteger && seq >= 1, otherwise: "seq is not a positive integer", expected: "1 or more",
                actual: "seq \(seq.text)", at: [frame.event])
        }
        for frame in history.received where NumberedFrame.isOfStream(frame.type) { judge(frame) }
        for sync in history.syncs { sync.missed.forEach(judge) }
        for connection in history.connections {
            guard let greeting = connection.greeting, greeting["lastSeq"]?.intValue == 0 else { continue }
            let begun = connection.auth ?? connection.opening
            let before = history.stream(of: connection.principal, epoch: greeting.epoch).items(before: begun).first
            if let before {
                evidence.violate(
                    "lastSeq is 0 after frames were sent in this epoch", expected: "at least \(before.seq)",
                    actual: "0", at: [before.event, greeting.event])
            }
        }
    }
}

/// What was shown first under each number and each name of one stream, by its place among all that was shown.
private struct ShownStream {
    struct Key: Hashable {
        let stream: Stream.Key
        let connection: Int?
    }

    /// The message with an id, or the ending of the turn with it.
    struct Name: Hashable {
        let isEnding: Bool
        let id: String
    }

    private var byNumber: [Int: Int] = [:]
    private var byName: [Name: Int] = [:]

    /// Takes the next frame; gives what was shown before under its number and under its name.
    mutating func take(_ place: Int, numbered seq: Int, named name: Name?) -> (byNumber: Int?, byName: Int?) {
        let before = (byNumber[seq], name.flatMap { byName[$0] })
        if before.0 == nil { byNumber[seq] = place }
        if let name, before.1 == nil { byName[name] = place }
        return before
    }
}

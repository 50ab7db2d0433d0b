import Holdfast
import HoldfastJSON
import HoldfastTranscript

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

    /// ORDER-1: "A server MUST list the questions of a session read in order of acceptance, each before its answer and
    /// after every answer whose ending came before the question was sent".
    ///
    /// Tested once for each turn whose question and answer are in a read; and for each question there that was
    /// certainly accepted after another, or sent after the ending of another answered turn.
    static func historyKeepsTheOrder(_ history: Observations, _ evidence: inout Evidence) {
        for read in history.sessionReads {
            func test(_ one: Int, before other: Int, _ what: String, _ expected: String, at events: [Int]) {
                let (actual, events) = ("indexes \(one) and \(other)", events + [read.event])
                evidence.test(one < other, otherwise: what, expected: expected, actual: actual, at: events)
            }
            let places = history.places(in: read)
            let turns = history.turns(in: read)
            let answers = EndedAnswers(of: turns, at: places)
            // Earlier questions by position; the last fitting one is compared.
            var asked: [(turn: ObservedTurn, position: Int, all: [Int])] = []
            for turn in turns {
                let all = places.questions(of: turn)
                guard let position = all.first else { continue }
                if let answer = places.answers(of: turn).last, turn.ended.isBefore(read.request) {
                    let what = "an answer is stored before its question"
                    test(position, before: answer, what, "the question first", at: [])
                }
                if let answered = answers.last(before: turn.event), all.count == 1 {
                    test(
                        answered.position, before: position, "a question is listed before an answer that it follows",
                        "the answer before \(turn.request.excerpt)", at: [answered.ended, turn.event])
                }
                if let before = asked.last(where: { $0.turn.precedes(turn) && Set($0.all).isDisjoint(with: all) }) {
                    test(
                        before.position, before: position, "a question accepted later is stored earlier",
                        "\(before.turn.request.excerpt) before \(turn.request.excerpt)", at: [turn.event])
                }
                asked.insert((turn, position, all), at: asked.boundary { $0.position >= position })
            }
        }
    }

    /// ORDER-2: "A server MUST run the turns of a session one after another in the order in which it accepted them, and
    /// send their `toolUse` frames and endings likewise".
    ///
    /// Tested once for each turn, on each connection, whose work is shown directly after that of another turn of its
    /// session that was still running when it was asked; a turn refused with `busy` counts, too. A turn that a stop
    /// ended never ran.
    static func turnsOfASessionAreSerial(_ history: Observations, _ evidence: inout Evidence) {
        evidence.exercised += history.turns.count { $0.request.refusalCode == "busy" }
        var groups: [NameOnConnection: [(frame: Frame, turn: ObservedTurn)]] = [:]
        for turn in history.turns {
            guard let session = turn.session else { continue }
            for frame in [turn.frames, turn.endings].joined() where frame.kind != .message && frame.includes("turnId") {
                let name = NameOnConnection(name: session, connection: frame.connection)
                groups[name, default: []].append((frame, turn))
            }
        }
        for group in groups.values {
            let frames = group.sorted { $0.frame.isBefore($1.frame.event) }
            judgeInterleaving(of: frames, &evidence)
            judgeBeginnings(of: frames, &evidence)
        }
    }

    private static func judgeInterleaving(of frames: [(frame: Frame, turn: ObservedTurn)], _ evidence: inout Evidence) {
        var running: (turn: ObservedTurn, begin: Frame)?
        // Two interleaved turns are reported once, for the one that started first.
        var mixed: Set<[Int]> = []
        for (frame, turn) in frames {
            if let open = running, open.turn !== turn, mixed.insert([open.turn.event, turn.event]).inserted {
                evidence.violate(
                    "frames of two turns of one session interleave",
                    expected: "only frames of turn \(open.turn.turnId ?? "asked first") until it ends",
                    actual: "\(frame.type ?? "") of turn \(turn.turnId ?? "asked later")", at: [open.begin, frame])
            }
            if running?.turn === turn, frame.isEnding {
                running = nil
            } else if running == nil, frame.kind == .toolUse,
                turn.endings.on(frame.connection).contains(where: { $0.isAfter(frame.event) })
            {
                running = (turn, frame)
            }
        }
    }

    private static func judgeBeginnings(of frames: [(frame: Frame, turn: ObservedTurn)], _ evidence: inout Evidence) {
        var last: (turn: ObservedTurn, begin: Frame)?
        var begun: Set<Int> = []
        for (frame, turn) in frames where frame.isOf(.toolUse, .done) || frame.code == "agent_failed" {
            guard begun.insert(turn.event).inserted else { continue }
            // If a question named no session and got no ack, it is a guess which of two turns started first.
            if let last, [last.turn, turn].allSatisfy({ $0.ack != nil || $0.request.sessionAsked != nil }) {
                if turn.precedes(last.turn) {
                    evidence.violate(
                        "a turn ran before one that was accepted earlier", expected: "\(turn.title) first",
                        actual: "\(last.turn.title) before it", at: [turn.event, last.turn.event, last.begin.event])
                } else if last.turn.overlaps(turn), last.turn.precedes(turn) || last.begin.kind == .toolUse {
                    evidence.keep()
                }
            }
            last = (turn, frame)
        }
    }

    /// ORDER-4: "A server MUST keep in the history the question and the answer of every accepted `chat` and `POST
    /// /api/chat` exactly once, also when many arrive at once on one session".
    ///
    /// Tested once for each turn in each read of its session that started after the turn was known to be accepted; the
    /// answer must be present after a `done` or a 200. Other clauses judge losses by a crash, and a turn that failed
    /// while writes were refused may have stored nothing.
    static func messagesAreKeptOnce(_ history: Observations, _ evidence: inout Evidence) {
        for read in history.sessionReads {
            let places = history.places(in: read)
            let known = history.turns(in: read).filter { turn in
                !turn.endings.contains { $0.code == "persist_failed" } && !history.couldNotBeStored(turn)
                    && history.mustShow(read, oneOf: [turn.ack?.event, turn.ended, turn.frames.first?.event])
            }
            // All questions of a session that started here are known; a server may use an existing session (ID-2).
            let isWhole =
                !history.isCapture
                && known.contains { turn in
                    turn.request.sessionAsked == nil && places.questions(of: turn).contains(read.messages.startIndex)
                }
            for turn in known {
                let (questions, answers) = (places.questions(of: turn), places.answers(of: turn))
                let surplus = questions.isEmpty || !isWhole ? 0 : history.surplus(of: turn, in: read)
                let count = questions.count + surplus
                // PERSIST-2 judges missing messages.
                if count == 0, turn.ended.isOpen(at: read.request) { continue }
                let dones = turn.endings.filter { $0.kind == .done }.map(\.event)
                if count != 1 {
                    evidence.violate(finding("the question", turn, count, read))
                } else if history.mustShow(read, oneOf: dones),
                    answers.isEmpty || turn.turnId != nil && repeated(answers, read) > 1
                {
                    evidence.violate(finding("the answer", turn, repeated(answers, read), read))
                } else {
                    evidence.keep()
                }
            }
        }
    }

    /// ORDER-5: "A server SHOULD finish a turn in one session without waiting for a turn in another".
    ///
    /// Tested once for each scripted turn asked while another session's script still had to wait a second longer than
    /// its own, and no turn of its own session could have run.
    static func slowSessionBlocksNoOther(_ history: Observations, _ evidence: inout Evidence) {
        for slow in history.turns where slow.isAccepted && slow.request.scriptedWait >= .seconds(1) {
            for quick in history.turns where quick.accepted.isAfter(slow.event) && quick.principal == slow.principal {
                let asked = quick.accepted
                let begun = history.time(of: asked.event) + quick.request.scriptedWait.microseconds + 1_000_000
                guard begun <= history.time(of: slow.event) + slow.request.scriptedWait.microseconds else { continue }
                // On another connection, or if the stage did not read, the end may be seen much later than it was sent.
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
    /// Tested once for each frame whose turn is known from something other than the id in question: from the client's
    /// own key, or from a tool or text that only one script has. A resent key may have run twice (IDEM-1).
    static func idsStayWithTheirTurn(_ history: Observations, _ evidence: inout Evidence) {
        let marks = ScriptMarks(history)
        let acks = history.turns.flatMap { turn in turn.acks.compactMap(\.messageId).map { (id: $0, turn: turn) } }
        let acknowledged = Dictionary(grouping: acks, by: \.id)
        for frame in history.received where frame.isOf(.toolUse, .done) {
            guard let turn = marks.owner(of: frame, principal: history.principal(of: frame)),
                turn.isBefore(frame.event), turn.requests.count(where: { $0.refusal == nil }) == 1
            else { continue }
            let session = turn.acks.first?.sessionId ?? turn.accepted.sessionAsked
            let turnId = turn.acks.first?.turnId
            if let session, let given = frame.sessionId, given != session {
                evidence.violate(mixed("session", session, given, frame))
            } else if let turnId, let given = frame.turnId, given != turnId, frame.includes("turnId") {
                evidence.violate(mixed("turn", turnId, given, frame))
            } else if let given = frame.messageId, acknowledged[given]?.contains(where: { $0.turn !== turn }) == true {
                evidence.violate(mixed("message", "a unique id", given, frame))
            } else if session != nil || turnId != nil {
                evidence.keep()
            }
        }
    }

    /// The number of occurrences of the most frequent text among some messages.
    private static func repeated(_ places: [Int], _ read: ObservedSessionRead) -> Int {
        var counts: [String: Int] = [:]
        for position in places { counts[read.messages[position].text, default: 0] += 1 }
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

    // MARK: The numbered stream

    /// ORDER-3: "A server MUST number the frames of its stream in one epoch with integers from 1 upward that strictly
    /// increase on each connection".
    static func numbersRise(_ history: Observations, _ evidence: inout Evidence) {
        for connection in history.connections {
            var before: (event: Int, seq: Int)?
            for frame in connection.received {
                if frame.kind == .syncResult, frame.epoch != connection.greeting?.epoch { before = nil }
                guard NumberedFrame.isInStream(frame.kind), !frame.isDuplicate else { continue }
                guard let seq = frame.seq, seq >= 1 else {
                    guard let given = frame["seq"]?.numberValue else { continue }
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
        let endings = Set(history.turns.lazy.flatMap(\.endings).map(\.event))
        for frame in history.received where !frame.isDuplicate {
            guard frame.isOf(.message, .toolUse, .done) || endings.contains(frame.event) else { continue }
            evidence.test(
                frame.seq != nil || frame["seq"] != nil, otherwise: "a frame of the stream has no seq",
                expected: "seq on \(frame.type ?? "it")", actual: "none", at: [frame.event])
        }
    }

    /// ORDER-7: "A server MUST send a frame of the stream with the same `seq`, members and values on every connection
    /// and in every replay within one epoch".
    ///
    /// Tested once for each number shown again elsewhere, and for each ending or message shown again.
    static func numberMeansOneFrame(_ history: Observations, _ evidence: inout Evidence) {
        // In a capture, principals are a guess, so only a single connection is certainly one stream.
        let isLimited = history.capture?.lacks.contains(.principals) == true
        var first: [ShownName: NumberedFrame] = [:]
        for item in history.shown {
            let connection = isLimited ? item.frame.connection : nil
            let name = ShownName.name(of: item.frame)
            let byNumber = first.earlier(than: item, .seq(item.seq), on: connection)
            let byName = name.flatMap { first.earlier(than: item, $0, on: connection) }
            // A second ending on one connection is another frame; TURN-3 judges it.
            if case .ending(let id)? = name, !item.frame.isReplayed,
                first.earlier(than: item, .liveEnding(id), on: item.frame.connection) != nil
            {
                continue
            }
            if let byName, byName.seq != item.seq {
                evidence.violate(
                    "a frame was sent again under another seq", expected: "seq \(byName.seq)",
                    actual: "seq \(item.seq)", at: [byName.event, item.event])
            } else if let byNumber,
                byNumber.frame.connection != item.frame.connection || byNumber.frame.isReplayed || item.frame.isReplayed
            {
                let names = (byNumber.frame.identity, item.frame.identity)
                let isSame = names.0 == names.1
                evidence.test(
                    byNumber.frame.value == item.frame.value,
                    otherwise: isSame ? "a frame was sent again with other members" : "two frames have the same seq",
                    expected: isSame ? SYNC.text(byNumber.frame.value) : "seq \(item.seq) for \(names.0)",
                    actual: isSame ? SYNC.text(item.frame.value) : names.1, at: [byNumber.event, item.event])
            }
        }
    }
}

private struct ShownName: Hashable {
    enum Name: Hashable {
        case seq(Int), message(String), ending(String), liveEnding(String)
    }

    let stream: Stream.Key
    let connection: Int?
    let name: Name

    /// The name of a frame apart from its number; nil for a `toolUse`, since a turn has many.
    static func name(of frame: Frame) -> Name? {
        frame.kind == .message
            ? frame.messageId.map { .message($0) } : frame.isEnding ? frame.turnId.map { .ending($0) } : nil
    }
}

extension [ShownName: NumberedFrame] {
    /// The first frame of its stream that had a name; nil if it is this one.
    fileprivate mutating func earlier(
        than item: NumberedFrame, _ name: ShownName.Name, on connection: Int?
    ) -> NumberedFrame? {
        let name = ShownName(stream: item.stream, connection: connection, name: name)
        if let known = self[name] { return known }
        self[name] = item
        return nil
    }
}

/// The answers that have one place in a read, in the order of their endings.
private struct EndedAnswers {
    /// The answers that are stored after every answer with an earlier ending.
    private var rising: [(ended: Int, position: Int)] = []

    init(of turns: [ObservedTurn], at places: StoredIndices) {
        let single = turns.compactMap { turn -> (ended: Int, position: Int)? in
            let all = places.answers(of: turn)
            guard all.count == 1, let ended = turn.ended else { return nil }
            return (ended, all[0])
        }
        for answer in single.sorted(by: { $0.ended < $1.ended }) where answer.position > rising.last?.position ?? -1 {
            rising.append(answer)
        }
    }

    func last(before event: Int) -> (ended: Int, position: Int)? {
        rising[..<rising.boundary { $0.ended >= event }].last
    }
}

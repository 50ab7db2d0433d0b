import Holdfast
import JSON
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
    static func questionStandsBeforeAnswer(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        for read in history.sessionReads {
            let places = StoredPlaces(read)
            for turn in turns(in: read, history) {
                guard let question = places.questions(of: turn).first, let answer = places.answers(of: turn).first
                else { continue }
                if question < answer {
                    evidence.keep()
                } else {
                    evidence.violate(
                        Finding(
                            "an answer stands before its question", expected: "the question first",
                            actual: "answer at place \(answer), question at place \(question)", at: [read.event]))
                }
            }
        }
        return evidence
    }

    /// ORDER-2: "A server MUST list the user messages of a session in the order in which it accepted them".
    ///
    /// Once for each question in a read that another is known to precede: sent before it on the same connection, or
    /// acknowledged or ended before the later one was sent.
    static func questionsKeepTheirOrder(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        for read in history.sessionReads {
            let places = StoredPlaces(read)
            let found = turns(in: read, history).compactMap { turn in
                places.questions(of: turn).first.map { (turn: turn, place: $0) }
            }
            for (index, later) in found.enumerated() {
                let before = found[..<index].filter { precedes($0.turn, later.turn) }
                guard let last = before.max(by: { $0.place < $1.place }) else { continue }
                if last.place < later.place {
                    evidence.keep()
                } else {
                    evidence.violate(
                        Finding(
                            "a question accepted later stands earlier",
                            expected:
                                "'\(later.turn.request.prompt.prefix(40))' after '\(last.turn.request.prompt.prefix(40))'",
                            actual: "places \(later.place) and \(last.place)", at: [later.turn.event, read.event]))
                }
            }
        }
        return evidence
    }

    /// ORDER-3: "A server MUST NOT send a `toolUse` or the ending of one turn of a session between the first `toolUse` and
    /// the ending of another turn of that session".
    ///
    /// Once for each turn, on each connection, that was asked while another of its session ran; one refused with `busy`
    /// counts, because it was kept out.
    static func turnsOfASessionAreSerial(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        for connection in history.connections.indices {
            let frames = history.turns.map { turn in
                (turn.frames + turn.endings).filter {
                    $0.connection == connection && $0.type != "message" && !$0.isReplayed
                }
                .sorted { $0.event < $1.event }
            }
            for (first, turn) in history.turns.enumerated() {
                guard let session = session(of: turn), let begin = frames[first].first(where: { $0.type == "toolUse" }),
                    let end = turn.endings(on: connection).first
                else { continue }
                for (second, other) in history.turns.enumerated() where second != first {
                    guard other.principal == turn.principal, self.session(of: other) == session else { continue }
                    let isLater = other.event > turn.event && other.event < end.event
                    // Two turns mixed up are told once, as a flaw of the one that began first.
                    let otherBegin = frames[second].first { $0.type == "toolUse" }?.event
                    if let otherBegin, otherBegin < begin.event { continue }
                    if let intruder = frames[second].first(where: { $0.event > begin.event && $0.event < end.event }) {
                        evidence.violate(
                            Finding(
                                "a frame of one turn lies inside another turn of its session",
                                expected: "frames of turn \(turn.turnId ?? "asked first") only, up to its ending",
                                actual: "\(intruder.type ?? "") of turn \(other.turnId ?? "asked later")",
                                at: [begin.event, intruder.event]))
                    } else if isLater, !frames[second].isEmpty || other.request.refusalCode == "busy" {
                        evidence.keep()
                    }
                }
            }
        }
        return evidence
    }

    /// ORDER-4: "A server MUST give the frames of its stream a `seq` that strictly increases on each connection".
    ///
    /// Once for each two live frames that follow each other in one epoch.
    static func numbersRise(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        for connection in history.connections {
            var before: (event: Int, seq: Int)?
            for frame in connection.received {
                if frame.type == "syncResult", frame.epoch != connection.greeting?.epoch { before = nil }
                guard history.isNumbered(frame), let seq = frame.seq else { continue }
                if let before {
                    if seq > before.seq {
                        evidence.keep()
                    } else {
                        evidence.violate(
                            Finding(
                                "seq does not rise", expected: "seq greater than \(before.seq)", actual: "seq \(seq)",
                                at: [before.event, frame.event]))
                    }
                }
                before = (frame.event, max(seq, before?.seq ?? seq))
            }
        }
        return evidence
    }

    /// ORDER-5: "A server MUST keep in the history every message of every accepted `chat` and `POST /api/chat` exactly once,
    /// also when many arrive at once on one session".
    ///
    /// Once for each turn in each read of its session that began after the turn was known to be accepted; the answer is owed
    /// once a `done` or a 200 told of it.
    static func messagesAreKeptOnce(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        for read in history.sessionReads {
            let places = StoredPlaces(read)
            let known = turns(in: read, history).filter { turn in
                !turn.endings.contains { $0.code == "persist_failed" }
                    && [turn.ack?.event, turn.ended, turn.frames.first?.event].compactMap { $0 }
                        .contains { $0 < read.request }
            }
            for turn in known {
                let twins = known.filter { $0.clientMessageId == nil && $0.request.prompt == turn.request.prompt }.count
                let questions = places.questions(of: turn)
                let allowed = turn.clientMessageId == nil && turn.turnId == nil ? max(1, twins) : 1
                let done = turn.endings.contains { $0.type == "done" && $0.event < read.request }
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
        return evidence
    }

    /// ORDER-6: "A server SHOULD finish a turn in one session without waiting for a turn in another".
    ///
    /// Once for each scripted turn that was asked while another session's script still had to wait a second longer than its own.
    static func slowSessionBlocksNoOther(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        for slow in history.turns where slow.isAccepted && slow.request.scriptedWait >= .seconds(1) {
            for quick in history.turns where quick.event > slow.event && quick.principal == slow.principal {
                guard !quick.request.script.isEmpty, let quickEnd = quick.ended, let session = session(of: slow),
                    self.session(of: quick) != session
                else { continue }
                let begun = history.time(of: quick.event) + quick.request.scriptedWait.microseconds + 1_000_000
                guard begun <= history.time(of: slow.event) + slow.request.scriptedWait.microseconds else { continue }
                if let slowEnd = slow.ended, slowEnd < quickEnd {
                    evidence.violate(
                        Finding(
                            "a quick turn ended only after a slow one of another session",
                            expected: "the quick turn ends first", actual: "the slow turn ended first",
                            at: [slowEnd, quickEnd]))
                } else {
                    evidence.keep()
                }
            }
        }
        return evidence
    }

    /// ORDER-7: "A server MUST NOT put the session, turn or message id of one turn on a frame of another".
    ///
    /// Once for each frame of turns that ran at the same time whose turn is told by something else than the id in question:
    /// by the client's own key, or by a tool or a text that only one script has.
    static func idsStayWithTheirTurn(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        let marks = ScriptMarks(history)
        for frame in history.received where ["toolUse", "done"].contains(frame.type ?? "") {
            let principal = history.connections[frame.connection].principal
            guard let index = marks.owner(of: frame, principal: principal) else { continue }
            let turn = history.turns[index]
            guard history.turns.contains(where: { overlaps($0, turn) }) else { continue }
            let owned = turn.acks.first
            let session = owned?.sessionId ?? turn.sessionAsked
            let foreign = history.turns.indices.filter { $0 != index }.flatMap { other in
                history.turns[other].acks.compactMap(\.messageId)
            }
            if let session, let given = frame.sessionId, given != session {
                evidence.violate(mixed("session", session, given, frame))
            } else if let turnId = owned?.turnId, let given = frame.turnId, given != turnId {
                evidence.violate(mixed("turn", turnId, given, frame))
            } else if let given = frame.messageId, foreign.contains(given) {
                evidence.violate(mixed("message", "an id of its own", given, frame))
            } else if session != nil || owned?.turnId != nil {
                evidence.keep()
            }
        }
        return evidence
    }

    /// ORDER-9: "A server MUST put `seq` on every `message`, every `toolUse`, every `done` and every `error` that ends a
    /// turn, except on copies marked `duplicate: true`".
    static func streamFramesAreNumbered(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        let endings = Set(history.turns.flatMap(\.endings).filter { !$0.isReplayed }.map(\.event))
        for frame in history.received where !frame.isDuplicate {
            guard ["message", "toolUse", "done"].contains(frame.type ?? "") || endings.contains(frame.event) else {
                continue
            }
            if frame["seq"] != nil {
                evidence.keep()
            } else {
                evidence.violate(
                    Finding(
                        "a frame of the stream has no number", expected: "seq on \(frame.type ?? "it")",
                        actual: "none", at: [frame.event]))
            }
        }
        return evidence
    }

    /// ORDER-10: "A server MUST NOT put `seq` on `connected`, `ack`, `pong`, `syncResult` or an `error` that ends no turn".
    ///
    /// Once for each such frame; an `error` surely ends no turn when its code refuses and it names no turn.
    static func answersAreNotNumbered(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        for frame in history.received {
            let isRefusal =
                frame.type == "error" && frame.turnId == nil
                && frame.code.map(ErrorMeaning.refusals.contains) == true
            guard ["connected", "ack", "pong", "syncResult"].contains(frame.type ?? "") || isRefusal else { continue }
            if let seq = frame["seq"] {
                evidence.violate(
                    Finding(
                        "a frame outside the stream has a number", expected: "no seq on \(frame.type ?? "it")",
                        actual: "seq \(seq.text())", at: [frame.event]))
            } else {
                evidence.keep()
            }
        }
        return evidence
    }

    /// ORDER-11: "A server MUST send a frame of the stream with the same `seq` on every connection and in every replay within
    /// one epoch".
    ///
    /// Once for each number shown again, and for each ending or message shown again; other members are left to SYNC-8.
    static func numberMeansOneFrame(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        var byNumber: [String: Shown] = [:]
        var byName: [String: Shown] = [:]
        for item in history.shown {
            let stream = "\(item.principal) \(item.epoch)"
            let number = "\(stream) \(item.seq)"
            let name = name(of: item.frame).map { "\(stream) \($0)" }
            defer {
                if byNumber[number] == nil { byNumber[number] = item }
                if let name, byName[name] == nil { byName[name] = item }
            }
            let isElsewhere = { (other: Shown) in
                other.frame.connection != item.frame.connection || item.frame.isReplayed || other.frame.isReplayed
            }
            if let name, let before = byName[name], before.seq != item.seq {
                evidence.violate(
                    Finding(
                        "a frame comes under another number", expected: "seq \(before.seq)", actual: "seq \(item.seq)",
                        at: [before.event, item.event]))
            } else if let before = byNumber[number], isElsewhere(before) {
                let names = (identity(before.frame), identity(item.frame))
                if names.0 == names.1 {
                    evidence.keep()
                } else {
                    evidence.violate(
                        Finding(
                            "one number stands for two frames", expected: "seq \(item.seq) for \(names.0)",
                            actual: names.1, at: [before.event, item.event]))
                }
            }
        }
        return evidence
    }

    /// ORDER-12: "A server MUST number the stream with integers from 1 upward, so that 0 is the place before the first frame".
    ///
    /// Once for each number, and for each `connected` that says nothing was sent yet after something was shown.
    static func numbersBeginAtOne(_ history: Observations) -> Evidence {
        var evidence = Evidence()
        let replayed = history.syncs.flatMap(\.missed)
        for frame in history.received.filter({ Observations.streamTypes.contains($0.type ?? "") }) + replayed {
            guard let seq = frame["seq"]?.numberValue, !frame.isDuplicate else { continue }
            if seq.isInteger, seq >= 1 {
                evidence.keep()
            } else {
                evidence.violate(
                    Finding(
                        "a number is no integer from 1", expected: "1 or more", actual: "seq \(seq.text)",
                        at: [frame.event]))
            }
        }
        let shown = history.shown
        for connection in history.connections {
            guard let greeting = connection.greeting, greeting["lastSeq"]?.intValue == 0 else { continue }
            let begun = connection.auth ?? connection.opening
            let before = shown.first { item in
                item.principal == connection.principal && item.epoch == greeting.epoch && item.event < begun
            }
            if let before {
                evidence.violate(
                    Finding(
                        "lastSeq is 0 after frames were sent in this epoch", expected: "at least \(before.seq)",
                        actual: "0", at: [before.event, greeting.event]))
            }
        }
        return evidence
    }

    // MARK: Words and relations

    private static func session(of turn: ObservedTurn) -> String? { turn.sessionId ?? turn.sessionAsked }

    /// The accepted turns of a read's session, in the order of asking.
    static func turns(in read: ObservedSessionRead, _ history: Observations) -> [ObservedTurn] {
        history.turns.filter { turn in
            turn.principal == read.principal && session(of: turn) == read.sessionId && turn.isAccepted
                && turn.event < read.event
        }
    }

    /// The request that was not refused.
    private static func accepted(_ turn: ObservedTurn) -> ObservedRequest {
        turn.requests.first { $0.refusal == nil } ?? turn.request
    }

    private static func precedes(_ first: ObservedTurn, _ second: ObservedTurn) -> Bool {
        let (one, two) = (accepted(first), accepted(second))
        if let connection = one.connection, connection == two.connection { return one.event < two.event }
        return [first.ack?.event, first.ended].compactMap { $0 }.contains { $0 < two.event }
    }

    private static func overlaps(_ one: ObservedTurn, _ other: ObservedTurn) -> Bool {
        guard one.event != other.event else { return false }
        let (first, second) = one.event < other.event ? (one, other) : (other, one)
        return first.ended.map { $0 > second.event } ?? true
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
            "\(what) of an accepted turn is not kept exactly once",
            expected: "\(what) of '\(turn.request.prompt.prefix(40))' once", actual: "\(count) times",
            at: [turn.event, read.event])
    }

    private static func mixed(_ what: String, _ own: String, _ given: String, _ frame: ObservedFrame) -> Finding {
        Finding(
            "a frame carries the \(what) id of another turn", expected: own, actual: given, at: [frame.event])
    }

    /// What names a frame apart from its number; nil for a `toolUse`, of which a turn has many.
    private static func name(of frame: ObservedFrame) -> String? {
        switch frame.type {
        case "message": frame.messageId.map { "message \($0)" }
        case "done", "error": frame.turnId.map { "ending \($0)" }
        default: nil
        }
    }

    private static func identity(_ frame: ObservedFrame) -> String {
        let ids = [frame.sessionId, frame.turnId, frame.messageId].map { $0 ?? "-" }
        return "\(frame.type ?? "frame") of session \(ids[0]), turn \(ids[1]), message \(ids[2])"
    }
}

import JSON

// The life of a turn: durable question, ack, the agent's steps, durable ending, ending.
extension ServerCore {
    mutating func stored(_ write: Int, _ succeeded: Bool) {
        guard let purpose = writes.removeValue(forKey: write) else { return }
        switch purpose {
        case .question(let question):
            if isKept(succeeded) { accepted(question) } else { rejected(question) }
        case .ending(let record): ended(record, isDurable: isKept(succeeded))
        case .remark(let remark, let notice, let isPushed):
            if isKept(succeeded) { tell(remark, notice, isPushed: isPushed) }
        case .afterthought: return
        }
    }

    /// The question is durable: now the server is responsible for it, and says so.
    private mutating func accepted(_ question: StoredRecord.Question) {
        keep(.question(question))
        begin(question)
    }

    /// Tells of a question and gives it its place in the line of its session.
    mutating func begin(_ question: StoredRecord.Question) {
        announce(question)
        guard let turn = turns[question.turn] else { return }
        let mayStart = queue.enter(turn.names.turn, session: saboteur.line(of: question.session))
        turns[question.turn]?.state = .waiting
        if isStopping {
            interrupt(question.turn)
        } else if mayStart || broken(.orderInterleavesTurns) {
            start(question.turn)
        }
    }

    /// Tells the asker that the question was taken, and the other devices that it was asked.
    private mutating func announce(_ question: StoredRecord.Question) {
        guard let turn = turns[question.turn] else { return }
        if case .socket(let socket) = turn.origin, !delaysAck(of: turn) {
            dueAcks[question.turn] = socket
            if !rules.variations.contains(.lateAcks) { sendDueAck(of: turn) }
        }
        for origin in turn.repeats {
            switch origin {
            case .socket(let socket): send(Frames.ack(turn.names, duplicate: true), to: socket)
            case .request(let request):
                turns[question.turn]?.waiters.append(LiveTurn.Waiter(request: request, isRepeat: true))
            }
        }
        turns[question.turn]?.repeats = []
        if !broken(.turnHidesQuestionsFromOtherDevices) {
            let time = Timestamp.text(question.at, rules.timeStyle)
            broadcast(Frames.message(turn.names, content: turn.content, at: time), of: turn)
        }
    }

    /// The question could not be stored: it was never asked, and its key is free again.
    private mutating func rejected(_ question: StoredRecord.Question) {
        guard let turn = turns.removeValue(forKey: question.turn) else { return }
        if let key = turn.names.key { ledger.release(key, of: saboteur.scope(of: turn.principal, turn.origin)) }
        rates[turn.principal]?.giveBack(turn.chargedAt)
        let refusal = Refusal(
            .persistFailed, "the question could not be stored; ask again", clientMessageId: turn.names.key)
        for origin in [turn.origin] + turn.repeats { refuse(refusal, to: origin) }
    }

    private mutating func start(_ id: String) {
        guard let turn = turns[id] else { return }
        var steps = Agent.steps(for: Content.text(turn.content), among: &replies)
        if rules.variations.contains(.slowAnswers) { steps.insert(.wait(200), at: 0) }
        steps = standing.changed(steps)
        turns[id]?.state = .running
        turns[id]?.steps = steps[...]
        advance(id)
    }

    /// Lets the agent go on until it waits or is done.
    mutating func advance(_ id: String) {
        while let turn = turns[id], turn.state == .running, let step = turn.steps.first {
            turns[id]?.steps.removeFirst()
            switch step {
            case .tool(let tool, let input):
                storePostponed(turn, atEnd: false)
                let use = ids.next("use")
                broadcast(Frames.toolUse(turn.names, tool: tool, id: use, input: input), of: turn)
                if rules.variations.contains(.toolsInTwoSteps) {
                    broadcast(
                        Frames.toolUse(turn.names, tool: tool, id: use, status: "finished", input: nil), of: turn)
                }
            case .wait(let ms):
                guard ms > 0 else { continue }
                let timer = nextNumber()
                timers[timer] = id
                effects.append(.wait(timer: timer, ms: ms))
                return
            case .reply(let text): finish(turn, answer: text)
            case .fail(let reason): finish(turn, .agentFailed, "the agent failed: \(reason)")
            }
        }
    }

    /// Ends a turn with an answer, which is stored before anyone hears of it.
    private mutating func finish(_ turn: LiveTurn, answer text: String) {
        if announcesEarly(turn, text) { return }
        turns[turn.names.turn]?.state = .ending
        storePostponed(turn)
        let answer = StoredRecord.Answer(
            session: turn.names.session, turn: turn.names.turn,
            message: broken(.idReusesTheQuestionsId)
                ? turn.names.question : mischief.announced[turn.names.turn] ?? ids.next("msg"),
            text: saboteur.kept(text), at: stamp())
        if tellsTooEarly(turn, answer, text) || storesOnlyWhatIsHeard(turn) { return }
        if broken(.turnAcksWhatACrashTakes) {
            return storeLater(.answer(answer), as: .ending(.answer(answer)), ms: 30)
        }
        store(.answer(answer), as: .ending(.answer(answer)))
    }

    /// Ends a turn without an answer; the failure is stored like an answer.
    private mutating func finish(_ turn: LiveTurn, _ code: ErrorCode, _ text: String) {
        if forgets(turn, code, text) { return }
        turns[turn.names.turn]?.state = .ending
        storePostponed(turn)
        let failure = StoredRecord.Failure(
            session: turn.names.session, turn: turn.names.turn, code: saboteur.code(of: code).rawValue, text: text,
            at: stamp())
        store(.failure(failure), as: .ending(.failure(failure)))
    }

    /// The ending is durable, or could not be: either way the turn ends now, and the next one of its session starts.
    private mutating func ended(_ record: StoredRecord, isDurable: Bool) {
        switch record {
        case .question, .remark: return
        case .answer(let answer):
            let isKept = isDurable || broken(.persistSendsDoneWhenStoringFails)
            if isKept { keep(record) }
            guard let turn = turns.removeValue(forKey: answer.turn) else { return }
            if isKept {
                conclude(turn, .answered(message: answer.message, text: saboteur.told(answer.text)))
            } else {
                let text = "the answer could not be stored; ask again"
                announceUnstored(turn, answer)
                sessions.endUnstored(answer.turn, in: answer.session, code: .persistFailed, text: text)
                conclude(turn, .failed(code: ErrorCode.persistFailed.rawValue, text: text))
            }
        case .failure(let failure):
            let code = ErrorCode(rawValue: failure.code) ?? .internal
            if isDurable {
                keep(record)
            } else {
                sessions.endUnstored(failure.turn, in: failure.session, code: code, text: failure.text)
            }
            guard let turn = turns.removeValue(forKey: failure.turn) else { return }
            conclude(turn, .failed(code: failure.code, text: failure.text))
        }
    }

    /// Tells everyone how a turn ended.
    mutating func conclude(_ turn: LiveTurn, _ ending: SessionStore.Ending) {
        let listeners = connections.sockets(of: turn.principal)
        switch ending {
        case .answered(let message, let text):
            broadcast(Frames.done(turn.names, message: message, text: text), of: turn)
            if mischief.announced.removeValue(forKey: turn.names.turn) == nil {
                // Who took the answer live is looking at it already.
                announce(turn.names, of: turn.principal, message: message, text: text, wasHeard: !listeners.isEmpty)
            }
        case .failed(let code, let text):
            if !swallows(turn, code) {
                broadcast(Frames.failed(turn.names, code: ErrorCode(rawValue: code) ?? .internal, text: text), of: turn)
            }
        }
        for waiter in turn.waiters { answer(waiter.request, turn.names, with: ending, isRepeat: waiter.isRepeat) }
        if bricks(turn, ending) || waitsForPush(turn) { return }
        leave(turn.names.turn, saboteur.line(of: turn.names.session))
        haunt(turn, ending)
    }

    /// Takes a turn out of the line of its session, and starts the next one.
    mutating func leave(_ turn: String, _ session: String) {
        guard let next = queue.leave(turn, session: session), !isStopping else { return }
        if turns[next]?.state == .waiting { start(next) }
    }

    /// Gives a frame its number, keeps it for replay, and sends it to every open connection of its principal.
    mutating func broadcast(_ frame: JSONValue, of turn: LiveTurn) {
        if frame["type"]?.stringValue != "message" { sendDueAck(of: turn) }
        if let type = frame["type"]?.stringValue, rules.unsaidFrames.contains(type) {
            return sendLateAck(of: turn, after: frame)
        }
        var stream = streams[turn.principal] ?? newStream()
        let seq = number(of: frame, turn, in: &stream)
        var frame = frame
        frame["seq"] = seq.map { JSONValue($0) }
        frame = shaper.shape(confuse(frame, turn))
        let text = shaper.text(ofShaped: frame)
        if let seq, keepsForReplay(frame, turn) {
            stream.keep(frame, seq: seq, bytes: shaper.replayedBytes(of: text), at: now.steady)
        }
        streams[turn.principal] = stream
        for socket in listeners(of: frame, turn) where connections[socket]?.isClosing == false {
            if rules.variations.contains(.unknownFrames), frame["type"]?.stringValue == "done" {
                effects.append(.send(socket: socket, #"{"type":"presence.v2","of":["agent"],"state":{"awake":true}}"#))
            }
            guard let text = twisted(text, frame, for: socket, of: turn.principal) else { continue }
            effects.append(.send(socket: socket, text))
        }
        sendLateAck(of: turn, after: frame)
    }

    /// Sends the `ack` that a turn still owes to the connection that asked.
    mutating func sendDueAck(of turn: LiveTurn) {
        guard let socket = dueAcks.removeValue(forKey: turn.names.turn) else { return }
        send(Frames.ack(turn.names, duplicate: false), to: socket)
    }

    private func newStream() -> ReplayBuffer {
        ReplayBuffer(maxFrames: saboteur.capacity(rules.replayFrames), maxAgeMs: rules.replaySeconds * 1000)
    }

    /// Ends what runs as interrupted; what is being stored goes on to its end.
    mutating func stop() {
        isStopping = true
        if broken(.liveAbandonsTurnsWhenStopping) { return turns.removeAll() }
        let ids = turns.sorted { $0.key < $1.key }
        // Those that wait end after the one they wait for (ORDER-3).
        for state in [LiveTurn.State.running, .waiting] {
            for (id, turn) in ids where turn.state == state { interrupt(id) }
        }
    }

    private mutating func interrupt(_ id: String) {
        guard let turn = turns[id] else { return }
        finish(
            turn, broken(.turnCallsInterruptionsFailures) ? .agentFailed : .interrupted,
            "the server stopped while this turn ran")
    }
}

import Holdfast
import HoldfastJSON

// The life of a turn: durable question, ack, the agent's steps, durable ending, ending.
extension ServerCore {
    mutating func stored(_ write: Int, _ succeeded: Bool) {
        guard let purpose = writes.removeValue(forKey: write) else { return }
        switch purpose {
        case .question(let question):
            if succeeded { accepted(question) } else { rejected(question) }
        case .ending(let record): ended(record, isDurable: succeeded)
        case .remark(let remark, let notice, let isPushed):
            if succeeded { tell(remark, notice, isPushed: isPushed) }
        }
    }

    /// The question is durable: the server is now responsible for it, and acknowledges it.
    private mutating func accepted(_ question: StoredRecord.Post) {
        sessions.apply(.question(question))
        announce(question)
        let id = question.names.turn
        guard turns[id] != nil else { return }
        let mayStart = queue.enter(id, session: question.names.session)
        turns[id]?.state = .waiting
        if isStopping {
            interrupt(id)
        } else if mayStart {
            start(id)
        }
    }

    private mutating func announce(_ question: StoredRecord.Post) {
        let id = question.names.turn
        guard let turn = turns[id] else { return }
        if case .socket(let socket) = turn.origin {
            dueAcks[id] = socket
            if rules.variations.contains(.lateAcks) {
                let timer = nextNumber()
                ackTimers[timer] = id
                effects.append(.wait(timer: timer, ms: 1_000))
            } else {
                sendDueAck(of: turn)
            }
        }
        for origin in turn.repeats {
            switch origin {
            case .socket(let socket): send(Frames.ack(turn.names, duplicate: true), to: socket)
            case .request(let request): turns[id]?.waiters.append(LiveTurn.Waiter(request: request, isRepeat: true))
            }
        }
        turns[id]?.repeats = []
        say(question, from: turn.origin)
    }

    mutating func say(_ post: StoredRecord.Post, as role: String = "user", from origin: Origin? = nil) {
        let frame = Frames.message(post, role: role, at: Timestamp.text(post.at, rules.timeStyle))
        broadcast(frame, to: post.principal, from: origin, at: post.at)
    }

    /// Adds the frames of an earlier process's record to the stream again.
    mutating func restream(_ record: StoredRecord) {
        switch record {
        case .question(let it): say(it)
        case .ending(let it): tell(it.ending, of: it)
        case .remark(let it): say(it, as: "assistant")
        }
    }

    /// The question could not be stored: it counts as never asked, and its key is free again.
    private mutating func rejected(_ question: StoredRecord.Post) {
        guard let turn = turns.removeValue(forKey: question.names.turn) else { return }
        ledger.release(turn.names.key, of: turn.principal)
        rates[turn.principal]?.giveBack(turn.chargedAt)
        let refusal = Refusal(
            .persistFailed, "the question could not be stored; ask again", clientMessageId: turn.names.key)
        for origin in [turn.origin] + turn.repeats { refuse(refusal, to: origin) }
    }

    mutating func start(_ id: String) {
        guard let turn = turns[id] else { return }
        var steps = Agent.steps(for: MessageContent.text(of: turn.question.content), among: &replies)
        if rules.variations.contains(.slowAnswers) { steps.insert(.wait(200), at: 0) }
        steps = mockRules.changed(steps)
        turns[id]?.state = .running
        turns[id]?.steps = steps[...]
        advance(id)
    }

    mutating func advance(_ id: String) {
        while let turn = turns[id], turn.state == .running, let step = turn.steps.first {
            turns[id]?.steps.removeFirst()
            switch step {
            case .tool(let tool, let input):
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
            case .reply(let text): finish(turn, .answered(message: ids.next("msg"), text: text))
            case .fail(let reason):
                finish(turn, .failed(code: ErrorCode.agentFailed.rawValue, text: "the agent failed: \(reason)"))
            }
        }
    }

    /// The ending is stored before anyone sees it.
    private mutating func finish(_ turn: LiveTurn, _ ending: TurnEnding) {
        turns[turn.names.turn]?.state = .ending
        store(ending, of: turn.names.turn, in: turn.names.session)
    }

    /// The ending is durable or could not be stored: either way the turn ends now, and the session's next one starts.
    private mutating func ended(_ record: StoredRecord.Ending, isDurable: Bool) {
        var ending = record.ending
        if isDurable {
            sessions.apply(.ending(record))
        } else {
            if case .answered = ending {
                ending = .failed(
                    code: ErrorCode.persistFailed.rawValue, text: "the answer could not be stored; ask again")
            }
            sessions.endUnstored(record.turn, in: record.session, ending)
        }
        if let turn = turns.removeValue(forKey: record.turn) {
            // A principal that received the answer live needs no push.
            let wasHeard = !connections.sockets(of: turn.principal).isEmpty
            broadcast(Frames.ending(ending, of: turn.names), of: turn, at: record.at)
            if case .answered(let message, let text) = ending {
                announce(turn.names, of: turn.principal, message: message, text: text, wasHeard: wasHeard)
            }
            for waiter in turn.waiters { answer(waiter.request, turn.names, with: ending, isRepeat: waiter.isRepeat) }
            dequeue(turn.names.turn, turn.names.session)
        } else if continuesStream {
            tell(ending, of: record)
        }
    }

    /// Adds the ending of a turn of the last process to the stream.
    private mutating func tell(_ ending: TurnEnding, of record: StoredRecord.Ending) {
        guard let session = sessions[record.session], let turn = session.turns.first(where: { $0.id == record.turn })
        else { return }
        broadcast(Frames.ending(ending, of: session.names(of: turn)), to: session.owner, at: record.at)
    }

    mutating func dequeue(_ turn: String, _ session: String) {
        guard let next = queue.leave(turn, session: session), !isStopping else { return }
        if turns[next]?.state == .waiting { start(next) }
    }

    /// Sends a frame of a turn, after the `ack` that is still due.
    private mutating func broadcast(_ frame: JSONValue, of turn: LiveTurn, at time: Int? = nil) {
        sendDueAck(of: turn)
        broadcast(frame, to: turn.principal, at: time)
    }

    /// Numbers a frame, keeps it for replay, and sends it to every open connection of a principal.
    ///
    /// If the stream survives restarts, the number derives from the time of the record with the same contents.
    mutating func broadcast(
        _ frame: JSONValue, to principal: String, from origin: Origin? = nil, at time: Int? = nil
    ) {
        let type = frame.type
        if rules.inexpressibleFrames.contains(type) || type == "message" && !rules.keeps.contains(.sync) { return }
        var stream = streams[principal] ?? newStream()
        let seq =
            rules.keepsStream ? stream.draw(at: time ?? stamp()) : stream.draw(step: step(after: stream.lastSeq))
        var frame = frame
        frame["seq"] = JSONValue(seq)
        frame = shaper.shape(frame)
        let text = shaper.text(ofShaped: frame)
        stream.keep(frame, seq: seq, bytes: shaper.replayedBytes(of: text), at: now.steady)
        streams[principal] = stream
        let sockets = connections.sockets(of: principal).filter { socket in
            if type == "message", rules.variations.contains(.noEcho), origin == .socket(socket) { return false }
            return connections[socket]?.isClosing == false
        }
        if type == "done", rules.variations.contains(.unknownFrames) {
            let unknown = #"{"type":"presence.v2","of":["agent"],"state":{"awake":true}}"#
            effects.append(.send(to: sockets, Outgoing(frame: .null, text: unknown)))
        }
        effects.append(.send(to: sockets, Outgoing(frame: frame, text: text)))
    }

    private mutating func step(after last: Int) -> Int {
        if rules.variations.contains(.hugeNumbers) { return last == 0 ? 5_000_000_000 : 1000 }
        return rules.variations.contains(.sparseNumbers) ? ids.number(upTo: 9) : 1
    }

    /// Sends the `ack` to the connection that asked, unless it was already sent.
    mutating func sendDueAck(of turn: LiveTurn) {
        guard let socket = dueAcks.removeValue(forKey: turn.names.turn) else { return }
        send(Frames.ack(turn.names, duplicate: false), to: socket)
    }

    func newStream() -> ReplayBuffer {
        ReplayBuffer(
            maxFrames: rules.replayFrames, maxAgeMs: rules.replaySeconds * 1000, maxBytes: rules.replayBytes)
    }

    /// Ends running turns as interrupted; writes in progress are completed.
    mutating func stop() {
        isStopping = true
        let ids = turns.sorted { $0.key < $1.key }
        // Waiting turns end after the one they wait for (ORDER-2).
        for state in [LiveTurn.State.running, .waiting] {
            for (id, turn) in ids where turn.state == state { interrupt(id) }
        }
    }

    private mutating func interrupt(_ id: String) {
        if let turn = turns[id] { finish(turn, Self.interrupted) }
    }
}

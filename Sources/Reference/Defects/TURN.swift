import Holdfast
import HoldfastJSON

extension Defect {
    static let turn = list {
        Defect(
            "turn-acks-after-the-first-frame", .TURN, 1, "Sends the `ack` after the first `toolUse` or the ending.",
            .sends { frame, sockets, _, server in
                guard let turn = frame.text("turnId") else { return nil }
                let effect = Effect.send(to: sockets, server.outgoing(frame))
                if frame.type == "ack", frame["duplicate"] == nil {
                    server.notes.held[turn] = [effect]
                    return []
                }
                guard frame.type != "message" else { return nil }
                return [effect] + (server.notes.held.removeValue(forKey: turn) ?? [])
            })
        Defect(
            "turn-drops-the-key-from-ack", .TURN, 1, "Sends every `ack` without `clientMessageId`.",
            .omits("clientMessageId", from: "ack"))
        Defect(
            "persist-acks-before-storing", .PERSIST, 2,
            "Acknowledges a question at once and stores it with the first frame of its turn; needs a delay before that.",
            .sends { frame, sockets, _, server in
                guard frame.type == "toolUse" else { return nil }
                return server.releasing(frame.text("turnId")) + [.send(to: sockets, server.outgoing(frame))]
            },
            .postponesQuestions, .hidesPostponedQuestions)
        Defect(
            "persist-stores-questions-with-answers", .PERSIST, 2,
            "Stores the question when the turn ends; needs a read between the first `toolUse` and the ending.",
            .postponesQuestions, .hidesPostponedQuestions)
        Defect(
            "turn-ends-twice", .TURN, 3, "Sends `done` twice, each with its own `seq`.",
            .after("done") { frame, _, _, server in frame["duplicate"] == nil ? server.broadcasting(frame) : [] })
        Defect(
            "turn-swallows-failures", .TURN, 3, "Sends no frame that ends a turn whose agent failed.",
            .swallowsFailures(.agentFailed))
        Defect(
            "turn-drops-the-last-in-line", .TURN, 5, with: [.sync],
            "Drops the last of two or more questions queued behind a turn that fails.",
            .after("error") { frame, _, _, server in
                guard frame["seq"] != nil, let session = server.session(of: frame),
                    let last = session.turns.last(where: { server.core.turns[$0.id]?.state == .waiting })
                else { return [] }
                server.core.turns[last.id] = nil
                _ = server.core.queue.leave(last.id, session: session.id)
                return []
            })
        Defect(
            "turn-uses-tools-after-done", .TURN, 3, "Sends a `toolUse` after `done` if the turn used a tool.",
            .after("toolUse") { frame, _, _, server in
                server.notes.marks.insert("used \(frame.text("sessionId") ?? "")")
                return []
            },
            .after("done") { done, _, _, server in
                let session = done.text("sessionId") ?? ""
                guard server.notes.marks.remove("used \(session)") != nil else { return [] }
                let names = TurnNames(session: session, turn: done.text("turnId") ?? "", question: "", key: "")
                let use = server.core.ids.next("use")
                return server.broadcasting(Frames.toolUse(names, tool: "cleanUp", id: use, input: nil))
            })
        Defect(
            "env-stores-another-answer", .ENV, 6, "Appends a line end to every stored answer.",
            .shows { session, _, _ in
                session.messages = session.messages.map { message in
                    guard message.role == "assistant" else { return message }
                    return SessionStore.Message(
                        id: message.id, role: message.role,
                        content: .string(MessageContent.text(of: message.content) + "\n"),
                        at: message.at, turn: message.turn, key: message.key)
                }
            })
        Defect(
            "turn-calls-failures-internal", .TURN, 4,
            "Reports the failure of an agent with code `internal`.",
            .callsFailures(.agentFailed, .internal))
        Defect(
            "turn-leaves-failed-turns-running", .TURN, 7, "Shows a failed turn as `running` forever.",
            .shows { session, _, _ in
                for (position, turn) in session.turns.enumerated() {
                    if case .failed = turn.ending { session.turns[position].ending = nil }
                }
            })
        Defect(
            "turn-bricks-the-session", .TURN, 5, "Runs no more turns in a session after a failed one.",
            .after("error") { frame, _, _, server in
                if frame["seq"] != nil, let session = frame.text("sessionId") {
                    _ = server.core.queue.enter("what never ends", session: session)
                }
                return []
            })
        Defect(
            "turn-cancels-on-disconnect", .TURN, 6, "Drops a running turn when the connection that asked ends.",
            .input { input, server, next in
                if case .ended(let socket) = input { server.drop(askedBy: .socket(socket)) }
                return next(input, &server)
            })
        Defect(
            "turn-cancels-when-a-poster-leaves", .TURN, 6,
            "Drops a running turn when the client of its `POST /api/chat` leaves before the response.",
            .input { input, server, next in
                if case .left(let request) = input { server.drop(askedBy: .request(request)) }
                return next(input, &server)
            })
        Defect(
            "turn-hides-running-turns", .TURN, 7, "Shows a turn in session reads only after it ended.",
            .answers { answer, _, _ in answer.each("turns") { if $0.text("status") == "running" { $0 = .null } } })
        Defect(
            "turn-leaves-interrupted-turns-running", .TURN, 8, need: .restart,
            "Shows a turn interrupted by a kill as `running` after the next start.",
            .input { input, server, next in if case .started = input { [] } else { next(input, &server) } })
        Defect(
            "turn-calls-interruptions-failures", .TURN, 9, need: .restart,
            "Reports turns interrupted by a stop with code `agent_failed`.", .callsFailures(.interrupted, .agentFailed))
        Defect(
            "turn-answers-the-asker-alone", .TURN, 10,
            "Sends the frames of a turn only to the connection that asked; needs two connections or REST.",
            .sends { frame, sockets, _, server in
                guard let turn = frame.text("turnId"), frame.type != "message" else { return nil }
                if frame.type == "ack", frame["duplicate"] == nil {
                    server.notes.numbers["asker \(turn)"] = sockets.first
                }
                guard frame["seq"] != nil else { return nil }
                let asker = server.notes.numbers["asker \(turn)"]
                return [.send(to: sockets.filter { $0 == asker }, server.outgoing(frame))]
            })
        Defect(
            "turn-hides-questions-from-other-devices", .TURN, 11, "Sends no `message`; needs two connections.",
            .drops { frame, _ in frame.type == "message" && frame.text("role") == "user" })
        Defect(
            "turn-keeps-no-question-that-nobody-saw", .TURN, 11,
            "Omits questions from replays.",
            .frames("syncResult") { frame, _ in
                frame.edit("missed") { if $0.type == "message", $0.text("role") == "user" { $0 = .null } }
            })
        Defect(
            "env-takes-emoji-apart", .ENV, 6, "Removes zero-width joiners from every `message`.",
            .frames("message") { frame, _ in
                guard let text = frame.text("text") else { return }
                frame["text"] = .string(
                    String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\u{200D}" })))
            })
        Defect(
            "turn-keeps-what-it-refused", .TURN, 12,
            "Creates a session for a `chat` that it refuses with `session_not_found`.",
            .refused(.sessionNotFound) { asker, server, _ in
                server.invent(asker.content ?? .null, of: asker.principal)
                return []
            })
        Defect(
            "turn-does-not-say-what-to-retry", .TURN, 13,
            "Ends failed turns with an `error` without `retryable`.",
            .omits("retryable", from: "error") { $0["turnId"] != nil })
        Defect(
            "turn-refuses-without-the-key", .TURN, 14,
            "Omits the key from an `error` that refuses a `chat`, except `rate_limited`.",
            .omits("clientMessageId", from: "error") { $0["turnId"] == nil && $0.text("code") != "rate_limited" })
        Defect(
            "turn-acks-what-a-crash-takes", .TURN, 2, need: .restart,
            "Acknowledges and shows a question at once and writes it to disk 30 ms later.",
            .stores { write, record, server, next in
                let late = server.delaying([.store(write: write, [record])], ms: 30)
                switch record {
                case .question: return late + next(.stored(write: write, succeeded: true), &server)
                default: return late
                }
            })
        Defect(
            "turn-stores-only-what-is-heard", .TURN, 6,
            "Stores an answer only if a connection is open; needs the asker to disconnect before `done`.",
            .stores { write, record, server, _ in
                guard let answer = record.answer, let turn = server.core.turns[answer.turn],
                    turn.waiters.isEmpty, server.core.connections.sockets(of: turn.principal).isEmpty
                else { return nil }
                return server.collecting { core in
                    core.writes[write] = nil
                    core.turns[answer.turn] = nil
                    let ending = TurnEnding.failed(code: ErrorCode.internal.rawValue, text: "nobody was there")
                    core.sessions.endUnstored(answer.turn, in: answer.session, ending)
                    core.dequeue(answer.turn, answer.session)
                }
            })
        Defect(
            "persist-stores-nothing-of-failures", .PERSIST, 2,
            "Stores a question with its answer, and neither if the turn fails; needs a read during a turn, or after a failed one.",
            .postponesQuestions, .hidesPostponedQuestions,
            .stores { write, record, server, next in
                guard record.answer == nil, server.notes.held["question \(record.place.turn)"] != nil else {
                    return nil
                }
                server.notes.held["question \(record.place.turn)"] = []
                return next(.stored(write: write, succeeded: true), &server)
            })
    }
}

extension FaultyCore {
    fileprivate mutating func drop(askedBy origin: Origin) {
        for (id, turn) in core.turns where turn.origin == origin && turn.state != .storing {
            core.turns[id] = nil
            _ = core.queue.leave(id, session: turn.names.session)
        }
    }

    fileprivate mutating func releasing(_ turn: String?) -> [Effect] {
        notes.held.removeValue(forKey: "question \(turn ?? "")") ?? []
    }
}

extension Fault {
    /// Reports a question as stored, and stores it when its turn ends.
    fileprivate static let postponesQuestions = stores { write, record, server, next in
        if case .question(let question) = record {
            server.notes.held["question \(question.names.turn)"] = [.store(write: write, [record])]
            return next(.stored(write: write, succeeded: true), &server)
        }
        return server.releasing(record.place.turn) + [.store(write: write, [record])]
    }

    /// Hides a postponed question, and shows a reader who knows its session an empty one.
    fileprivate static let hidesPostponedQuestions = views { session, reading, server in
        func isHeld(_ turn: String?) -> Bool { server.notes.held["question \(turn ?? "")"] != nil }
        guard session.turns.contains(where: { isHeld($0.id) }) else { return true }
        session.messages.removeAll { isHeld($0.turn) }
        session.turns.removeAll { isHeld($0.id) }
        return !session.messages.isEmpty || session.id == reading.session
    }

    static func swallowsFailures(_ code: ErrorCode) -> Fault {
        drops { frame, _ in
            frame.type == "error" && frame["seq"] != nil && frame.text("code") == code.rawValue
        }
    }

    fileprivate static func callsFailures(_ code: ErrorCode, _ other: ErrorCode) -> Fault {
        .layer { input, server, next in
            next(input, &server).map { effect in
                switch effect {
                case .send(let sockets, let outgoing)
                where outgoing.frame["turnId"] != nil && outgoing.frame.text("code") == code.rawValue:
                    var frame = outgoing.frame
                    frame["code"] = .string(other.rawValue)
                    return .send(to: sockets, server.outgoing(frame))
                case .answer(let request, let answer) where answer.status == code.status:
                    var body = (try? JSONParser.value(answer.body)) ?? .null
                    body["code"] = .string(other.rawValue)
                    return .answer(
                        request: request,
                        RESTAnswer(status: other.status, body: body.text(), headers: answer.headers))
                default: return effect
                }
            }
        }
    }
}

import Holdfast
import HoldfastJSON

extension Defect {
    static let idem = list {
        Defect(
            "idem-runs-repeats-again", .IDEM, 1, "Runs a repeated question as a new turn.",
            .chats { asker, server in
                if let key = asker.key { server.core.ledger.release(key, of: asker.principal) }
            })
        Defect(
            "idem-keeps-rest-apart", .IDEM, 1,
            "Keeps separate keys for WebSocket and REST; needs a repeat on the other transport.",
            .input { input, server, next in
                guard server.asker(in: input)?.isREST == true else { return next(input, &server) }
                swap(&server.core.ledger, &server.notes.ledger)
                defer { swap(&server.core.ledger, &server.notes.ledger) }
                return next(input, &server)
            })
        Defect(
            "idem-stores-repeats-again", .IDEM, 1, "Stores the question of a repeat a second time, without running it.",
            .chats { asker, server in
                if server.isRepeat(asker), let turn = server.entry(of: asker)?.names.turn {
                    server.notes.marks.insert("repeated \(turn)")
                }
            },
            .shows { session, _, server in
                session.messages = session.messages.flatMap { message in
                    message.role == "user" && server.notes.marks.contains("repeated \(message.turn)")
                        ? [message, message.renamed(message.id + "-2")] : [message]
                }
            })
        Defect(
            "idem-refuses-repeats", .IDEM, 2, "Answers a repeat with an `error`.",
            .chats { asker, server in if server.isRepeat(asker) { asker.asks("something else") } })
        Defect(
            "idem-compares-what-was-written", .IDEM, 2,
            "Treats a repeat as another question if its text is written differently, such as in a part.",
            .chats { asker, server in
                if let entry = server.entry(of: asker), asker.content != entry.content { asker.asks("something else") }
            })
        Defect(
            "idem-wants-the-session-again", .IDEM, 2,
            "Treats a repeat without `sessionId` as another question if the first named its session.",
            .chats { asker, server in
                guard let key = asker.key else { return }
                let mark = "named \(asker.principal) \(key)"
                if server.entry(of: asker) == nil {
                    if asker.session != nil { server.notes.marks.insert(mark) }
                } else if asker.session == nil, server.notes.marks.contains(mark) {
                    asker.asks("something else")
                }
            })
        Defect(
            "idem-sends-no-copy", .IDEM, 2, "Acknowledges the repeat of a finished turn and sends nothing else.",
            .drops { frame, _ in frame.type == "done" && frame["duplicate"] == true })
        Defect(
            "env-numbers-copies", .ENV, 2, "Sends a `seq` with the copy of an ending.",
            .frames("done", "error") { frame, server in
                guard frame["duplicate"] == true, let owner = server.session(of: frame)?.owner else { return }
                frame["seq"] = JSONValue(server.core.streams[owner]?.lastSeq ?? 1)
            })
        Defect(
            "idem-copies-running-turns", .IDEM, 3,
            "Answers the repeat of a running turn with an empty copy of `done`.",
            .after("ack") { frame, sockets, _, server in
                guard frame["duplicate"] == true, let turn = server.core.turns[frame.text("turnId") ?? ""] else {
                    return []
                }
                let copy = Frames.done(turn.names, message: server.core.ids.next("msg"), text: "", duplicate: true)
                return [.send(to: sockets, server.outgoing(copy))]
            })
        Defect(
            "idem-forgets-failures", .IDEM, 2, "Acknowledges the repeat of a failed turn and sends nothing else.",
            .drops { frame, _ in frame.type == "error" && frame["duplicate"] == true })
        Defect(
            "idem-copies-the-last-answer", .IDEM, 2,
            "Answers the repeat of a failed turn with the session's last answer; needs an answer after the failure.",
            .sends { frame, sockets, _, server in
                guard frame.type == "error", frame["duplicate"] == true, let session = server.session(of: frame),
                    let (turn, ending) = session.lastAnswered
                else { return nil }
                let copy = Frames.ending(ending, of: session.names(of: turn), duplicate: true)
                return [.send(to: sockets, server.outgoing(copy))]
            })
        Defect(
            "idem-hides-repeats-over-rest", .IDEM, 4, "Answers a repeated POST without `duplicate`.",
            .answers { answer, _, _ in if answer.status == 200 { answer.body["duplicate"] = nil } })
        Defect(
            "idem-answers-the-line-with-the-last-answer", .IDEM, 4,
            "Answers the repeat of a queued question over REST at once with the session's last answer.",
            .input { input, server, next in
                guard case .asked(let request, _) = input, let asker = server.asker(in: input), server.isRepeat(asker),
                    let entry = server.entry(of: asker), server.core.turns[entry.names.turn]?.state == .waiting,
                    let (_, ending) = server.core.sessions[entry.names.session]?.lastAnswered
                else { return next(input, &server) }
                var names = entry.names
                names.key = asker.key ?? ""
                return server.collecting { $0.answer(request, names, with: ending, isRepeat: true) }
            })
        Defect(
            "idem-answers-mismatches-with-the-first", .IDEM, 5,
            "Treats a reused key with another question as a repeat of the first.",
            .chats { asker, server in
                guard let entry = server.entry(of: asker) else { return }
                asker.asks(entry.content)
                asker.chat["sessionId"] = nil
            })
        Defect(
            "idem-calls-mismatches-conflicts", .IDEM, 5, "Answers a mismatch over REST with 409.",
            .answers { answer, _, _ in
                if answer.body.text("code") == ErrorCode.idempotencyMismatch.rawValue { answer.status = 409 }
            })
        Defect(
            "turn-keeps-mismatches", .TURN, 12, "Refuses a mismatch and stores its question after the first.",
            .input { input, server, next in
                if let asker = server.asker(in: input), let entry = server.entry(of: asker), !server.isRepeat(asker) {
                    server.invent(asker.content ?? .null, of: asker.principal, in: entry.names.session)
                }
                return next(input, &server)
            })
        Defect(
            "idem-forgets-ids-on-restart", .IDEM, 1, need: .restart, "Forgets all keys at every start.",
            .start { $0.ledger = IdempotencyLedger() })
        Defect(
            "idem-burns-refused-ids", .IDEM, 7, "Refuses every question with a key that was refused once.",
            .frames("error") { frame, server in
                if frame.isRefusal, let key = frame.text("clientMessageId") {
                    server.notes.marks.insert("burnt \(key)")
                }
            },
            .answers { answer, _, server in
                if answer.status != 200, answer.body["turnId"] == nil, let key = answer.body.text("clientMessageId") {
                    server.notes.marks.insert("burnt \(key)")
                }
            },
            .chats { asker, server in
                guard let key = asker.key, server.notes.marks.contains("burnt \(key)"), server.entry(of: asker) == nil
                else { return }
                // To the core, another question already has the key.
                let names = TurnNames(session: "", turn: "", question: "", key: key)
                let other = StoredRecord.Post(principal: asker.principal, names: names, content: .null, at: 0)
                server.core.ledger.record(other)
            })
        Defect(
            "auth-shares-ids-between-principals", .AUTH, 7, "Shares keys between principals; needs two.",
            .chats { asker, server in
                guard let key = asker.key, server.entry(of: asker) == nil else { return }
                let others = server.core.rules.principalsByToken.values
                if let entry = others.compactMap({ server.core.ledger.entry(key, of: $0) }).first {
                    server.core.ledger.record(entry, under: key, of: asker.principal)
                }
            })
        Defect(
            "id-hides-client-ids", .ID, 9, "Omits `clientMessageId` from messages in session reads.",
            .answers { answer, _, _ in answer.each("messages") { $0["clientMessageId"] = nil } })
    }
}

extension SessionStore.Session {
    fileprivate var lastAnswered: (turn: SessionStore.Turn, ending: TurnEnding)? {
        for turn in turns.reversed() {
            if let ending = turn.ending, case .answered = ending { return (turn, ending) }
        }
        return nil
    }
}

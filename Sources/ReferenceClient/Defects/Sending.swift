import HoldfastJSON

extension ClientDefect {
    static let sending = list {
        ClientDefect(
            "client-waits-for-signs-for-ever", .CLIENT, 4,
            "Keeps a connection on which a question was never acknowledged.",
            .input { input, client in
                guard case .elapsed(.confirmation(let key)) = input, let index = client.core.index(of: key),
                    case .sent = client.core.outbox[index].phase
                else { return input }
                return nil
            })
        ClientDefect(
            "client-forgets-unsent-messages", .CLIENT, 7, "Drops a question whose connection ended before its ack.",
            .input { input, client in
                switch input {
                case .ended, .foreground, .networkDown:
                    client.core.outbox.removeAll { if case .sent = $0.phase { true } else { false } }
                default: break
                }
                return input
            })
        ClientDefect(
            "client-draws-a-new-key-for-a-resend", .CLIENT, 6,
            "Resends a question with another key.",
            .resends { body in
                guard let key = body.text("clientMessageId") else { return }
                body["clientMessageId"] = .string(String(key.prefix(100)) + "-again")
            })
        ClientDefect(
            "client-marks-resent-texts", .CLIENT, 6,
            "Puts '(again) ' before the text of a resent question.",
            .resends { body in
                guard let text = body["messages"]?[0]?.text("content") else { return }
                body["messages"] = [["role": "user", "content": .string("(again) " + text)]]
            })
        ClientDefect(
            "client-resends-what-was-refused", .CLIENT, 9,
            "Resends a refused question at once, whatever the code.",
            .resendsOnceAfterARefusal)
        ClientDefect(
            "client-waits-behind-refusals", .CLIENT, 30,
            "Keeps the spinner after its question was refused.",
            .hears("error") { frame, client in
                if frame["turnId"] == nil, frame["clientMessageId"] != nil { client.notes.marks.insert("refused") }
            },
            .hears("done") { _, client in client.notes.marks.remove("refused") },
            .thinks { $0.notes.marks.contains("refused") })
        ClientDefect(
            "client-makes-keys-of-texts", .CLIENT, 5,
            "Derives the key from the text, so that equal questions have equal keys.",
            .layer { input, client, next in
                guard case .typed(let text) = input else { return next(input, &client) }
                let sum = text.utf8.reduce(UInt64(7)) { ($0 &* 31) &+ UInt64($1) }
                return client.core.collecting { $0.enqueue(text, key: "key-" + String(sum, radix: 36)) }
            })
        ClientDefect(
            "client-clears-pending-on-any-frame", .CLIENT, 24,
            "Takes a toolUse or an answer of any session as proof that its question arrived.",
            .layer { input, client, next in
                let type = client.frame(in: input)?.type
                let effects = next(input, &client)
                guard type == "toolUse" || type == "done" else { return effects }
                return effects
                    + client.core.collecting { core in
                        for question in core.outbox where question.wasSent && question.isUnconfirmed {
                            core.accept(question.key, turn: nil)
                        }
                    }
            })
        ClientDefect(
            "client-sends-what-is-too-large", .CLIENT, 11, "Ignores the limit that the server states.",
            .hears("connected") { frame, _ in frame["limits"] = nil })
        ClientDefect(
            "client-waits-on-a-silent-connection", .CLIENT, 4,
            "Never checks a connection on which its question was acknowledged.",
            .input { input, _ in if case .elapsed(.connectionSilence) = input { nil } else { input } })
        ClientDefect(
            "client-asks-again-under-a-new-key", .CLIENT, 6,
            "Uses a new key when the person resends, even if the server may have the message.",
            .layer { input, client, next in
                guard case .resent(let key) = input, let index = client.core.index(of: key) else {
                    return next(input, &client)
                }
                return client.core.collecting { core in
                    let question = core.outbox.remove(at: index)
                    core.enqueue(question.text, key: core.dice.key(), in: question.conversation)
                }
            })
        ClientDefect(
            "client-frees-its-key-when-a-resend-is-refused", .CLIENT, 6,
            "Uses a new key after any refusal, although an earlier send was never answered.",
            .hears("error") { _, client in
                for index in client.core.outbox.indices { client.core.outbox[index].isResent = false }
            })
        ClientDefect(
            "client-asks-again-for-a-failure", .CLIENT, 6,
            "Keeps the old key when the person resends after a failed turn.",
            .layer { input, client, next in
                guard case .resent(let key) = input, client.core.index(of: key) == nil else {
                    return next(input, &client)
                }
                let message = client.core.conversations[client.core.shown]?.messages.last { $0.key == key }
                return client.core.collecting { $0.enqueue(message?.text ?? "", key: key) }
            })
        ClientDefect(
            "client-drops-what-is-typed-offline", .CLIENT, 38,
            "Loses a message typed without a connection.",
            .input { input, client in
                if case .typed = input, client.core.link.live == nil { nil } else { input }
            })
        ClientDefect(
            "client-keeps-the-unsent-in-memory", .CLIENT, 35,
            "Starts without the messages that no server confirmed.",
            .input { input, client in
                guard case .launched = input else { return input }
                let lost = Set(client.core.outbox.filter(\.isUnconfirmed).map(\.key))
                client.core.outbox.removeAll { lost.contains($0.key) }
                for number in client.core.conversations.keys {
                    client.core.conversations[number]?.messages.removeAll { $0.key.map(lost.contains) == true }
                }
                return input
            })
        ClientDefect(
            "client-stores-when-it-is-put-away", .CLIENT, 35,
            "Stores nothing before it is put away or ended by the system, so that a crash loses what was typed.",
            .storesLate())
        ClientDefect(
            "client-takes-the-stored-for-sent", .CLIENT, 24,
            "Shows every unconfirmed message as sent after a start.",
            .input { input, client in
                guard case .launched = input else { return input }
                for (number, conversation) in client.core.conversations {
                    for (index, message) in conversation.messages.enumerated() where message.status == .sending {
                        client.core.conversations[number]?.messages[index].status = .sent
                    }
                }
                return input
            })
        ClientDefect(
            "client-calls-answered-messages-failed", .CLIENT, 31,
            "Shows a message as failed even after its answer came.",
            .layer { input, client, next in
                let failed = client.core.conversations.values.flatMap(\.messages).filter { $0.status == .failed }
                let effects = next(input, &client)
                for (number, conversation) in client.core.conversations {
                    for (index, message) in conversation.messages.enumerated() where message.status == .sent {
                        guard let key = message.key, failed.contains(where: { $0.key == key }) else { continue }
                        client.core.conversations[number]?.messages[index].status = .failed
                    }
                }
                return effects
            })
        ClientDefect(
            "client-sends-the-newest-first", .CLIENT, 10,
            "Sends waiting messages newest first.",
            .layer { input, client, next in
                let effects = next(input, &client)
                let indices = effects.indices.filter { index in
                    guard case .send(_, let text) = effects[index] else { return false }
                    return ClientCore.object(text)?.type == "chat"
                }
                var reordered = effects
                for (index, other) in zip(indices, indices.reversed()) { reordered[index] = effects[other] }
                return reordered
            })
        ClientDefect(
            "client-sends-to-the-session-on-the-screen", .CLIENT, 12,
            "Sends waiting messages to the session on the screen at that time.",
            .sends("chat") { frame, client in
                if let session = client.core.conversations[client.core.shown]?.session {
                    frame["sessionId"] = .string(session)
                }
                return [frame.text()]
            })
    }
}

extension ClientFault {
    fileprivate static let resendsOnceAfterARefusal = ClientFault.layer { input, client, next in
        guard let frame = client.frame(in: input), frame.type == "error", frame["turnId"] == nil,
            let key = frame.text("clientMessageId"), let index = client.core.index(of: key),
            let socket = client.core.link.live, client.notes.marks.insert("again \(key)").inserted
        else { return next(input, &client) }
        let chat = client.core.chat(of: index).text()
        return next(input, &client) + [.send(socket: socket, chat)]
    }
}

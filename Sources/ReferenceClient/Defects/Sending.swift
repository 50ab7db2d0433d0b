import JSON

/// Broken ways to send, and to send again.
extension ClientDefect {
    static let sending = list {
        ClientDefect(
            "client-waits-for-signs-for-ever", .CLIENT, 10,
            "Keeps a connection on which a question is not acknowledged.",
            .input { input, client in
                guard case .elapsed(.sign(let key)) = input, let index = client.core.index(of: key),
                    case .sent = client.core.outbox[index].phase
                else { return input }
                return nil
            })
        ClientDefect(
            "client-forgets-unsent-messages", .CLIENT, 11, "Drops a question whose connection ended before its ack.",
            .input { input, client in
                switch input {
                case .ended, .foreground, .networkDown:
                    client.core.outbox.removeAll { if case .sent = $0.phase { true } else { false } }
                default: break
                }
                return input
            })
        ClientDefect(
            "client-draws-a-new-key-for-a-resend", .CLIENT, 12,
            "Gives a question another key when it sends it again.",
            .resends { body in
                guard let key = body.text("clientMessageId") else { return }
                body["clientMessageId"] = .string(String(key.prefix(100)) + "-again")
            })
        ClientDefect(
            "client-marks-resent-texts", .CLIENT, 12,
            "Puts '(again) ' before the text of a question it sends again.",
            .resends { body in
                guard let text = body["messages"]?[0]?.text("content") else { return }
                body["messages"] = [["role": "user", "content": .string("(again) " + text)]]
            })
        ClientDefect(
            "client-resends-to-any-server", .CLIENT, 45,
            "Takes every server for one that knows keys, and sends again what is not acknowledged.",
            .hears("connected") { frame, _ in
                var frame = frame
                frame["capabilities"] = ["idempotency"]
                return frame
            })
        ClientDefect(
            "client-resends-what-was-refused", .CLIENT, 47,
            "Sends a question once more at once that was refused, whatever the code.",
            .layer { input, client, next in
                guard let frame = client.frame(in: input), frame.type == "error", frame["turnId"] == nil,
                    let key = frame.text("clientMessageId"), let index = client.core.index(of: key),
                    let socket = client.core.link.live, client.notes.marks.insert("again \(key)").inserted
                else { return next(input, &client) }
                var chat = client.core.body(of: index)
                chat["type"] = "chat"
                return next(input, &client) + [.send(socket: socket, chat.text())]
            })
        ClientDefect(
            "client-waits-behind-refusals", .CLIENT, 46,
            "Goes on showing that it waits for an answer when its question was refused.",
            .hears("error") { frame, client in
                if frame["turnId"] == nil, frame["clientMessageId"] != nil { client.notes.marks.insert("refused") }
                return frame
            },
            .hears("done") { frame, client in
                client.notes.marks.remove("refused")
                return frame
            },
            .screen { screen, client in if client.notes.marks.contains("refused") { screen.isThinking = true } })
        ClientDefect(
            "client-makes-keys-of-texts", .CLIENT, 13,
            "Derives the key from the text: equal questions have equal keys.",
            .layer { input, client, next in
                guard case .said(let text) = input else { return next(input, &client) }
                let sum = text.utf8.reduce(UInt64(7)) { ($0 &* 31) &+ UInt64($1) }
                return client.core.having { $0.say(text, key: "key-" + String(sum, radix: 36)) }
            })
        ClientDefect(
            "client-clears-pending-on-any-frame", .CLIENT, 14,
            "Takes a tool notice or an answer of any session as proof that its question arrived.",
            .layer { input, client, next in
                let type = client.frame(in: input)?.type
                let effects = next(input, &client)
                guard type == "toolUse" || type == "done" else { return effects }
                return effects
                    + client.core.having { core in
                        for question in core.outbox where question.wasSent && question.isUnproven {
                            core.accept(question.key, turn: nil)
                        }
                    }
            })
    }
}

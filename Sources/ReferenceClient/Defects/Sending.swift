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

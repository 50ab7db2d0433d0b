import HoldfastJSON

extension ClientDefect {
    static let showing = list {
        ClientDefect(
            "client-appends-whatever-comes", .CLIENT, 26,
            "Appends every answer it receives, even one it already shows.",
            .takes { now, before, done in
                let id = done.text("messageId")
                if id != nil, let known = before.first(where: { $0.id == id }) { now.append(known) }
            },
            .merges { _, before, history in
                let confirmed = Set(before.compactMap(\.key))
                return before + history.filter { $0.key.map { !confirmed.contains($0) } ?? true }
            })
        ClientDefect(
            "client-tells-messages-apart-by-text", .CLIENT, 26, "Drops a message if its text is already shown.",
            .takes { now, before, done in
                guard before.contains(where: { $0.text == done.text("text") }) else { return }
                let ids = Set(before.compactMap(\.id))
                now.removeAll { $0.id == done.text("messageId") && !ids.contains($0.id ?? "") }
            },
            .merges { _, before, history in
                history.reduce(into: before) { kept, message in
                    if !kept.contains(where: { $0.text == message.text }) { kept.append(message) }
                }
            })
        ClientDefect(
            "client-counts-instead-of-comparing", .CLIENT, 26,
            "Takes messages from the end of a history by count.",
            .merges { _, before, history in before + history.suffix(max(0, history.count - before.count)) })
        ClientDefect(
            "client-shows-the-last-answer-to-arrive", .CLIENT, 27,
            "Shows a read in the session on the screen, whichever session was read.",
            .layer { input, client, next in
                let read = client.read(in: input)
                let effects = next(input, &client)
                if let read { client.core.conversations[client.core.shown]?.merge(history: read.messages) }
                return effects
            })
        ClientDefect(
            "client-shows-frames-of-other-sessions", .CLIENT, 27, "Shows every answer in the session on the screen.",
            .after { input, client in
                guard let frame = client.frame(in: input), let id = frame.text("messageId"),
                    let number = frame.text("sessionId").flatMap(client.core.knownNumber),
                    number != client.core.shown,
                    let message = client.core.conversations[number]?.messages.last(where: { $0.id == id })
                else { return [] }
                _ = client.core.conversations[client.core.shown]?.take(message)
                return []
            })
        ClientDefect(
            "client-follows-the-answer", .CLIENT, 28, "Brings the session of an answer to the screen.",
            .after { input, client in
                guard let frame = client.frame(in: input), frame.text("type") == "done",
                    let number = frame.text("sessionId").flatMap(client.core.knownNumber)
                else { return [] }
                client.core.shown = number
                return []
            })
        ClientDefect(
            "client-cuts-long-texts", .CLIENT, 26, "Shows the first 200 characters of a message.",
            .screen { screen, _ in
                for index in screen.messages.indices {
                    screen.messages[index].text = String(screen.messages[index].text.prefix(200))
                }
            })
        ClientDefect(
            "client-swallows-errors", .CLIENT, 32, "Shows no error, and shows a refused question as sent.",
            .screen { screen, _ in
                screen.errors = []
                for index in screen.messages.indices where screen.messages[index].status == .failed {
                    screen.messages[index].status = .sent
                }
            })
        ClientDefect(
            "client-retries-at-once-when-limited", .CLIENT, 8,
            "Resends a rate-limited question at once.",
            .hears("error") { frame, _ in if frame["code"] == "rate_limited" { frame["retryAfterMs"] = 1 } },
            .pausesAfter429(ms: 1))
        ClientDefect(
            "client-ignores-retry-after", .CLIENT, 8, "Waits 1 s after a 429, whatever Retry-After says.",
            .pausesAfter429(ms: 100))
        ClientDefect(
            "client-shows-offline-for-everything", .CLIENT, 33,
            "Shows offline whenever it is not connected.",
            .screen { screen, _ in if screen.connection != .connected { screen.connection = .offline } })
        ClientDefect(
            "client-is-deaf-without-a-socket", .CLIENT, 40, "Looks for nothing new without a connection.",
            .effects { effect, _, client in
                switch effect {
                case .wait(.degraded, _): return []
                case .request(let number, _, _) where client.core.purposes[number] == .list:
                    client.core.purposes[number] = nil
                    return []
                default: return nil
                }
            })
        ClientDefect(
            "client-counts-no-unread", .CLIENT, 34, "Does not count answers of other sessions.",
            .screen { screen, _ in screen.unread = [:] })
        ClientDefect(
            "client-counts-unread-twice", .CLIENT, 34, "Counts each answer of another session twice.",
            .screen { screen, _ in screen.unread = screen.unread.mapValues { $0 * 2 } })
        ClientDefect(
            "client-takes-any-error-for-its-own", .CLIENT, 31,
            "Shows a question as failed when another device's turn fails.",
            .hears("error") { _, client in client.notes.marks.insert("an error") },
            .screen { screen, client in
                guard client.notes.marks.contains("an error"), screen.isThinking,
                    let last = screen.messages.lastIndex(where: { $0.key.flatMap(client.core.index) != nil })
                else { return }
                screen.messages[last].status = .failed
            })
        ClientDefect(
            "client-blanks-on-every-switch", .CLIENT, 41,
            "Clears a session when the person returns to it.",
            .input { input, client in
                if case .selected(let session?) = input, let number = client.core.knownNumber(session) {
                    client.core.conversations[number]?.messages = []
                }
                return input
            })
    }
}

extension ClientFault {
    fileprivate static func pausesAfter429(ms: Int) -> ClientFault {
        input { input, _ in
            guard case .answered(let request, var answer?) = input, answer.status == 429,
                var body = ClientCore.object(answer.body)
            else { return input }
            body["retryAfterMs"] = JSONValue(ms)
            answer.body = body.text()
            answer.retryAfter = nil
            return .answered(request: request, answer)
        }
    }
}

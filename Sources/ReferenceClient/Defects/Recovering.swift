import HoldfastJSON

extension ClientDefect {
    static let recovering = list {
        ClientDefect(
            "client-recovers-only-after-errors", .CLIENT, 14, "Recovers what it missed only if it shows an error.",
            .layer { input, client, next in
                let before = client.core
                guard client.isGreeting(input) || input.isReturn, before.screen.errors.isEmpty else {
                    return next(input, &client)
                }
                return client.forgettingReads(in: next(input, &client), since: before)
            })
        ClientDefect(
            "client-appends-only-the-last-message", .CLIENT, 25,
            "Takes only the last missing message from a history.",
            .merges { now, before, history in
                let missing = missing(before, history)
                guard !before.isEmpty, let last = missing.last?.id else { return now }
                return now.filter { message in message.id == last || !missing.contains { $0.id == message.id } }
            })
        ClientDefect(
            "client-appends-what-it-lacked", .CLIENT, 25,
            "Appends missing messages at the end, wherever they are in the history.",
            .merges { now, before, history in
                guard !before.isEmpty else { return now }
                let missing = missing(before, history)
                let late = now.filter { message in missing.contains { $0.id == message.id } }
                return now.filter { message in !missing.contains { $0.id == message.id } } + late.reversed()
            })
        ClientDefect(
            "client-clears-before-it-reads", .CLIENT, 25, "Clears the screen when it begins to read a session.",
            .effects { effect, _, client in
                if case .request(let number, _, _) = effect,
                    case .read(_, let conversation) = client.core.purposes[number]
                {
                    client.core.conversations[conversation]?.messages = []
                }
                return nil
            })
        ClientDefect(
            "client-replaces-by-what-it-read", .CLIENT, 25,
            "Replaces the screen with a read, however old it is.", .merges { _, _, history in history })
        ClientDefect(
            "client-reads-for-every-trigger", .CLIENT, 20,
            "Starts a read for every trigger, even during another one.",
            .layer { input, client, next in
                if case .answered = input { return next(input, &client) }
                for number in client.core.conversations.keys { client.core.conversations[number]?.reading = nil }
                return next(input, &client).flatMap { effect -> [Effect] in
                    guard case .wait(.poll(let number), _) = effect, client.core.conversations[number]?.reading == nil
                    else { return [effect] }
                    return client.core.collecting { $0.read(number) }
                }
            })
        ClientDefect(
            "client-polls-without-end", .CLIENT, 20, "Polls the session until the answer comes.",
            .rules { rules in
                rules.pollReads = .max
                rules.pollTime = 1_000_000_000
            })
        ClientDefect(
            "client-thinks-for-ever", .CLIENT, 39, "Stops polling and keeps the spinner.",
            .thinks { client in
                client.core.outbox.contains { $0.conversation == client.core.shown && $0.isGivenUp }
            })
        ClientDefect(
            "client-thinks-without-a-network", .CLIENT, 39, "Keeps the spinner while there is no network.",
            .thinks { client in
                !client.core.hasNetwork
                    && client.core.outbox.contains { $0.conversation == client.core.shown && $0.isAwaited }
            })
        ClientDefect(
            "client-spins-without-asking", .CLIENT, 39,
            "Reads nothing without a connection, and keeps the spinner.",
            .effects { effect, _, client in
                guard client.core.link.live == nil else { return nil }
                switch effect {
                case .wait(.poll(let number), _):
                    client.core.conversations[number]?.poll = nil
                    return []
                case .request(let request, _, _):
                    guard case .read(_, let number)? = client.core.purposes[request] else { return nil }
                    client.core.purposes[request] = nil
                    client.core.conversations[number]?.reading = nil
                    return []
                default: return nil
                }
            })
        ClientDefect(
            "client-waits-on-any-connection", .CLIENT, 39,
            "Stops polling once it is connected, and waits for an answer that nothing will bring.",
            .input { input, client in
                if case .elapsed(.poll) = input, client.core.link.live != nil { nil } else { input }
            })
        ClientDefect(
            "client-thinks-for-every-session", .CLIENT, 30,
            "Shows a spinner while a turn of any session runs.",
            .thinks { $0.core.outbox.contains(where: \.isAwaited) })
        ClientDefect(
            "client-trusts-its-early-read", .CLIENT, 18,
            "Reads nothing after `connected` unless it awaits an answer, whatever came since its last read.",
            .layer { input, client, next in
                let before = client.core
                guard client.isGreeting(input), !before.outbox.contains(where: \.wasSent) else {
                    return next(input, &client)
                }
                let isSynced = before.stream.held != nil && client.frame(in: input)?["epoch"] != nil
                let effects = next(input, &client)
                return isSynced ? effects : client.forgettingReads(in: effects, since: before)
            })
        ClientDefect(
            "client-reads-a-session-once", .CLIENT, 18,
            "Reads a session only when it is first opened, and shows that state from then on.",
            .layer { input, client, next in
                guard case .selected(let session?) = input, let number = client.core.knownNumber(session),
                    client.core.conversations[number]?.messages.isEmpty == false
                else { return next(input, &client) }
                let before = client.core
                return client.forgettingReads(in: next(input, &client), since: before)
            })
        ClientDefect(
            "client-forgets-what-was-opened-without-a-network", .CLIENT, 18,
            "Does not read a session that was opened without a network, once the network is back and the replay complete.",
            .layer { input, client, next in
                let effects = next(input, &client)
                if case .selected(let session?) = input, !client.core.hasNetwork,
                    let number = client.core.knownNumber(session)
                {
                    client.core.conversations[number]?.isStale = false
                }
                return effects
            })
        ClientDefect(
            "client-heeds-live-endings-only", .CLIENT, 30, "Shows a recovered answer and keeps the spinner.",
            .layer { input, client, next in
                let open = Set(client.core.outbox.map(\.key))
                let isLive = client.frame(in: input)?.type == "done"
                let effects = next(input, &client)
                let ended = client.core.conversations.values.contains { conversation in
                    conversation.messages.contains { message in
                        message.key.map { open.contains($0) && client.core.index(of: $0) == nil } == true
                            && message.status == .sent
                    }
                }
                if ended, isLive { client.notes.marks.remove("thinks") }
                if ended, !isLive { client.notes.marks.insert("thinks") }
                return effects
            },
            .thinks { $0.notes.marks.contains("thinks") })
        ClientDefect(
            "client-takes-the-most-recent-session", .CLIENT, 21,
            "Takes the newest session in the list for the one of its question.",
            .layer { input, client, next in
                guard case .answered(let request, let answer?) = input, answer.status == 200,
                    case .search(let number)? = client.core.purposes[request], client.core.needsReading(number),
                    client.core.conversations[number]?.session == nil,
                    let newest = client.core.sessions(of: ClientCore.object(answer.body) ?? .null).first
                else { return next(input, &client) }
                return client.core.collecting { core in
                    core.purposes[request] = nil
                    core.readEnded(number, succeeded: true)
                    core.bind(number, to: newest.id)
                    core.refresh(core.conversation(of: newest.id))
                }
            })
        ClientDefect(
            "client-reads-what-is-shown-once", .CLIENT, 18,
            "Does not repeat a failed read of the session on the screen unless it awaits an answer.",
            .layer { input, client, next in
                let number = client.failedRead(in: input)
                let effects = next(input, &client)
                if let number, client.core.stream.gap == nil { client.core.conversations[number]?.isStale = false }
                return effects
            })
    }

    private static func missing(_ before: [Message], _ history: [Message]) -> [Message] {
        let ids = Set(before.compactMap(\.id))
        return history.filter { message in
            message.id.map { !ids.contains($0) } ?? true && !before.contains { $0.isSame(as: message) }
        }
    }
}

extension Input {
    fileprivate var isReturn: Bool {
        switch self {
        case .foreground, .networkUp, .ended: true
        default: false
        }
    }
}

extension FaultyClient {
    /// The effects without syncs and reads; the core forgets that it requested any.
    fileprivate mutating func forgettingReads(in effects: [Effect], since before: ClientCore) -> [Effect] {
        core.stream.gap = before.stream.gap
        for number in core.conversations.keys {
            core.conversations[number]?.poll = nil
            core.conversations[number]?.reading = nil
        }
        return effects.filter { effect in
            switch effect {
            case .send(_, let text): return ClientCore.object(text)?.type != "sync"
            case .wait(.poll, _): return false
            case .request(let number, _, _):
                switch core.purposes[number] {
                case .read, .search:
                    core.purposes[number] = nil
                    return false
                default: return true
                }
            default: return true
            }
        }
    }
}

import HoldfastJSON

extension ClientDefect {
    static let connecting = list {
        ClientDefect(
            "client-trusts-its-flag", .CLIENT, 36,
            "Reconnects on return to the foreground only if it believes it is disconnected.",
            .input { input, client in
                guard case .foreground = input, !client.core.isForeground, client.core.hasNetwork,
                    client.core.link.live != nil
                else { return input }
                client.core.isForeground = true
                return nil
            })
        ClientDefect(
            "client-sends-on-the-old-connection", .CLIENT, 36,
            "Sends the first question after a return on the connection from before the background.",
            .layer { input, client, next in
                let live = client.core.link.live
                let effects = next(input, &client).flatMap { effect -> [Effect] in
                    switch effect {
                    case .close(let socket, 1001) where socket == live:
                        client.notes.oldSocket = socket
                        return []
                    case .send(_, let text) where ClientCore.object(text)?.type == "chat":
                        guard let old = client.notes.oldSocket else { return [effect] }
                        client.notes.oldSocket = nil
                        return [.send(socket: old, text)]
                    default: return [effect]
                    }
                }
                guard let old = client.notes.oldSocket,
                    let index = client.core.outbox.firstIndex(where: { $0.phase == .queued || $0.phase == .doubtful })
                else { return effects }
                client.notes.oldSocket = nil
                return effects + client.core.collecting { $0.sendChat(index, on: old) }
            })
        ClientDefect(
            "client-reconnects-at-first-launch", .CLIENT, 36,
            "Takes the first activation for a return, and ends the connection it has just opened.",
            .input { input, client in
                if case .foreground = input, client.notes.marks.insert("active").inserted {
                    client.core.isForeground = false
                }
                return input
            })
        ClientDefect(
            "client-shows-connected-too-soon", .CLIENT, 23, "Shows connected as soon as the socket is open.",
            .screen { screen, client in
                if case .greeting = client.core.link.phase, client.core.hasNetwork { screen.connection = .connected }
            })
        ClientDefect(
            "client-resets-the-count-when-it-connects", .CLIENT, 1,
            "Resets its count of attempts with each attempt, so that the wait never grows.",
            .attempts { _, _, client in client.core.rules.real(20) })
        ClientDefect(
            "client-resets-the-count-when-greeted", .CLIENT, 1,
            "Resets its count of attempts with each `connected`, and reconnects at once.",
            .attempts { ms, _, client in client.core.link.attempts.count < 2 ? client.core.rules.real(20) : ms },
            .hears("connected") { _, client in client.core.link.attempts = [] })
        ClientDefect(
            "client-resets-the-count-when-it-hears-anything", .CLIENT, 1,
            "Resets its count of attempts with each frame from the server.",
            .hears { _, client in client.core.link.attempts = [] })
        ClientDefect(
            "client-hammers-reads-that-fail", .CLIENT, 1, "Repeats a failed read at once.",
            .layer { input, client, next in
                let number = client.failedRead(in: input)
                let effects = next(input, &client)
                return effects + (number.map { number in client.core.collecting { $0.read(number) } } ?? [])
            })
        ClientDefect(
            "client-waits-without-jitter", .CLIENT, 2, "Waits equally long before every attempt.",
            .attempts { _, _, client in
                let (rules, attempts) = (client.core.rules, client.core.link.attempts)
                guard attempts.count >= rules.attemptsPerMinute else { return rules.real(2_000) }
                let due = attempts[attempts.count - rules.attemptsPerMinute] + rules.real(60_000)
                return max(rules.real(2_000), due - client.core.now)
            })
        ClientDefect(
            "client-gives-up-after-ten-attempts", .CLIENT, 37, "Gives up after ten attempts.",
            .attempts { ms, _, client in client.core.link.failures >= 10 ? nil : ms })
        ClientDefect(
            "client-takes-every-close-for-terminal", .CLIENT, 37,
            "Does not reconnect after a close frame, whatever its code.",
            .attempts { ms, input, _ in
                if case .ended(_, .some) = input { nil } else { ms }
            })
        ClientDefect(
            "client-ignores-the-networks-return", .CLIENT, 37,
            "Finishes its longest wait although the network is back.",
            .layer { input, client, next in
                let core = client.core
                guard case .networkUp = input, core.isRunning, core.isForeground, core.link.phase != .refused,
                    !core.hasNetwork || core.link.live == nil && core.link.failures > 0
                else { return next(input, &client) }
                client.core.hasNetwork = true
                client.core.link.phase = .waiting
                return [.wait(.reconnect, ms: core.rules.real(core.rules.longestBackoff))]
            })
        ClientDefect(
            "client-retries-terminal-closes", .CLIENT, 3, "Reconnects after 4001 and 4010 as after any close.",
            .input { input, _ in
                guard case .ended(let socket, let code?) = input, [4001, 4010].contains(code) else { return input }
                return .ended(socket: socket, code: 1000)
            })
        ClientDefect(
            "client-offers-the-same-version-again", .CLIENT, 3,
            "Reconnects after 4010 if a version that it has offered is listed as supported.",
            .layer { input, client, next in
                let supported = client.core.link.supported ?? []
                let effects = next(input, &client)
                guard case .ended(_, 4010?) = input, supported.contains(1) else { return effects }
                client.core.link.phase = .none
                return effects + client.core.collecting { $0.connect() }
            })
    }
}

import HoldfastJSON

extension ClientDefect {
    static let streaming = list {
        ClientDefect(
            "client-syncs-only-when-behind", .CLIENT, 15,
            "Sends a sync only if its position is above 0 and below the server's.",
            .layer { input, client, next in
                guard client.isGreeting(input), let frame = client.frame(in: input) else { return next(input, &client) }
                let (held, last) = (client.core.stream.held?.seq ?? 0, frame["lastSeq"]?.intValue ?? 0)
                let effects = next(input, &client)
                guard held == 0 || held >= last, client.core.stream.gap != nil, let epoch = client.core.link.epoch
                else { return effects }
                client.core.stream = StreamState(held: Position(epoch: epoch, seq: last))
                return effects.filter { effect in
                    if case .send(_, let text) = effect { ClientCore.object(text)?.type != "sync" } else { true }
                }
            })
        ClientDefect(
            "client-drops-tools-with-input", .CLIENT, 15, "Drops a `toolUse` whose `input` is not a string.",
            .drops { frame, _ in
                frame.type == "toolUse" && frame["input"].map { $0.stringValue == nil } == true
            })
        ClientDefect(
            "client-takes-incomplete-for-whole", .CLIENT, 17, "Takes every syncResult for complete.",
            .hears("syncResult") { page, _ in page.claimComplete() })
        ClientDefect(
            "client-forgets-the-gap-before-the-pages", .CLIENT, 17,
            "Reads nothing after a paged replay whose last page is complete, whatever the first said.",
            .hears("syncResult") { page, _ in
                if page["more"]?.boolValue == true { page["reason"] = "too_many" }
            })
        ClientDefect(
            "client-reads-a-gap-once", .CLIENT, 17, "Does not repeat a failed read for a gap.",
            .after { input, client in
                guard case .answered = input, let gap = client.core.stream.gap, gap.afterReads != nil else { return [] }
                return client.core.collecting { core in
                    for number in gap.conversationsToRead where core.conversations[number]?.reading == nil {
                        core.stopPolling(number)
                    }
                }
            })
        ClientDefect(
            "client-takes-a-failed-read-for-an-answer", .CLIENT, 19,
            "Moves its position past a gap after any response to the read.",
            .after { input, client in
                guard case .answered = input, let gap = client.core.stream.gap, gap.afterReads != nil else { return [] }
                return client.core.collecting { core in
                    for number in gap.conversationsToRead where core.conversations[number]?.reading == nil {
                        core.gapReadEnded(number)
                    }
                }
            })
        ClientDefect(
            "client-takes-a-page-for-the-whole", .CLIENT, 16, "Does not request the next page of a replay.",
            .hears("syncResult") { page, _ in if page["more"] == true { page.claimComplete() } })
        ClientDefect(
            "client-moves-over-the-gap", .CLIENT, 19, "Advances its position with live frames while a sync is pending.",
            .layer { input, client, next in
                let seq = client.frame(in: input)?["seq"]?.intValue
                let effects = next(input, &client)
                return effects
                    + client.core.collecting { core in
                        if let seq, let epoch = core.link.epoch, core.link.live != nil {
                            let held = core.stream.held.map { $0.epoch == epoch ? $0.seq : 0 } ?? 0
                            core.stream.held = Position(epoch: epoch, seq: max(seq, held))
                            core.needsSaving = true
                        } else if let position = core.stream.gap?.afterReads, core.stream.held != position {
                            core.stream.held = position
                            core.needsSaving = true
                        }
                    }
            })
        ClientDefect(
            "client-mixes-epoch-and-number", .CLIENT, 19,
            "Syncs with the connection's epoch and its own earlier number.",
            .sends("sync") { sync, client in
                sync["epoch"] = client.core.link.epoch.map(JSONValue.string)
                return [sync.text()]
            })
        ClientDefect(
            "client-takes-the-epoch-alone", .CLIENT, 19,
            "Takes a new epoch at once, but its number only after a read.",
            .after { input, client in
                guard let epoch = client.core.stream.gap?.afterReads?.epoch, client.core.stream.held?.epoch != epoch
                else { return [] }
                return client.core.collecting { core in
                    core.stream.held = Position(epoch: epoch, seq: core.stream.held?.seq ?? 0)
                    core.needsSaving = true
                }
            })
        ClientDefect(
            "client-stays-at-unknown-frames", .CLIENT, 19, "Ignores the numbers of frames of unknown types.",
            .hears { frame, _ in
                if !["message", "toolUse", "done", "error"].contains(frame.type) { frame["seq"] = nil }
            })
        ClientDefect(
            "client-holds-back-behind-holes", .CLIENT, 26,
            "Shows a frame only after every earlier number arrived.",
            .drops { frame, client in
                let stream = client.core.stream
                let last = stream.gap.map { max($0.asked, $0.lastLiveSeq) } ?? stream.held?.seq ?? 0
                return frame["seq"]?.intValue.map { $0 > last + 1 } == true
            })
        ClientDefect(
            "client-syncs-without-an-epoch", .CLIENT, 15, "Sends a sync to a server that sent no epoch.",
            .layer { input, client, next in
                let needsSync = client.core.stream.held != nil || client.core.outbox.contains { $0.wasSent }
                guard client.isGreeting(input), needsSync, client.frame(in: input)?["epoch"] == nil else {
                    return next(input, &client)
                }
                let effects = next(input, &client)
                return effects
                    + client.core.collecting { $0.send(["type": "sync", "lastSeqSeen": 0], on: $0.link.live ?? 0) }
            })
    }
}

extension JSONValue {
    /// Claims that nothing is missing, and that there is no next page.
    fileprivate mutating func claimComplete() {
        self["complete"] = true
        self["reason"] = nil
        self["more"] = nil
    }
}

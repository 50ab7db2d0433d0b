import HoldfastTranscript

extension ReachCount {
    /// Counts acts of a client, which has a single principal.
    mutating func countClient() {
        let client = ObservedClient(history, connections: connections, exchanges: exchanges)
        raise(.restarts, client.launches.count { !$0.isFresh })
        for launch in client.launches {
            let own = connections.filter { launch.events.contains($0.opening) }
            raise(.connections, own.count)
            raise(.returns, client.returns.count { launch.events.contains($0.event) })
            raise(
                .failedReads,
                client.reads.count { launch.events.contains($0.request) && $0.status.map { $0 >= 500 } ?? true })
            raise(.attempts, own.count { $0.connected == nil && ($0.ending != nil || $0.refused != nil) })
        }
        // The messages typed while no connection is greeted, by the number of earlier greetings.
        var typed: [Int: Int] = [:]
        for act in client.acts {
            switch act.name {
            case "background": markAmidTurn(.awayAmidTurn, at: act.event)
            case "receivePush", "openPush": mark(.pushed, from: act.event)
            case "sendAgain": mark(.sentAgain, from: act.event)
            case "send":
                let greeted = connections.indices.filter { connections[$0].connected.map { $0 < act.event } ?? false }
                // After a silent cut, a client is offline once the phone has no network.
                let isOver = greeted.last.map { client.ends[$0] ?? end < act.event } ?? true
                guard isOver || !client.hasNetwork(at: act.event) else { continue }
                typed[greeted.count, default: 0] += 1
                mark(.typedOffline, from: act.event)
            default: if ObservedClient.deaths.contains(act.name) { markAmidTurn(.restartAmidTurn, at: act.event) }
            }
        }
        raise(.typedOffline, typed.values.max())
        markStream()
    }

    private mutating func markStream() {
        var highest = 0
        var known: (epoch: String?, capabilities: Set<String>) = (nil, [])
        var firstDelivered: [String: Int] = [:]
        for frame in frames {
            if frame.kind == .connected {
                let stated = Set((frame["capabilities"]?.arrayValue ?? []).compactMap(\.stringValue))
                let isNewEpoch = known.epoch != nil && frame.epoch != known.epoch
                if isNewEpoch || !stated.isSuperset(of: known.capabilities) { mark(.lesserGreeting, from: frame.event) }
                if isNewEpoch { highest = 0 }
                known = (frame.epoch, stated)
            }
            if frame.kind == .message { mark(.otherDevice, from: frame.event) }
            if let seq = frame.seq {
                if seq < highest, !frame.isReplayed { mark(.olderFrame, from: frame.event) }
                highest = max(highest, seq)
            }
            if let id = frame.messageId, firstDelivered[id] == nil { firstDelivered[id] = frame.event }
        }
        for read in exchanges.compactMap(ObservedSessionRead.init) {
            for event in read.messages.compactMap({ $0.id.flatMap { firstDelivered[$0] } }) where event > read.event {
                mark(.readAhead, from: read.event, to: event)
            }
        }
    }
}

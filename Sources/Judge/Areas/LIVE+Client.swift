import Holdfast
import Transcript

/// What a client asks of a server that does not replay.
extension LIVE {
    /// LIVE-13: "A client MUST NOT send `sync` on a connection whose `connected` stated no `epoch`".
    ///
    /// Once for each such connection of a client that had been connected before, when it said or asked anything on it or
    /// beside it.
    static func syncNeedsAnEpoch(_ history: Observations, _ evidence: inout Evidence) {
        let greeted = history.client.attempts.filter { history.connections[$0].connected != nil }
        for (place, index) in greeted.enumerated() {
            let connection = history.connections[index]
            guard let greeting = connection.greeting, greeting.epoch == nil else { continue }
            if let sync = connection.sent.first(where: { $0.type == "sync" && $0.event > greeting.event }) {
                evidence.violate(
                    "the client asked a server to replay that does not", expected: "a read over REST", actual: "sync",
                    at: [greeting.event, sync.event])
                continue
            }
            let end = history.client.ends[index] ?? .max
            let said = connection.sent.contains { $0.event > greeting.event }
            let asked = history.client.reads.contains { $0.request > greeting.event && $0.request < end }
            if place > 0, said || asked { evidence.keep() }
        }
    }
}

import HoldfastTranscript

struct ObservedSync: Sendable {
    /// The connection, as an index of `Observations.connections`.
    let connection: Int
    let request: Frame
    /// The answer: the n-th answer belongs to the n-th sync of a connection.
    let result: Frame?
    let missed: [Frame]

    var lastSeqSeen: Int? { request["lastSeqSeen"]?.intValue }
    var claimsComplete: Bool { result?["complete"]?.boolValue == true }
    var reason: String? { result?.string("reason") }
    var lastSeq: Int? { result?["lastSeq"]?.intValue }

    /// Every sync of all connections, in order.
    ///
    /// If the start of a connection is not in a capture, an answer may belong to an earlier sync. `hostile` contains
    /// the messages that a server may refuse, by event.
    static func all(
        on connections: [ObservedConnection], hostile: [Int: HostileFrame.Kind], isCapture: Bool = false
    ) -> [ObservedSync] {
        var syncs: [ObservedSync] = []
        for (index, connection) in connections.enumerated() where !isCapture || connection.connected != nil {
            var results = connection.received.filter { $0.kind == .syncResult }[...]
            let refusals = connection.received.filter(Self.isRefusal).map(\.event)
            let errors = connection.received.filter { frame in
                Self.isRefusal(frame)
                    || frame.kind == .error && frame.turnId == nil && frame.clientMessageId == nil
                        && ErrorMeaning.general.contains(frame.code ?? "")
            }.map(\.event)
            let others = connection.sent.filter { hostile[$0.event] != nil }.map(\.event)
            /// Whether an error remains after those explained by earlier messages.
            func isOwn(_ refusal: Int) -> Bool { errors.count { $0 <= refusal } > others.count { $0 < refusal } }
            for request in connection.sent where request.kind == .sync {
                // A refused sync gets no result, and a result before the request does not answer it.
                var result: Frame?
                if let next = results.first, next.event > request.event {
                    let isSound = hostile[request.event] == nil
                    let refusal = refusals.first {
                        $0 > request.event && $0 < next.event && (!isSound || isOwn($0))
                    }
                    if refusal == nil { result = results.popFirst() }
                }
                syncs.append(ObservedSync(connection: index, request: request, result: result))
            }
        }
        return syncs.sorted { $0.request.event < $1.request.event }
    }

    private init(connection: Int, request: Frame, result: Frame?) {
        (self.connection, self.request, self.result) = (connection, request, result)
        missed =
            result.map { answer in
                (answer["missed"]?.arrayValue ?? []).enumerated().map {
                    Frame($0.element, replayedBy: answer, at: $0.offset)
                }
            } ?? []
    }

    private static func isRefusal(_ frame: Frame) -> Bool {
        guard frame.kind == .error, frame.seq == nil, frame.turnId == nil, frame.clientMessageId == nil else {
            return false
        }
        return frame.code == "bad_request" || frame.code == "not_authenticated"
    }
}

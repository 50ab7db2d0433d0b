import Holdfast
import JSON
import Transcript

/// Checks of the names by which a client finds its own message again.
extension ID {
    /// ID-13: "A server MUST name in `ack` the `sessionId` and the `messageId` under which session reads show the user's
    /// message".
    ///
    /// Once for each ack and each session read that shows a user message with its key; a message that is missing is the
    /// matter of TURN-20.
    static func acksNameTheStoredMessage(_ history: Observations, _ evidence: inout Evidence) {
        for turn in history.turns {
            guard let key = turn.clientMessageId else { continue }
            for ack in turn.acks where ack.clientMessageId == key {
                let reads = history.sessionReads.filter { $0.principal == turn.principal }
                func message(in read: ObservedSessionRead) -> ObservedSessionRead.StoredMessage? {
                    read.messages.first { $0.clientMessageId == key && $0.role == "user" }
                }
                // One message in two sessions is the matter of ID-12.
                let own = reads.filter { $0.sessionId == ack.sessionId && message(in: $0) != nil }
                for read in own.isEmpty ? reads : own {
                    guard let id = message(in: read)?.id else { continue }
                    let names = [("messageId", ack.messageId, id), ("sessionId", ack.sessionId, read.sessionId)]
                    let wrong = names.first { $0.1 != $0.2 }
                    evidence.test(no: wrong) { wrong in
                        Finding(
                            "an ack names another \(wrong.0) than the read of its message", expected: shown(wrong.2),
                            actual: shown(wrong.1), at: [turn.event, ack.event, read.event].sorted())
                    }
                }
            }
        }
    }

    /// ID-14: "A server MUST NOT put a `clientMessageId` other than that of its question on a frame of a turn".
    ///
    /// Once for each frame with a key whose `turnId` the ack or response of a question of this history had named.
    static func framesNameTheirQuestion(_ history: Observations, _ evidence: inout Evidence) {
        var keyed: [TurnNames.Key: [ObservedFrame]] = [:]
        for frame in history.received where frame.clientMessageId != nil && frame.type != "ack" {
            guard let turnId = frame.turnId else { continue }
            let principal = history.connections[frame.connection].principal
            keyed[TurnNames.Key(principal: principal, name: turnId), default: []].append(frame)
        }
        for turn in history.turns {
            let named = turn.requests.compactMap { request in
                request.ack?.turnId ?? request.success.flatMap { history.body(ofResponse: $0)?["turnId"]?.stringValue }
            }
            guard let turnId = named.first else { continue }
            for frame in keyed[TurnNames.Key(principal: turn.principal, name: turnId)] ?? [] {
                guard let key = frame.clientMessageId else { continue }
                evidence.test(
                    key == turn.clientMessageId, otherwise: "\(called(frame)) has the key of another question",
                    expected: turn.clientMessageId.map { "\(shown($0)) or none" } ?? "no clientMessageId",
                    actual: shown(key), at: [turn.event, frame.event])
            }
        }
    }
}

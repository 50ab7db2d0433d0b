import HoldfastJSON
import HoldfastTranscript

extension Observations {
    /// Every id in a frame, body or push of this history: of sessions, turns, messages, keys, connections, tools and
    /// epochs.
    var namedIDs: Set<String> {
        var ids: Set<String> = []
        func note(_ value: JSONValue?, _ names: [String] = Self.idMembers) {
            for name in names {
                if let id = value?[name]?.stringValue, !id.isEmpty { ids.insert(id) }
            }
        }
        for frame in received + sent {
            note(frame.value)
            for missed in frame["missed"]?.arrayValue ?? [] { note(missed) }
        }
        for exchange in exchanges {
            note(exchange.body)
            let answer = exchange.answer?.root
            note(answer)
            for session in (answer?["sessions"]?.arrayValue ?? []) + [answer?["session"]].compactMap({ $0 }) {
                note(session, ["id"])
                for message in session["messages"]?.arrayValue ?? [] { note(message, ["id"] + Self.idMembers) }
                for turn in session["turns"]?.arrayValue ?? [] { note(turn) }
            }
        }
        for push in pushes { note(push.document?.root) }
        return ids
    }

    private static let idMembers = [
        "sessionId", "turnId", "messageId", "clientMessageId", "connectionId", "toolUseId", "epoch",
    ]
}

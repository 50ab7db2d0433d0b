import HoldfastJSON
import HoldfastTranscript

extension Observations {
    /// Every id in a frame, body or push: of sessions, turns, messages, keys, connections, tools and epochs.
    var namedIDs: Set<String> {
        var ids: Set<String> = []
        func note(_ value: JSONValue) {
            for element in value.arrayValue ?? [] { note(element) }
            for (name, member) in value.objectValue ?? [:] {
                if let id = member.stringValue {
                    if !id.isEmpty, Self.idMembers.contains(name) { ids.insert(id) }
                } else {
                    note(member)
                }
            }
        }
        let bodies = exchanges.flatMap { [$0.body, $0.answer?.root] } + pushes.map { $0.document?.root }
        for value in (received + sent).map(\.value) + bodies { value.map(note) }
        return ids
    }

    private static let idMembers: Set = [
        "id", "sessionId", "turnId", "messageId", "clientMessageId", "connectionId", "toolUseId", "epoch",
    ]
}

import Holdfast
import HoldfastJSON

/// A question as a client sent it, on either transport.
struct WorldQuestion: Equatable {
    /// The conversation it continues.
    var session: String?
    var key: String?
    /// The content of its last message, as it was written.
    var content: JSONValue

    /// Reads a `chat` or the body of a request; nil when it is neither.
    init?(_ value: JSONValue) {
        guard let last = value["messages"]?.arrayValue?.last, last["role"]?.stringValue == "user",
            let content = last["content"], content.stringValue != nil || content.arrayValue?.isEmpty == false
        else { return nil }
        for name in ["sessionId", "clientMessageId"] {
            if let member = value[name], member.stringValue?.isEmpty != false { return nil }
        }
        self.content = content
        session = value["sessionId"]?.stringValue
        key = value["clientMessageId"]?.stringValue
    }

    var text: String { MessageContent.text(of: content) }
}

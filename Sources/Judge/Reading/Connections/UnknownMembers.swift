import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// Members outside version 1.
enum UnknownMembers {
    /// Whether a server's frame, its limits or one of its replayed frames has such a member.
    static func areReported(in frame: Frame) -> Bool { frame.value.map(areReported) ?? false }

    private static func areReported(in value: JSONValue) -> Bool {
        guard let object = value.objectValue,
            let known = MessageMembers.ofFrame(value.string("type") ?? "", sentBy: .server)
        else { return false }
        return object.keys.contains { !known.contains($0) }
            || (value["limits"]?.objectValue?.keys.contains { !MessageMembers.ofLimits.contains($0) } ?? false)
            || (value["missed"]?.arrayValue ?? []).contains(where: areReported)
    }

    /// Whether a client's frame or the body of a question has such a member, including in its messages and their parts.
    ///
    /// Frames before `connected` are not examined.
    static func exist(in value: JSONValue, as name: String) -> Bool {
        guard let object = value.objectValue, name != "auth",
            let known = name == "chatRequest"
                ? MessageMembers.ofBody(name) : MessageMembers.ofFrame(name, sentBy: .client)
        else { return false }
        if object.contains(where: { !known.contains($0.key) }) { return true }
        for message in value["messages"]?.arrayValue ?? [] {
            if message.objectValue?.contains(where: { $0.key != "role" && $0.key != "content" }) == true { return true }
            for part in message["content"]?.arrayValue ?? [] {
                if part.objectValue?.keys.contains(where: { !["type", "text", "image"].contains($0) }) == true {
                    return true
                }
            }
        }
        return false
    }
}

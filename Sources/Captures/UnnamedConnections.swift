import HoldfastJSON
import HoldfastTranscript

/// If connections have no names, finds the messages that can only belong to a second, simultaneous connection.
///
/// A server's log of two devices shows each frame of the stream twice, and their handshakes may overlap. If it were
/// read as one connection, a healthy server would be accused.
struct UnnamedConnections {
    private var signIns = 0
    /// The `auth` that no `connected` has answered yet.
    private var unanswered = 0
    /// The handshakes that were skipped and still lack their `connected`.
    private var leftOut = 0
    /// The last frames of the stream, oldest first.
    private var last: [String] = []
    /// The questions without a sign of an answer, and the turns of those that had one.
    private var (asked, turns): (Set<String>, Set<String>) = ([], [])
    private static let maxRemembered = 64

    mutating func close() { signIns = max(0, signIns - 1) }

    /// Whether a message belongs to a connection other than the one that is being read.
    mutating func isOfAnother(_ frame: JSONValue?, _ text: String, _ direction: Direction) -> Bool {
        switch (frame?["type"]?.stringValue, direction) {
        case ("auth", .toServer):
            signIns += 1
            if unanswered > 0 {
                leftOut += 1
                return true
            }
            unanswered = 1
        case ("connected", .fromServer):
            if unanswered == 0, leftOut > 0 {
                leftOut -= 1
                return true
            }
            unanswered = 0
        case ("chat", .toServer): if let key = frame?["clientMessageId"]?.stringValue { asked.insert(key) }
        case (let type, .fromServer):
            let turn = frame?["turnId"]?.stringValue
            if let key = frame?["clientMessageId"]?.stringValue, type == "ack" || type == "error" {
                asked.remove(key)
                if let turn { turns.insert(turn) }
            }
            guard frame?["seq"] != nil else { return false }
            // Another device may get frames of a turn before the one that asked gets its `ack`.
            if let turn, signIns > 1, !asked.isEmpty, !turns.contains(turn) { return true }
            if signIns > 1, last.contains(text) { return true }
            if let turn { turns.insert(turn) }
            if turns.count > 1000 { turns = [] }
            last.append(text)
            if last.count > Self.maxRemembered { last.removeFirst() }
        default: break
        }
        return false
    }
}

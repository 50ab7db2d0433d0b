import Holdfast
import HoldfastJSON

/// Translates between the wire of a dialect and the server, which knows only the specification's own form.
///
/// Input that is not a frame at all (broken JSON, `null`, binary) passes unchanged: the error is the same in every
/// dialect, and the refusal is translated.
struct WireEdge: Sendable {
    let dialect: Dialect

    /// The texts that a server sends as soon as a socket opens.
    var challenge: [String] { dialect.challenge.map { [$0.text()] } ?? [] }

    /// The messages implied by an open socket, if the dialect has no handshake.
    var silentGreeting: [Input.Received] {
        guard dialect.assumedGreeting != nil else { return [] }
        let auth: JSONValue = ["type": "auth", "protocol": 1]
        return [.text(auth.text())]
    }

    /// The epoch assumed for a position without one; nil if the wire names epochs or has no positions.
    ///
    /// A server whose wire cannot name epochs keeps a single one forever.
    var onlyEpoch: String? {
        let position: JSONValue = ["type": "sync", "lastSeqSeen": 0]
        guard case .frames(let wire) = dialect.encode(position, sentBy: .client), let frame = wire.first,
            case .frames(let read) = dialect.decode(frame, sentBy: .client)
        else { return nil }
        return read.first?.text("epoch")
    }

    /// Whether a position can name its epoch; otherwise it belongs to that of its connection.
    var namesEpochs: Bool {
        let position: JSONValue = ["type": "sync", "lastSeqSeen": 0, "epoch": "e"]
        guard case .frames(let wire) = dialect.encode(position, sentBy: .client), let frame = wire.first,
            case .frames(let read) = dialect.decode(frame, sentBy: .client)
        else { return true }
        return read.first?["epoch"] == "e"
    }

    /// Whether the answer to a position can say that more follows.
    var hasPages: Bool {
        var page: JSONValue = ["type": "syncResult", "lastSeq": 1, "missed": [], "complete": false]
        page["reason"] = "too_many"
        page["more"] = true
        if let onlyEpoch { page["epoch"] = .string(onlyEpoch) }
        guard case .frames(let wire) = dialect.encode(page, sentBy: .server), let frame = wire.first,
            case .frames(let read) = dialect.decode(frame, sentBy: .server)
        else { return true }
        return read.first?["more"] == true
    }

    /// The frames of a turn, except its endings, that the wire cannot express.
    var unsaidFrames: Set<String> {
        Set(
            ["message", "toolUse"].filter { type in
                let sample: JSONValue = [
                    "type": .string(type), "seq": 1, "sessionId": "s", "role": "user", "text": "x", "tool": "t",
                ]
                return said(sample.text()).isEmpty
            })
    }

    /// Translates a message from the wire; empty if the dialect ignores it.
    func heard(_ received: Input.Received) -> [Input.Received] {
        switch received {
        case .text(let text): heard(text: text)
        case .binary, .invalidText, .tooLarge: [received]
        }
    }

    private func heard(text: String) -> [Input.Received] {
        guard let document = try? JSONParser.document(text), document.flaws.isEmpty else { return [.text(text)] }
        switch dialect.decode(document.root, sentBy: .client) {
        case .frames(let frames):
            return frames.map { frame in
                let frame = frame.type == "chat" ? named(frame) : frame
                return .text(frame == document.root ? text : frame.text())
            }
        case .ignored: return []
        case .unmapped: return [.text(dialect.foreign(document.root).text())]
        }
    }

    /// The question with a generated key, if the wire gave it none.
    func named(_ question: JSONValue) -> JSONValue {
        question.adding(["clientMessageId": "made-" + String(UInt64.random(in: 0 ... .max), radix: 36)]).value
    }

    /// Translates a text to the wire; empty if the dialect cannot express it.
    func said(_ text: String) -> [String] {
        guard let frame = try? JSONParser.value(text) else { return [text] }
        guard case .frames(let frames) = dialect.encode(frame, sentBy: .server) else { return [] }
        return frames.map { wire in Dialect.text(of: text) { _ in wire } }
    }
}

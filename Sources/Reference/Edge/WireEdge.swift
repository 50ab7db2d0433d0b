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

    /// Whether a position can name its epoch; otherwise it belongs to the epoch of its connection.
    var namesEpochs: Bool {
        dialect.read(["type": "sync", "lastSeqSeen": 0, "epoch": "e"], sentBy: .client).map { $0["epoch"] == "e" }
            ?? true
    }

    /// Whether the answer to a position can say that more follows.
    var hasPages: Bool {
        var page: JSONValue = ["type": "syncResult", "lastSeq": 1, "missed": [], "complete": false]
        page["reason"] = "too_many"
        page["more"] = true
        page["epoch"] = dialect.onlyEpoch.map { .string($0) }
        return dialect.read(page, sentBy: .server).map { $0["more"] == true } ?? true
    }

    /// The frames of a turn, except its endings, that the wire cannot express.
    var inexpressibleFrames: Set<String> {
        Set(
            ["message", "toolUse"].filter { type in
                let sample: JSONValue = [
                    "type": .string(type), "seq": 1, "sessionId": "s", "role": "user", "text": "x", "tool": "t",
                ]
                return encoded(sample.text()) == nil
            })
    }

    /// Empty if the dialect ignores the message.
    func heard(_ received: Input.Received) -> [Input.Received] {
        switch received {
        case .text(let text): dialect.heard(text).map { [.text($0)] } ?? []
        case .binary, .invalidText, .tooLarge: [received]
        }
    }

    /// Nil if the dialect cannot express the text.
    func encoded(_ text: String) -> String? {
        guard let frame = try? JSONParser.value(text) else { return text }
        guard case .frame(let wire) = dialect.encode(frame, sentBy: .server) else { return nil }
        return Dialect.text(of: text) { _ in wire }
    }
}

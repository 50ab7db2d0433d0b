import Holdfast
import HoldfastJSON
import HoldfastTranscript

extension WireSample {
    /// The messages at the beginning of a file, whether its lines are messages, notes of them, or envelopes around them.
    public init(opening: [UInt8]) {
        self.init()
        let text = String(decoding: opening, as: UTF8.self)
        for line in text.split(whereSeparator: \.isNewline) where !isFull { takeLine(String(line)) }
    }

    private mutating func takeLine(_ line: String) {
        if case .text(_, let direction, let text) = NoteLine(line) { return take(text, sentBy: direction.sender) }
        guard let value = try? JSONParser.value(line), value.objectValue != nil else { return take(line, sentBy: nil) }
        if let raw = ["frame", "data"].lazy.compactMap({ RawMember.text(of: $0, in: line) }).first(where: {
            $0.hasPrefix("{")
        }), Self.isEnvelope(value) {
            return take(raw, sentBy: nil)
        }
        if let text = ["text", "data"].lazy.compactMap({ value[$0]?.stringValue }).first, Self.isEnvelope(value) {
            return take(text, sentBy: nil)
        }
        if !Self.isEnvelope(value) { take(line, sentBy: nil) }
    }

    /// Whether a line tells of a message or an event, and is none itself.
    private static func isEnvelope(_ value: JSONValue) -> Bool {
        let events = ["open", "opened", "close", "closed", "eof", "lost"]
        return ["dir", "direction", "frame", "http"].contains { value[$0] != nil }
            || events.contains(value["event"]?.stringValue ?? "")
    }
}

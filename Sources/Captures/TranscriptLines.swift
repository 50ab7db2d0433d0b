import Holdfast
import HoldfastJSON
import HoldfastTranscript

/// Reads consecutive transcripts in one file, each begun by its header line.
struct TranscriptLines {
    private let file: String
    private var hasHeader = false
    private var last = 0
    private var events = PackedEvents()

    init(file: String) { self.file = file }

    /// The header or event in a line; nil for an empty one.
    mutating func take(_ line: CaptureLines.Line, _ tape: inout JSONTape) throws(InputProblem) -> CaptureItem? {
        let location = line.location
        let message = line.bytes.withUnsafeBufferPointer { bytes in
            tape.withTokens(of: bytes) { $0.flatMap(events.message) }
        }
        if hasHeader, let message, message.at >= last {
            last = message.at
            return .event(message, location)
        }
        let text = try line.text(in: file)
        guard text.contains(where: { !$0.isWhitespace }) else { return nil }
        let reader = try LineReader(text, file: file, line: location.line, offset: location.offset)
        if reader.object["format"] != nil {
            hasHeader = true
            last = 0
            events = PackedEvents(below: reader)
            return .header(try reader.header())
        }
        guard hasHeader else {
            throw reader.problem(
                "an event comes before the header",
                expected: "a first line with \"format\": \"\(TranscriptFormat.name)\"")
        }
        let event = try events.event(reader)
        guard event.at >= last else {
            throw reader.problem(
                "time goes backward, from \(last) to \(event.at) microseconds", expected: "'at' of at least \(last)")
        }
        last = event.at
        return .event(event, location)
    }
}

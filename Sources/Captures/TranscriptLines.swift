import Holdfast
import HoldfastTranscript

/// Reads transcripts that stand one behind the other in one file, each begun by its header line.
struct TranscriptLines {
    private let file: String
    private var hasHeader = false
    private var last = 0
    private var events = PackedEvents()

    init(file: String) { self.file = file }

    /// What a line tells; nil for an empty one.
    mutating func take(_ line: String, _ place: CapturePlace) throws(InputProblem) -> CaptureItem? {
        guard line.utf8.first == UInt8(ascii: "{") || line.contains(where: { !$0.isWhitespace }) else { return nil }
        let reader = try LineReader(line, file: file, line: place.line, offset: place.offset)
        if reader.object["format"] != nil {
            hasHeader = true
            last = 0
            events = PackedEvents(below: reader)
            return .header(try reader.header())
        }
        guard hasHeader else {
            throw reader.problem(
                "an event stands before any header",
                expected: "a first line with \"format\": \"\(TranscriptFormat.name)\"")
        }
        let event = try events.event(reader)
        guard event.at >= last else {
            throw reader.problem(
                "time runs back, from \(last) to \(event.at) microseconds", expected: "'at' of at least \(last)")
        }
        last = event.at
        return .event(event, place)
    }
}

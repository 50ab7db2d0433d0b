import Holdfast
import HoldfastTranscript

/// Reads transcripts that stand one behind the other in one file, each begun by its header line.
struct TranscriptLines {
    private let file: String
    private var hasHeader = false
    private var last = 0
    private var events = PackedEvents()

    init(file: String) { self.file = file }

    /// What a line tells.
    mutating func take(_ line: String, _ location: CaptureLocation) throws(InputProblem) -> [CaptureItem] {
        guard line.contains(where: { !$0.isWhitespace }) else { return [] }
        let reader = try LineReader(line, location: "\(file):\(location.line)", offset: location.offset)
        if reader.object["format"] != nil {
            hasHeader = true
            last = 0
            events = PackedEvents(below: reader)
            return [.header(try reader.header())]
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
        return [.event(event, location)]
    }
}

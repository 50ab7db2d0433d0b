import Holdfast
import HoldfastCaptures
import HoldfastPlatform
import HoldfastTranscript

enum CapturedEvents {
    /// Reads a capture to its end and returns the parts it skipped.
    static func read(
        _ path: String, by dialect: Dialect, _ take: (Event, CaptureLocation) -> Void
    ) throws -> CaptureOmissions {
        let file: Descriptor
        do throws(SystemError) { file = try Descriptor(opening: path, for: .reading) } catch {
            throw Files.unreadable(path, error)
        }
        defer { file.close() }
        func next(_ count: Int) -> [UInt8] { (try? file.read(atMost: count)) ?? [] }
        var chunk = next(CaptureForm.openingBytes)
        let form = try CaptureForm.recognized(in: chunk, file: path, dialect: dialect)
        guard form != .report else {
            throw InputProblem(
                path, "this is a report", expected: "a transcript or a capture",
                fix: "check the transcripts next to it")
        }
        let subject = History.Subject(name: dialect.name, role: .server, profiles: dialect.profiles)
        var reader = CaptureReader(form, file: path, options: .init(subject: subject, dialect: dialect))
        reader.orient(by: CaptureOpening(chunk, dialect: dialect))
        func pass(_ item: CaptureItem) { if case .event(let event, let location) = item { take(event, location) } }
        while !chunk.isEmpty {
            try reader.append(chunk) { pass($0) }
            chunk = next(1 << 20)
        }
        try reader.finish { pass($0) }
        return reader.leftOut
    }
}

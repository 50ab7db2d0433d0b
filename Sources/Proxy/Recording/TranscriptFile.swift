import Holdfast
import HoldfastPlatform
import HoldfastTranscript

/// A transcript that grows on disk, line by line.
///
/// Lines are passed to the operating system whole, before the events they describe are forwarded. So a killed program
/// leaves a readable file with everything the peers saw. Messages that are forwarded together take one write.
final class TranscriptFile {
    private let file: Descriptor
    private(set) var failure: String?
    private var lines: [UInt8] = []

    /// Creates a file with its first line.
    /// - Throws: A problem if the file exists or cannot be created.
    init(_ path: String, header: History.Header) throws(InputProblem) {
        do throws(SystemError) {
            file = try Descriptor(opening: path, for: .appendingToNew)
        } catch {
            let exists = error == .fileExists
            throw InputProblem(
                location: path,
                what: exists ? "the file exists" : "cannot be written: \(error)",
                expected: "a new file in a writable folder",
                fix: exists ? "choose another one; a transcript is never overwritten" : "check the folder")
        }
        lines += Array((TranscriptWriter.line(header) + "\n").utf8)
        flush()
    }

    deinit { file.close() }

    func append(_ event: Event) {
        guard failure == nil else { return }
        TranscriptWriter.append(event, to: &lines)
    }

    /// Writes the appended lines, which until then are only in memory.
    func flush() {
        guard !lines.isEmpty else { return }
        defer { lines.removeAll(keepingCapacity: lines.capacity <= 8 << 20) }
        guard failure == nil else { return }
        do throws(SystemError) { try file.writeAll(lines) } catch { failure = "\(error)" }
    }
}

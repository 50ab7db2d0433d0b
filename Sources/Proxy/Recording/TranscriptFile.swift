import Holdfast
import HoldfastPlatform
import HoldfastTranscript

/// A transcript that grows on disk, line by line.
///
/// Lines are handed to the operating system whole and before what they tell of goes on, so that a program which is killed
/// leaves a file that can be read, with everything the peers have seen. Many messages that go on together take one write.
final class TranscriptFile {
    private let file: Descriptor
    /// Why nothing is written any more; nil while all is well.
    private(set) var failure: String?
    private var lines: [UInt8] = []

    /// Makes a new file with its first line.
    /// - Throws: A problem when the file exists or cannot be made.
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
        keep()
    }

    deinit { file.close() }

    /// Appends the line of an event; it is on disk with the next ``keep()``.
    func append(_ event: Event) {
        guard failure == nil else { return }
        TranscriptWriter.append(event, to: &lines)
    }

    /// Hands what was appended to the operating system.
    func keep() {
        guard !lines.isEmpty else { return }
        defer { lines.removeAll(keepingCapacity: lines.capacity <= 8 << 20) }
        guard failure == nil else { return }
        do throws(SystemError) { try file.writeAll(lines) } catch { failure = "\(error)" }
    }
}

import Holdfast
import HoldfastPlatform
import HoldfastTranscript

/// A transcript that grows on disk, line by line.
///
/// Each line is handed to the operating system whole and before what it tells of goes on, so that a program which is killed
/// leaves a file that can be read, with everything the peers have seen.
final class TranscriptFile {
    let path: String
    private let file: Descriptor
    /// Why nothing is written any more; nil while all is well.
    private(set) var failure: String?

    /// Makes a new file with its first line.
    /// - Throws: A problem when the file exists or cannot be made.
    init(_ path: String, header: History.Header) throws(InputProblem) {
        self.path = path
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
        write(TranscriptWriter.line(header))
    }

    deinit { file.close() }

    func write(_ line: String) {
        guard failure == nil else { return }
        do throws(SystemError) { try file.writeAll(line + "\n") } catch { failure = "\(error)" }
    }
}

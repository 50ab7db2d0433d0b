import Foundation
import Holdfast
import Transcript

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A transcript that grows on disk, line by line.
///
/// Each line is handed to the operating system whole and before what it tells of goes on, so that a program which is killed
/// leaves a file that can be read, with everything the peers have seen.
final class TranscriptFile {
    let path: String
    private let descriptor: Int32
    /// Why nothing is written any more; nil while all is well.
    private(set) var failure: String?

    /// Makes a new file with its first line.
    /// - Throws: A problem when the file exists or cannot be made.
    init(_ path: String, header: History.Header) throws(InputProblem) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let exists = errno == EEXIST
            throw InputProblem(
                place: path,
                what: exists ? "the file exists" : "cannot be written: \(String(cString: strerror(errno)))",
                expected: "a new file in a folder that may be written to",
                fix: exists ? "name another one; a transcript is never written over" : "check the folder")
        }
        write(TranscriptWriter.line(header))
    }

    deinit { close(descriptor) }

    func write(_ line: String) {
        guard failure == nil else { return }
        if let error = WholeWrite.write(line + "\n", to: descriptor) { failure = String(cString: strerror(error)) }
    }
}

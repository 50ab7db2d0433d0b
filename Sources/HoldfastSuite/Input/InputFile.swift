import Holdfast
import HoldfastPlatform

/// A file or a pipe that is read in chunks; reading a pipe that is silent for too long fails.
///
/// Files are not mapped into memory: one that shrinks during reading causes a ``Problem``, not a signal.
package struct InputFile: Sendable {
    package enum Problem: Error {
        case unreadable(String)
        case stalled(seconds: Int)
        /// The file became shorter while it was read.
        case cutShort(bytes: Int, expected: Int)
    }

    private final class OpenFile: Sendable {
        let descriptor: Descriptor

        init(_ path: String) throws(SystemError) {
            // Opening a FIFO without a writer would block.
            descriptor = path == "-" ? .standardInput : try Descriptor(opening: path, for: .nonblockingReading)
        }

        deinit { if descriptor != .standardInput { descriptor.close() } }
    }

    /// The file; nil if the bytes are in memory.
    private let file: OpenFile?
    private let timeout: Int
    private var ahead: [UInt8] = []
    private(set) var position: Int
    /// The size of a regular file when it was opened; nil for a pipe.
    let size: Int?

    /// Input that is already in memory: the output of another program.
    init(holding bytes: [UInt8]) {
        (file, timeout, ahead, position, size) = (nil, 0, bytes, bytes.count, nil)
    }

    /// Opens a file, or standard input for `-`.
    ///
    /// A pipe may be silent for `timeout` seconds; 0 means no limit.
    init(_ path: String, timeout: Int = 0) throws(Problem) {
        let file: OpenFile
        do throws(SystemError) {
            file = try OpenFile(path)
        } catch {
            throw .unreadable("\(error)")
        }
        (self.file, self.timeout) = (file, timeout)
        position = file.descriptor.position
        let status = try? FileStatus(of: file.descriptor)
        size = status.flatMap { $0.kind == .regular ? $0.size : nil }
    }

    /// At least `count` bytes of the beginning, without consuming them, or all of a shorter file.
    mutating func opening(_ count: Int) throws(Problem) -> [UInt8] {
        while ahead.count < count {
            let more = try read(64 << 10)
            if more.isEmpty { break }
            ahead += more
        }
        return ahead
    }

    mutating func next() throws(Problem) -> [UInt8] {
        let bytes = ahead.isEmpty ? try read(256 << 10) : ahead
        ahead = []
        if bytes.isEmpty, let size, position < size { throw .cutShort(bytes: position, expected: size) }
        return bytes
    }

    private mutating func read(_ limit: Int) throws(Problem) -> [UInt8] {
        guard let file else { return [] }
        var mustWait = size == nil
        while true {
            if mustWait, !file.descriptor.waitUntilReadable(seconds: timeout == 0 ? nil : timeout) {
                throw .stalled(seconds: timeout)
            }
            do throws(SystemError) {
                let bytes = try file.descriptor.read(atMost: limit)
                position += bytes.count
                return bytes
            } catch {
                if error != .wouldWait { throw .unreadable("\(error)") }
                // The pipe was readable, but another reader took the data.
                mustWait = true
            }
        }
    }
}

extension InputProblem {
    /// The reason why a file cannot be read to its end; `fix` is for a file that shrinks during reading.
    package init(_ problem: InputFile.Problem, in name: String, at location: String, fix: String) {
        switch problem {
        case .unreadable(let reason):
            self.init(
                name, "cannot be read: \(reason)", expected: "a readable file",
                fix: "check the name and the permissions")
        case .stalled(let seconds):
            self.init(
                location, "no data for \(seconds) s", expected: "a capture that ends, or goes on",
                fix: "stop the writer, or give --pipe-timeout 0 to wait forever")
        case .cutShort(let bytes, let expected):
            self.init(
                location, "the file shrank from \(expected) to \(bytes) bytes while it was read",
                expected: "a file that does not change while it is read", fix: fix)
        }
    }
}

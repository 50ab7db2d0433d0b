import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads a text in blocks that end at line ends, so that a text of any length takes little memory.
///
/// Nothing is mapped: a file that others shorten meanwhile ends in a ``Problem`` and not in a signal.
struct ValidateReader: Sendable {
    /// Why a text cannot be read to its end.
    enum Problem: Error, Equatable {
        case unreadable(String)
        /// The file became shorter while it was read.
        case cutShort(bytes: Int, expected: Int)
        case longLine(limit: Int)
    }

    /// An open file, closed when nobody holds it any more.
    private final class OpenFile: Sendable {
        let descriptor: Int32

        init(_ descriptor: Int32) { self.descriptor = descriptor }

        deinit { if descriptor != STDIN_FILENO { close(descriptor) } }
    }

    private let file: OpenFile
    /// The bytes a regular file had when it was opened; nil for pipes and the like, which end where they end.
    private let expected: Int?
    private let blockSize: Int
    private let lineLimit: Int
    private var position: Int
    /// What has been read of a line that is not whole.
    private var rest: [UInt8] = []
    private var isAtEnd = false

    /// Opens a file, or standard input for `-`.
    init(_ path: String, blockSize: Int = 256 << 10, lineLimit: Int) throws(Problem) {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(String(cString: strerror(errno))) }
        file = OpenFile(descriptor)
        self.blockSize = max(1, blockSize)
        self.lineLimit = lineLimit
        position = max(0, Int(lseek(descriptor, 0, SEEK_CUR)))
        var status = stat()
        let isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        expected = isRegular ? Int(status.st_size) : nil
    }

    /// The next lines, whole; nil at the end.
    mutating func next() throws(Problem) -> [UInt8]? {
        guard !isAtEnd else { return nil }
        // Whatever goes wrong below, nothing is read after it.
        isAtEnd = true
        while true {
            let known = rest.count
            var block = try longer()
            let added = block.count - known
            position += added
            if added == 0 {
                if let expected, position < expected { throw .cutShort(bytes: position, expected: expected) }
                rest = []
                return block.isEmpty ? nil : block
            }
            if let end = block[known...].lastIndex(of: 0x0A) {
                rest = Array(block[(end + 1)...])
                block.removeLast(block.count - end - 1)
                isAtEnd = false
                return block
            }
            guard block.count <= lineLimit else { throw .longLine(limit: lineLimit) }
            rest = block
        }
    }

    /// What was left over with what comes next behind it: as soon as there is a line end, or as much as fits.
    private func longer() throws(Problem) -> [UInt8] {
        var problem: Problem?
        // A line that outgrows its block doubles it, and is not copied again and again.
        let capacity = rest.count + max(blockSize, rest.count)
        let block = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = buffer.initialize(fromContentsOf: rest)
            guard let base = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
            while count < capacity {
                let added = read(file.descriptor, base + count, capacity - count)
                if added < 0, errno == EINTR { continue }
                if added < 0 { problem = .unreadable(String(cString: strerror(errno))) }
                guard added > 0 else { return }
                count += added
                if memchr(base + (count - added), 0x0A, added) != nil { return }
            }
        }
        if let problem { throw problem }
        return block
    }
}

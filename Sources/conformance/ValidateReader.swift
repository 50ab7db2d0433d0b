import Platform

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
        let descriptor: Descriptor

        init(_ path: String) throws(SystemError) {
            descriptor = path == "-" ? .standardInput : try Descriptor(opening: path, for: .reading)
        }

        deinit { if descriptor != .standardInput { descriptor.close() } }
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
        do {
            file = try OpenFile(path)
        } catch {
            throw .unreadable("\(error)")
        }
        self.blockSize = max(1, blockSize)
        self.lineLimit = lineLimit
        position = file.descriptor.position
        let status = try? FileStatus(of: file.descriptor)
        expected = status.flatMap { $0.kind == .regular ? $0.size : nil }
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
                do throws(SystemError) {
                    let free = UnsafeMutableRawBufferPointer(start: base + count, count: capacity - count)
                    let added = try file.descriptor.read(into: free)
                    guard added > 0 else { return }
                    count += added
                    if index(of: 0x0A, in: UnsafeRawBufferPointer(rebasing: free[..<added])) != nil { return }
                } catch {
                    problem = .unreadable("\(error)")
                    return
                }
            }
        }
        if let problem { throw problem }
        return block
    }
}

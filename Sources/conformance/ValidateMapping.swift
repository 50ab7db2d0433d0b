import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The bytes of a file, mapped into memory and given back at the end; standard input and pipes are read instead.
final class ValidateMapping: Sendable {
    /// The bytes, which stay where they are as long as this object lives.
    nonisolated(unsafe) let bytes: UnsafeBufferPointer<UInt8>
    private let isMapped: Bool

    init(_ path: String) throws {
        if path != "-", let mapped = Self.map(path) {
            bytes = mapped
            isMapped = true
            return
        }
        let read = try Files.bytes(of: path)
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, read.count))
        _ = memory.initialize(from: read)
        bytes = UnsafeBufferPointer(rebasing: memory[..<read.count])
        isMapped = false
    }

    deinit {
        if isMapped {
            munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
        } else {
            bytes.baseAddress?.deallocate()
        }
    }

    /// The place behind the first line end from a place on, or the end of the text.
    func lineEnd(after start: Int) -> Int {
        guard start < bytes.count, let base = bytes.baseAddress,
            let end = memchr(base + start, 0x0A, bytes.count - start)
        else { return bytes.count }
        return UnsafeRawPointer(end) - UnsafeRawPointer(base) + 1
    }

    /// Nil for whatever is no regular file with something in it.
    private static func map(_ path: String) -> UnsafeBufferPointer<UInt8>? {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return nil }
        let count = Int(status.st_size)
        guard let memory = mmap(nil, count, PROT_READ, MAP_PRIVATE, file, 0), memory != MAP_FAILED else { return nil }
        madvise(memory, count, MADV_SEQUENTIAL)
        return UnsafeBufferPointer(start: memory.assumingMemoryBound(to: UInt8.self), count: count)
    }
}

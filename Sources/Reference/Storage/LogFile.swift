#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An append-only file in which an append either happened, durably and whole, or did not happen at all.
///
/// After a failed write the file is cut back to its last sound length before anything else is appended, so a record is
/// never followed by half of another. Used by one thread at a time.
struct LogFile: ~Copyable {
    private let path: String
    /// Negative once the file is closed.
    private var descriptor: Int32
    private var length: Int
    /// Whether bytes of a failed write may still stand behind `length`.
    private var isDirty = false
    /// What broken servers write anew for every append, and how long they leave the file empty meanwhile.
    private var rewriting: (content: [UInt8], microseconds: UInt32)?

    /// Opens or creates the log of a folder, takes its lock, and drops a torn end.
    /// - Throws: `cannotOpen`, `inUse` or `damaged`.
    static func open(folder: String, lines: inout [[UInt8]]) throws(StorageProblem) -> LogFile {
        if mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw StorageProblem(.cannotOpen(reason: reason()), path: folder)
        }
        let path = folder + "/records.log"
        let descriptor = systemOpen(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageProblem(.cannotOpen(reason: reason()), path: path) }
        var file = LogFile(path: path, descriptor: descriptor, length: 0)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw StorageProblem(.inUse, path: path) }
        // A new file exists only once its folder says so durably.
        try synchronise(folder: folder)
        let bytes = try file.readAll()
        do {
            let content = try LogFormat.read(bytes)
            lines = content.lines
            file.length = content.soundBytes
        } catch {
            throw StorageProblem(.damaged(line: error.line), path: path)
        }
        if file.length < bytes.count {
            file.isDirty = true
            try file.clean()
        }
        return file
    }

    private init(path: String, descriptor: Int32, length: Int) {
        self.path = path
        self.descriptor = descriptor
        self.length = length
    }

    deinit {
        if descriptor >= 0 { Self.release(descriptor) }
    }

    /// Gives the folder free for another server; every later append fails.
    mutating func close() {
        if descriptor >= 0 { Self.release(descriptor) }
        descriptor = -1
    }

    /// Unlocks before it closes: a process that is just being started holds a copy of the descriptor, and the lock with it.
    private static func release(_ descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)
        systemClose(descriptor)
    }

    /// Breaks it: from now on each append empties the file and writes everything anew, after a pause.
    mutating func rewriteInPlace(pausing microseconds: UInt32) {
        let bytes = (try? readAll()) ?? []
        rewriting = (Array(bytes.prefix(length)), microseconds)
    }

    /// Appends bytes and returns once the disk has them.
    /// - Throws: `cannotWrite`; the file is then as before.
    mutating func append(_ bytes: [UInt8]) throws(StorageProblem) {
        if let rewriting { return try rewrite(rewriting.content + bytes, pausing: rewriting.microseconds) }
        if isDirty { try clean() }
        isDirty = true
        do {
            try write(bytes)
            try synchronise()
        } catch {
            // Should this fail too, the next append tries again before it writes.
            try? clean()
            throw error
        }
        length += bytes.count
        isDirty = false
    }

    private mutating func clean() throws(StorageProblem) {
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw problem() }
        try synchronise()
        isDirty = false
    }

    private mutating func rewrite(_ bytes: [UInt8], pausing microseconds: UInt32) throws(StorageProblem) {
        guard ftruncate(descriptor, 0) == 0 else { throw problem() }
        usleep(microseconds)
        try write(bytes, at: 0)
        try synchronise()
        rewriting?.content = bytes
        length = bytes.count
    }

    private func write(_ bytes: [UInt8], at start: Int? = nil) throws(StorageProblem) {
        let start = start ?? length
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress, $0.count, off_t(start + written))
            }
            if count > 0 {
                written += count
            } else if count == 0 || errno != EINTR {
                throw problem()
            }
        }
    }

    private func synchronise() throws(StorageProblem) {
        while fsync(descriptor) != 0 {
            guard errno == EINTR else { throw problem() }
        }
    }

    private static func synchronise(folder: String) throws(StorageProblem) {
        let descriptor = systemOpen(folder, O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw StorageProblem(.cannotOpen(reason: reason()), path: folder) }
        defer { systemClose(descriptor) }
        guard fsync(descriptor) == 0 else { throw StorageProblem(.cannotOpen(reason: reason()), path: folder) }
    }

    private func readAll() throws(StorageProblem) -> [UInt8] {
        let size = lseek(descriptor, 0, SEEK_END)
        guard size >= 0 else { throw StorageProblem(.cannotOpen(reason: Self.reason()), path: path) }
        var bytes = [UInt8](repeating: 0, count: Int(size))
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress, $0.count, off_t(done))
            }
            if count == 0 { break }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw StorageProblem(.cannotOpen(reason: Self.reason()), path: path)
            }
            done += count
        }
        return Array(bytes.prefix(done))
    }

    private func problem() -> StorageProblem { StorageProblem(.cannotWrite(reason: Self.reason()), path: path) }

    private static func reason() -> String { String(cString: strerror(errno)) }
}

// The system's calls under names that no method of the same name hides.

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }

private func systemClose(_ descriptor: Int32) { _ = close(descriptor) }

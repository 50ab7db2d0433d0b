import HoldfastPlatform

/// An append-only file in which an append either happened, durably and whole, or did not happen at all.
///
/// After a failed write the file is cut back to its last sound length before anything else is appended, so a record is
/// never followed by half of another. Used by one thread at a time.
struct LogFile: ~Copyable {
    private let path: String
    /// Nil once the file is closed.
    private var file: Descriptor?
    private var length = 0
    /// Whether bytes of a failed write may still stand behind `length`.
    private var isDirty = false

    /// Opens or creates the log of a folder, takes its lock, and drops a torn end.
    /// - Throws: `cannotOpen`, `inUse` or `damaged`.
    static func open(folder: String, lines: inout [[UInt8]]) throws(StorageProblem) -> LogFile {
        try opening(folder) { () throws(SystemError) in try makeFolder(folder) }
        let path = folder + "/records.log"
        let descriptor = try opening(path) { () throws(SystemError) in try Descriptor(opening: path, for: .updating) }
        var file = LogFile(path: path, file: descriptor)
        guard descriptor.tryLock() else { throw StorageProblem(.inUse, path: path) }
        // A new file exists only once its folder says so durably.
        try opening(folder) { () throws(SystemError) in
            let folder = try Descriptor(opening: folder, for: .reading)
            defer { folder.close() }
            try folder.synchronize()
        }
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

    private init(path: String, file: Descriptor) { (self.path, self.file) = (path, file) }

    deinit {
        if let file { Self.release(file) }
    }

    /// Gives the folder free for another server; every later append fails.
    mutating func close() {
        if let file { Self.release(file) }
        file = nil
    }

    /// Unlocks before it closes: a process that is just being started holds a copy of the descriptor, and the lock with it.
    private static func release(_ file: Descriptor) {
        file.unlock()
        file.close()
    }

    /// Appends bytes and returns once the disk has them.
    /// - Throws: `cannotWrite`; the file is then as before.
    mutating func append(_ bytes: [UInt8]) throws(StorageProblem) {
        if isDirty { try clean() }
        isDirty = true
        do {
            try writing { [length] file throws(SystemError) in
                try file.writeAll(bytes, at: length)
                try file.synchronize()
            }
        } catch {
            // Should this fail too, the next append tries again before it writes.
            try? clean()
            throw error
        }
        length += bytes.count
        isDirty = false
    }

    private mutating func clean() throws(StorageProblem) {
        try writing { [length] file throws(SystemError) in
            try file.truncate(to: length)
            try file.synchronize()
        }
        isDirty = false
    }

    private func readAll() throws(StorageProblem) -> [UInt8] {
        let file = file ?? .closed
        return try Self.opening(path) { () throws(SystemError) in try file.read(file.length(), at: 0) }
    }

    // MARK: problems

    private static func opening<Result>(
        _ path: String, _ body: () throws(SystemError) -> Result
    ) throws(StorageProblem) -> Result {
        do {
            return try body()
        } catch {
            throw StorageProblem(.cannotOpen(reason: "\(error)"), path: path)
        }
    }

    private func writing(_ body: (Descriptor) throws(SystemError) -> Void) throws(StorageProblem) {
        do {
            try body(file ?? .closed)
        } catch {
            throw StorageProblem(.cannotWrite(reason: "\(error)"), path: path)
        }
    }
}

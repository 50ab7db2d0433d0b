import HoldfastPlatform

/// An append-only file; an append either happens, durably and whole, or not at all.
///
/// After a failed write the file is truncated to its last sound length before the next append, so a record never
/// follows half of another. Not thread-safe.
struct LogFile: ~Copyable {
    private let path: String
    /// Nil once the file is closed.
    private var file: Descriptor?
    private var length = 0
    /// Whether bytes of a failed write may remain after `length`.
    private var isDirty = false

    /// Opens or creates the log of a folder, locks it, and drops a torn end.
    /// - Throws: `cannotOpen`, `inUse` or `damaged`.
    static func open(folder: String, lines: inout [[UInt8]]) throws(StorageProblem) -> LogFile {
        try opening(folder) { () throws(SystemError) in try makeFolder(folder) }
        let path = folder + "/records.log"
        let descriptor = try opening(path) { () throws(SystemError) in try Descriptor(opening: path, for: .updating) }
        var file = LogFile(path: path, file: descriptor)
        guard descriptor.tryLock() else { throw StorageProblem(.inUse, path: path) }
        // A new file exists durably only after its folder is synced.
        try opening(folder) { () throws(SystemError) in
            let folder = try Descriptor(opening: folder, for: .reading)
            defer { folder.close() }
            try folder.synchronize()
        }
        let bytes = try opening(path) { () throws(SystemError) in try descriptor.read(descriptor.length(), at: 0) }
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

    /// Releases the folder for another server; later appends fail.
    mutating func close() {
        if let file { Self.release(file) }
        file = nil
    }

    /// Unlocks before closing: a child process that is just being started shares the descriptor, and with it the lock.
    private static func release(_ file: Descriptor) {
        file.unlock()
        file.close()
    }

    /// Appends bytes and returns once they are on the disk.
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
            // If this fails too, the next append retries it before writing.
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

import HoldfastCLibrary

/// The number of an open file, pipe, socket or terminal; the opener must close it.
package struct Descriptor: Sendable, Hashable {
    package let number: Int32

    package init(_ number: Int32) { self.number = number }

    package static let standardInput = Descriptor(STDIN_FILENO)
    package static let standardOutput = Descriptor(STDOUT_FILENO)
    package static let standardError = Descriptor(STDERR_FILENO)

    /// Standard output for the caller only: all other output goes to standard error from now on.
    package static func claimStandardOutput() -> Descriptor {
        let own = dup(STDOUT_FILENO)
        guard own >= 0 else { return standardOutput }
        dup2(STDERR_FILENO, STDOUT_FILENO)
        return Descriptor(own)
    }

    /// An invalid descriptor: all operations fail.
    package static let closed = Descriptor(-1)

    // MARK: opening and closing

    package enum Purpose: Sendable {
        case reading
        /// Reading with O_NONBLOCK: waits neither for a pipe's writer nor for its bytes.
        case nonblockingReading
        /// Writing with O_NONBLOCK: waits neither for a pipe's reader nor for room in the pipe.
        case nonblockingWriting
        /// Appending to a new file; fails if it exists.
        case appendingToNew
        /// Reading and writing a file, which is created if missing.
        case updating

        fileprivate var flags: Int32 {
            switch self {
            case .reading: O_RDONLY
            case .nonblockingReading: O_RDONLY | O_NONBLOCK
            case .nonblockingWriting: O_WRONLY | O_NONBLOCK
            case .appendingToNew: O_WRONLY | O_CREAT | O_EXCL | O_APPEND
            case .updating: O_RDWR | O_CREAT
            }
        }
    }

    /// Opens a file; only its owner can access a new one.
    package init(opening path: String, for purpose: Purpose) throws(SystemError) {
        number = open(path, purpose.flags | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw .last }
    }

    package func close() { systemClose(number) }

    /// The two ends of a pipe that no child inherits; nil if there are no descriptors left.
    package static func pipe() -> (reading: Descriptor, writing: Descriptor)? {
        var ends: [Int32] = [-1, -1]
        guard systemPipe(&ends) == 0 else { return nil }
        let (reading, writing) = (Descriptor(ends[0]), Descriptor(ends[1]))
        reading.closeInChildren()
        writing.closeInChildren()
        return (reading, writing)
    }

    /// Two connected sockets that no child inherits; nil if there are no descriptors left.
    package static func socketPair() -> (Descriptor, Descriptor)? {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, streamSocket, 0, &ends) == 0 else { return nil }
        let (first, second) = (Descriptor(ends[0]), Descriptor(ends[1]))
        first.closeInChildren()
        second.closeInChildren()
        #if canImport(Darwin)
        var yes: Int32 = 1
        for end in ends { setsockopt(end, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size)) }
        #endif
        return (first, second)
    }

    /// Opens closed standard streams, so that no other file or socket gets their numbers.
    package static func fillStandardStreams() {
        for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) < 0 {
            // open() returns the lowest free number, which is this one. A write to a closed output must fail, not be
            // discarded.
            _ = open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_RDWR)
        }
    }

    private func closeInChildren() { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }

    package func setNonblocking() { _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) }

    // MARK: reading and writing

    /// Reads available bytes up to a limit; empty at the end.
    package func read(atMost limit: Int) throws(SystemError) -> [UInt8] {
        try bytes(limit) { systemRead(number, $0.baseAddress, limit) }
    }

    /// Reads bytes from a position; fewer if the file ends first.
    package func read(_ limit: Int, at position: Int) throws(SystemError) -> [UInt8] {
        var found: [UInt8] = []
        while found.count < limit {
            let start = position + found.count
            let more = try bytes(limit - found.count) { pread(number, $0.baseAddress, $0.count, off_t(start)) }
            if more.isEmpty { break }
            if found.isEmpty { found = more } else { found += more }
        }
        return found
    }

    private func bytes(
        _ limit: Int, _ read: (UnsafeMutableBufferPointer<UInt8>) -> Int
    ) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            switch uninterrupted({ read(UnsafeMutableBufferPointer(rebasing: buffer[..<limit])) }) {
            case .success(let done): count = done
            case .failure(let error): failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes as much as fits without waiting.
    package func write(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> Int {
        let result = bytes.withUnsafeBytes { buffer in
            uninterrupted { systemWrite(number, buffer.baseAddress, buffer.count) }
        }
        return try result.get()
    }

    package func writeAll(_ text: String) throws(SystemError) { try writeAll(Array(text.utf8)) }

    /// Writes everything, however long that takes.
    package func writeAll(_ bytes: [UInt8]) throws(SystemError) {
        let failure: SystemError? = bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                switch uninterrupted({ systemWrite(number, rest.baseAddress, rest.count) }) {
                case .success(0): return .inputOutput
                case .success(let count): rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                case .failure(.wouldWait):
                    // Another holder of the same terminal set O_NONBLOCK.
                    var writable = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&writable, 1, -1)
                case .failure(let error): return error
                }
            }
            return nil
        }
        if let failure { throw failure }
    }

    package func writeAll(_ bytes: [UInt8], at position: Int) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let result = bytes[done...].withUnsafeBytes { rest in
                uninterrupted { pwrite(number, rest.baseAddress, rest.count, off_t(position + done)) }
            }
            let count = try result.get()
            guard count > 0 else { throw .inputOutput }
            done += count
        }
    }

    /// Sends on a socket without waiting; if the peer is gone or the socket is full, the bytes are lost.
    package func send(_ bytes: [UInt8]) {
        #if canImport(Darwin)
        let flags = MSG_DONTWAIT
        #else
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        #endif
        _ = systemSend(number, bytes, bytes.count, flags)
    }

    /// Waits until one of two descriptors is readable, has ended, or failed.
    ///
    /// A negative descriptor is never ready.
    /// - Returns: Whether the second one is ready; nil if waiting fails.
    package static func waitForEither(_ first: Descriptor, _ second: Descriptor) -> Bool? {
        var awaited = [first, second].map { pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0) }
        guard case .success = uninterrupted({ poll(&awaited, 2, -1) }) else { return nil }
        return awaited[1].revents != 0
    }

    /// Waits until bytes or the end can be read; false if neither arrives within the limit (nil for none).
    package func waitUntilReadable(seconds limit: Int?) -> Bool {
        var awaited = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        let result = uninterrupted { poll(&awaited, 1, limit.map { Int32(clamping: $0 * 1000) } ?? -1) }
        return (try? result.get()) != 0
    }

    // MARK: files

    /// Tries to take the lock of the file; false if another process has it.
    package func tryLock() -> Bool { flock(number, LOCK_EX | LOCK_NB) == 0 }

    /// Tries to take and keep the file's lock; true if another process has it, false in a file system without locks.
    package func isLockedElsewhere() -> Bool { !tryLock() && errno == EWOULDBLOCK }

    package func unlock() { _ = flock(number, LOCK_UN) }

    package func truncate(to length: Int) throws(SystemError) {
        _ = try uninterrupted { ftruncate(number, off_t(length)) }.get()
    }

    /// Returns once the written bytes are on the disk.
    package func synchronize() throws(SystemError) {
        #if canImport(Darwin)
        // On Darwin, fsync(2) leaves the bytes in the disk's cache.
        if fcntl(number, F_FULLFSYNC) != -1 { return }
        #endif
        _ = try uninterrupted { fsync(number) }.get()
    }

    package var position: Int { max(0, Int(lseek(number, 0, SEEK_CUR))) }

    /// The length of the file; moves the position to its end.
    package func length() throws(SystemError) -> Int { try uninterrupted { Int(lseek(number, 0, SEEK_END)) }.get() }

    // MARK: terminals

    package var isTerminal: Bool { isatty(number) == 1 }

    package var terminalWidth: Int? {
        var size = winsize()
        guard ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}

package struct FileStatus: Sendable {
    package enum Kind: Sendable { case regular, folder, pipe, other }

    package let kind: Kind
    package let size: Int
    /// Distinguishes a file from a later one with the same name.
    package let identity: Identity

    package struct Identity: Sendable, Equatable {
        fileprivate let device: UInt64
        fileprivate let number: UInt64
    }

    package init(of path: String) throws(SystemError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .last }
        self.init(status)
    }

    package init(of descriptor: Descriptor) throws(SystemError) {
        var status = stat()
        guard fstat(descriptor.number, &status) == 0 else { throw .last }
        self.init(status)
    }

    private init(_ status: stat) {
        size = Int(status.st_size)
        identity = Identity(device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(status.st_ino))
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFIFO: .pipe
            default: .other
            }
    }
}

/// Creates a folder that only its owner can access, unless it exists.
package func makeFolder(_ path: String) throws(SystemError) {
    guard mkdir(path, 0o700) != 0 else { return }
    let error = SystemError.last
    if error != .fileExists { throw error }
}

// The system's calls under other names, because methods hide the original ones.

private func systemClose(_ descriptor: Int32) { _ = close(descriptor) }

private func systemPipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 { pipe(ends) }

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    send(descriptor, bytes, count, flags)
}

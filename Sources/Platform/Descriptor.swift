#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An open file, pipe, socket or terminal, by its number; whoever opened it closes it.
package struct Descriptor: Sendable, Hashable {
    package let number: Int32

    package init(_ number: Int32) { self.number = number }

    package static let standardInput = Descriptor(STDIN_FILENO)
    package static let standardOutput = Descriptor(STDOUT_FILENO)
    package static let standardError = Descriptor(STDERR_FILENO)

    /// Standard output for the caller alone: what others print to it goes to standard error from here on.
    package static func takenStandardOutput() -> Descriptor {
        let own = dup(STDOUT_FILENO)
        guard own >= 0 else { return standardOutput }
        dup2(STDERR_FILENO, STDOUT_FILENO)
        return Descriptor(own)
    }

    /// None: whatever is done with it fails.
    package static let closed = Descriptor(-1)

    // MARK: opening and closing

    /// What a file is opened for; no child inherits the descriptor.
    package enum Purpose: Sendable {
        case reading
        /// Reading that never waits, neither for a writer of a pipe nor for its bytes.
        case readingAtOnce
        /// Writing that never waits, neither for a reader of a pipe nor for room in it.
        case writingAtOnce
        /// Appending to a file that must not exist yet.
        case appendingToNew
        /// Reading and writing a file that is made where there is none.
        case updating

        fileprivate var flags: Int32 {
            switch self {
            case .reading: O_RDONLY
            case .readingAtOnce: O_RDONLY | O_NONBLOCK
            case .writingAtOnce: O_WRONLY | O_NONBLOCK
            case .appendingToNew: O_WRONLY | O_CREAT | O_EXCL | O_APPEND
            case .updating: O_RDWR | O_CREAT
            }
        }
    }

    /// Opens a file; a new one is its owner's alone.
    package init(opening path: String, for purpose: Purpose) throws(SystemError) {
        number = open(path, purpose.flags | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw .last }
    }

    package func close() { systemClose(number) }

    /// The two ends of a pipe that no child inherits; nil for want of descriptors.
    package static func pipe() -> (reading: Descriptor, writing: Descriptor)? {
        var ends: [Int32] = [-1, -1]
        guard systemPipe(&ends) == 0 else { return nil }
        let (reading, writing) = (Descriptor(ends[0]), Descriptor(ends[1]))
        reading.closeInChildren()
        writing.closeInChildren()
        return (reading, writing)
    }

    /// Two sockets that are connected to each other and that no child inherits; nil for want of descriptors.
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

    /// Puts something in the place of standard streams that are closed, so that no file or socket comes to stand there.
    package static func fillStandardStreams() {
        for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) < 0 {
            // The lowest number that is free is given: this one. What is written to a closed output has to fail, and not vanish.
            _ = open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_RDWR)
        }
    }

    private func closeInChildren() { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }

    /// Reading and writing never wait from now on.
    package func neverWait() { _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) }

    // MARK: reading and writing

    /// Reads what is there, at most so many bytes; none at the end.
    package func read(atMost limit: Int) throws(SystemError) -> [UInt8] {
        try bytes(limit) { systemRead(number, $0.baseAddress, limit) }
    }

    /// Reads bytes from a position on; fewer where the file ends before.
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

    /// Writes as much as is taken at once.
    package func write(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> Int {
        let result = bytes.withUnsafeBytes { buffer in
            uninterrupted { systemWrite(number, buffer.baseAddress, buffer.count) }
        }
        return try result.get()
    }

    /// Writes all of a text, however long that takes.
    package func writeAll(_ text: String) throws(SystemError) { try writeAll(Array(text.utf8)) }

    /// Writes all bytes, as the same with a text does.
    package func writeAll(_ bytes: [UInt8]) throws(SystemError) {
        let failure: SystemError? = bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                switch uninterrupted({ systemWrite(number, rest.baseAddress, rest.count) }) {
                case .success(0): return .inputOutput
                case .success(let count): rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                case .failure(.wouldWait):
                    // Somebody else who holds the same terminal made it one that does not wait.
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

    /// Sends on a socket without waiting; a peer that has gone and a full socket lose it.
    package func send(_ bytes: [UInt8]) {
        #if canImport(Darwin)
        let flags = MSG_DONTWAIT
        #else
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        #endif
        _ = systemSend(number, bytes, bytes.count, flags)
    }

    /// Waits until one of two descriptors has something to read, has ended, or failed.
    ///
    /// A descriptor with a negative number never has anything.
    /// - Returns: Whether the second one has; nil when the waiting itself fails.
    package static func waitForEither(_ first: Descriptor, _ second: Descriptor) -> Bool? {
        var awaited = [first, second].map { pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0) }
        guard case .success = uninterrupted({ poll(&awaited, 2, -1) }) else { return nil }
        return awaited[1].revents != 0
    }

    /// Waits until there is something to read or the end; false when neither comes within the limit, which may be none.
    package func waitUntilReadable(seconds limit: Int?) -> Bool {
        var awaited = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        let result = uninterrupted { poll(&awaited, 1, limit.map { Int32(clamping: $0 * 1000) } ?? -1) }
        return (try? result.get()) != 0
    }

    // MARK: files

    /// Whether nobody else holds the lock of the file, which is then held here.
    package func tryLock() -> Bool { flock(number, LOCK_EX | LOCK_NB) == 0 }

    package func unlock() { _ = flock(number, LOCK_UN) }

    package func truncate(to length: Int) throws(SystemError) {
        _ = try uninterrupted { ftruncate(number, off_t(length)) }.get()
    }

    /// Returns once the disk has what was written.
    package func synchronize() throws(SystemError) {
        #if canImport(Darwin)
        // There fsync(2) leaves the bytes in the memory of the disk.
        if fcntl(number, F_FULLFSYNC) != -1 { return }
        #endif
        _ = try uninterrupted { fsync(number) }.get()
    }

    /// Where the next byte is read.
    package var position: Int { max(0, Int(lseek(number, 0, SEEK_CUR))) }

    /// The length of the file; the position is then behind it.
    package func length() throws(SystemError) -> Int { try uninterrupted { Int(lseek(number, 0, SEEK_END)) }.get() }

    // MARK: terminals

    package var isTerminal: Bool { isatty(number) == 1 }

    /// The columns of the terminal; nil for anything else.
    package var terminalWidth: Int? {
        var size = winsize()
        guard ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}

/// What a path or a descriptor leads to.
package struct FileStatus: Sendable {
    package enum Kind: Sendable { case regular, folder, pipe, other }

    package let kind: Kind
    package let size: Int
    /// What tells a file from another one that has its name later.
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

/// Makes a folder that is its owner's alone; one that exists will do.
package func makeFolder(_ path: String) throws(SystemError) {
    guard mkdir(path, 0o700) != 0 else { return }
    let error = SystemError.last
    if error != .fileExists { throw error }
}

// The system's calls under names that no method of the same name hides.

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

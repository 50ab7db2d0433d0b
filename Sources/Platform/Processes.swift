import HoldfastCLibrary

package typealias ProcessID = Int32

package enum Processes {
    /// The absolute path of this program; nil if the system does not report it.
    package static var ownProgram: String? {
        var path = [CChar](repeating: 0, count: 1 << 14)
        #if canImport(Darwin)
        var size = UInt32(path.count)
        guard _NSGetExecutablePath(&path, &size) == 0 else { return nil }
        #else
        guard readlink("/proc/self/exe", &path, path.count - 1) > 0 else { return nil }
        #endif
        return String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    package static var own: ProcessID { getpid() }

    package static func endNow(_ code: Int32) -> Never { _exit(code) }

    /// Waits until a child has ended, without reaping it, so that its id is not reused.
    package static func waitForEnd(of child: ProcessID) {
        var info = siginfo_t()
        _ = uninterrupted { waitid(P_PID, id_t(child), &info, WEXITED | WNOWAIT) }
    }

    /// Whether a child has ended and has not been reaped.
    package static func hasEnded(_ child: ProcessID) -> Bool {
        var info = siginfo_t()
        // If no child has ended, the call succeeds and writes nothing.
        return waitid(P_PID, id_t(child), &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_signo == SIGCHLD
    }

    /// A child that has ended and has not been reaped.
    package static var endedChild: ProcessID? {
        var info = siginfo_t()
        guard waitid(P_ALL, 0, &info, WEXITED | WNOWAIT | WNOHANG) == 0, info.si_signo == SIGCHLD else { return nil }
        #if canImport(Glibc)
        return info._sifields._sigchld.si_pid
        #elseif canImport(Musl)
        return info.__si_fields.__si_common.__first.__piduid.si_pid
        #else
        return info.si_pid
        #endif
    }

    /// Reaps a child; false while it runs.
    package static func reap(_ child: ProcessID) -> Bool {
        var status: Int32 = 0
        return waitpid(child, &status, WNOHANG) == child
    }

    package static func pause(microseconds: UInt32) { usleep(microseconds) }

    /// On Linux, lowers the priority of this thread for good: it gets about a tenth of a contended processor.
    package static func letOthersRunFirst() {
        #if os(Linux)
        _ = setpriority(.init(PRIO_PROCESS.rawValue), 0, 10)
        #endif
    }

    /// Makes this program the parent of orphaned processes; false if the system cannot.
    package static func adoptOrphans() -> Bool {
        #if os(Linux)
        guard let control = function("prctl", as: Control.self) else { return false }
        let setChildSubreaper: Int32 = 36
        return control(setChildSubreaper, 1, 0, 0, 0) == 0
        #else
        return false
        #endif
    }

    /// Raises the limit of open files and sockets to the allowed maximum.
    /// - Returns: The new limit.
    package static func raiseOpenFiles() -> Int {
        #if canImport(Glibc)
        let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let openFiles = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(openFiles, &limit) == 0 else { return .max }
        var raised = limit
        raised.rlim_cur = limit.rlim_max
        if setrlimit(openFiles, &raised) == 0 { limit = raised }
        return Int(clamping: limit.rlim_cur)
    }

    package static var canLimitOthers: Bool {
        #if os(Linux)
        return processLimit != nil
        #else
        return false
        #endif
    }

    /// Sets the soft limit for the size of files that a process writes; nil for the allowed maximum.
    /// - Returns: False if the process is gone, or if this system cannot set the limits of other processes.
    package static func limitFileSize(of process: ProcessID, to bytes: UInt64?) throws(SystemError) -> Bool {
        #if os(Linux)
        guard let processLimit else { return false }
        #if canImport(Glibc)
        let fileSize = Int32(RLIMIT_FSIZE.rawValue)
        #else
        let fileSize = RLIMIT_FSIZE
        #endif
        var limit = rlimit()
        var result = processLimit(process, fileSize, nil, &limit)
        if result == 0 {
            limit.rlim_cur = min(limit.rlim_max, bytes.map { rlim_t($0) } ?? limit.rlim_max)
            result = processLimit(process, fileSize, &limit, nil)
        }
        if result == 0 { return true }
        let error = SystemError.last
        if error == .noSuchProcess { return false }
        throw error
        #else
        return false
        #endif
    }

    #if os(Linux)
    // Functions missing from the C library's module: prctl(2) is variadic, prlimit(2) is an extension.
    private typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
    private typealias ProcessLimit =
        @convention(c) (pid_t, Int32, UnsafePointer<rlimit>?, UnsafeMutablePointer<rlimit>?) -> Int32
    private static let processLimit = function("prlimit", as: ProcessLimit.self)

    private static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        dlsym(nil, name).map { unsafeBitCast($0, to: type) }
    }
    #endif

    /// Runs a command from the `PATH` and returns its output; nil if it is missing or fails.
    package static func output(of command: [String]) -> [UInt8]? {
        guard let name = command.first, let pipe = Descriptor.pipe() else { return nil }
        defer { pipe.reading.close() }
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipe.writing.number, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        let arguments = command.map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        var child: ProcessID = 0
        let failure = posix_spawnp(&child, name, &actions, nil, arguments + [nil], environ)
        pipe.writing.close()
        guard failure == 0 else { return nil }
        var bytes: [UInt8] = []
        while let more = try? pipe.reading.read(atMost: 256 << 10), !more.isEmpty { bytes += more }
        var status: Int32 = 0
        _ = uninterrupted { waitpid(child, &status, 0) }
        return status == 0 ? bytes : nil
    }
}

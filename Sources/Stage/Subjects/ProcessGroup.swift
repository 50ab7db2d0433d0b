#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The processes of one subject: those of its group, and those that left it but still carry its mark in their environment.
struct ProcessGroup: Sendable {
    /// The process that was started, which leads the group.
    let leader: pid_t
    /// The variable that every descendant inherits, as `NAME=value`.
    let mark: String

    /// Ends the whole group at once; may be called on any thread.
    func kill() {
        _ = signalGroup(leader, SIGKILL)
    }

    /// Whether the leader is over and waits to be noticed.
    var leaderHasEnded: Bool {
        var info = siginfo_t()
        // Without an end to tell, the call succeeds and writes nothing.
        return waitid(P_PID, id_t(leader), &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_signo == SIGCHLD
    }

    /// The time on processors that those of it used that still run; nil where nobody tells.
    var processorTime: Duration? {
        let times = members().compactMap(ProcessTable.processorTime)
        return times.isEmpty ? nil : times.reduce(.zero, +)
    }

    /// Sends SIGTERM to the leader, as a service manager does.
    func terminate() {
        _ = signalOne(leader, SIGTERM)
    }

    /// Ends what is left of it, also outside the group, until nothing is found.
    /// - Returns: Whether something was there besides its leader.
    func sweep() -> Bool {
        var hadStayed = false
        var quietRounds = 0
        // A process that begins while the table is read is not seen in it, so one empty round proves nothing.
        for _ in 0..<100 {
            let left = members().filter { $0 != leader }
            kill()
            for member in left { _ = signalOne(member, SIGKILL) }
            if !left.isEmpty { hadStayed = true }
            quietRounds = left.isEmpty ? quietRounds + 1 : 0
            if quietRounds == 2 { break }
            usleep(2000)
        }
        return hadStayed
    }

    private func signalGroup(_ group: pid_t, _ number: Int32) -> Int32 { killpg(group, number) }

    private func signalOne(_ process: pid_t, _ number: Int32) -> Int32 {
        #if canImport(Glibc)
        Glibc.kill(process, number)
        #elseif canImport(Musl)
        Musl.kill(process, number)
        #else
        Darwin.kill(process, number)
        #endif
    }

    /// Every process of the subject that is not yet over; empty where `/proc` does not tell.
    func members() -> [pid_t] {
        ProcessTable.processes().filter { process in
            guard let status = ProcessTable.status(of: process), status.state != "Z", status.state != "X" else {
                return false
            }
            return status.group == leader || ProcessTable.environment(of: process, holds: mark)
        }
    }

    // MARK: writes

    /// Why writes cannot be refused.
    enum LimitProblem: Error, Equatable {
        case notPossibleHere
        case noProcess
        case refused(process: pid_t, errno: Int32)
    }

    /// The largest size of a file that a write may reach while writes are refused; the least that a kernel tells from 0.
    static let refusedBeyond: UInt64 = 4

    /// Sets the soft limit of the size of files on every process, also on those that come about meanwhile; children inherit it.
    /// - Parameter bytes: The limit; nil for as much as each process may.
    /// - Returns: How many processes have it.
    /// - Throws: Why none, or not all, can have it.
    func limitFileSize(to bytes: UInt64?) throws(LimitProblem) -> Int {
        #if os(Linux)
        var done: Set<pid_t> = []
        for _ in 0..<10 {
            let new = members().filter { !done.contains($0) }
            if new.isEmpty { break }
            for process in new {
                if try Self.limit(process, bytes) { done.insert(process) }
            }
        }
        if done.isEmpty { throw .noProcess }
        return done.count
        #else
        throw .notPossibleHere
        #endif
    }

    #if os(Linux)
    /// prlimit(2), which the module of the C library leaves out.
    private typealias ProcessLimit =
        @convention(c) (pid_t, Int32, UnsafePointer<rlimit>?, UnsafeMutablePointer<rlimit>?) -> Int32
    private static let processLimit: ProcessLimit? = dlsym(nil, "prlimit").map {
        unsafeBitCast($0, to: ProcessLimit.self)
    }
    private static let fileSize = Int32(RLIMIT_FSIZE.rawValue)

    /// Sets the soft limit of one process; false when it is gone.
    private static func limit(_ process: pid_t, _ bytes: UInt64?) throws(LimitProblem) -> Bool {
        guard let processLimit else { throw .notPossibleHere }
        var limit = rlimit()
        guard processLimit(process, fileSize, nil, &limit) == 0 else { return try gone(process) }
        limit.rlim_cur = min(limit.rlim_max, bytes.map { rlim_t($0) } ?? limit.rlim_max)
        guard processLimit(process, fileSize, &limit, nil) == 0 else { return try gone(process) }
        return true
    }

    /// False for a process that has ended meanwhile; any other refusal is thrown.
    private static func gone(_ process: pid_t) throws(LimitProblem) -> Bool {
        let number = errno
        if number == ESRCH { return false }
        throw .refused(process: process, errno: number)
    }
    #endif
}

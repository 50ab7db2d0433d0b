@preconcurrency import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Processes whose parents have ended, and that the system gave to this program instead of the first process of the machine.
///
/// A daemon leaves its group, and may clear the environment that marks it; then only its parent tells whose it is. Linux gives
/// orphans to the nearest ancestor that asked for them (`PR_SET_CHILD_SUBREAPER`). This has to be the program itself: what
/// starts subjects is their parent, and a subject that were asked to adopt would see children it never made.
struct Orphans {
    /// The process that outlives the suite, which is none of them.
    var guardian: pid_t?
    /// Ends the processes' last traces now and then.
    private let collector: any DispatchSourceTimer

    /// The longest an end of orphans may take; each round ends all there are, but they may make new ones.
    private static let patience = Duration.seconds(3)

    /// Asks the system for orphans; nil where it gives none, or where children of somebody else are there already, as after
    /// an `exec` of a shell.
    static func adopt() -> Orphans? {
        #if os(Linux)
        let me = getpid()
        guard !ProcessTable.children(of: me).contains(where: { $0.status.state != "Z" }), let control,
            control(setChildSubreaper, 1, 0, 0, 0) == 0
        else { return nil }
        let collector = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
        collector.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(200))
        collector.setEventHandler { RunningSubjects.reap() }
        collector.activate()
        return Orphans(guardian: nil, collector: collector)
        #else
        return nil
        #endif
    }

    /// Ends all of them, and those they leave in turn, until none is left; none of the suite's own may be about to start.
    /// - Parameter groups: Leaders that are waited for elsewhere.
    /// - Returns: Whether one was alive.
    func end(sparing groups: Set<pid_t> = []) -> Bool {
        var wasAlive = false
        var quietRounds = 0
        let limit = ContinuousClock.now + Self.patience
        // A process may begin while the table is read: one that forked and ended meanwhile left a trace that is found here.
        while quietRounds < 2, ContinuousClock.now < limit {
            let found = ProcessTable.children(of: getpid()).filter {
                $0.process != guardian && !groups.contains($0.process)
            }
            for orphan in found where !Self.wasReaped(orphan.process) {
                wasAlive = true
                _ = kill(orphan.process, SIGKILL)
            }
            quietRounds = found.isEmpty ? quietRounds + 1 : 0
            usleep(2000)
        }
        return wasAlive
    }

    /// Takes note of those that have ended, so that the system forgets them.
    func reap(sparing groups: Set<pid_t>) {
        while true {
            var info = siginfo_t()
            guard waitid(P_ALL, 0, &info, WEXITED | WNOWAIT | WNOHANG) == 0, info.si_signo == SIGCHLD else { return }
            // One that is waited for elsewhere hides the others, for the moment until it is.
            let process = Self.process(of: info)
            guard process != guardian, !groups.contains(process), Self.wasReaped(process) else { return }
        }
    }

    private static func wasReaped(_ process: pid_t) -> Bool {
        var status: Int32 = 0
        return waitpid(process, &status, WNOHANG) == process
    }

    private static func process(of info: siginfo_t) -> pid_t {
        #if canImport(Glibc)
        info._sifields._sigchld.si_pid
        #elseif canImport(Musl)
        info.__si_fields.__si_common.__first.__piduid.si_pid
        #else
        info.si_pid
        #endif
    }

    #if os(Linux)
    /// prctl(2), which the module of the C library leaves out because it takes any number of arguments.
    private typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
    private static let control: Control? = dlsym(nil, "prctl").map { unsafeBitCast($0, to: Control.self) }
    /// PR_SET_CHILD_SUBREAPER.
    private static let setChildSubreaper: Int32 = 36
    #endif
}

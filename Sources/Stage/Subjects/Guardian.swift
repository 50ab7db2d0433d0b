import Basics
import Subprocess
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A small process that outlives the suite by a moment: when the suite ends without ending its subjects, it kills them.
///
/// Only a process of its own can do that, because nothing runs in a suite that was killed. It holds the other end of a socket,
/// keeps the list of groups it is told, and acts when the socket ends. Where it cannot be started, nothing else changes.
final class Guardian: Sendable {
    private static let script = """
        groups=' '
        while read -r sign group; do
            case $sign in
            +) groups="$groups$group " ;;
            -) groups="${groups%% $group *} ${groups#* $group }" ;;
            esac
        done
        for group in $groups; do kill -KILL "-$group" 2>/dev/null; done
        """

    private let socket: Int32
    private let order = Mutex(())
    private let started: Latch<pid_t?>

    private init(socket: Int32, started: Latch<pid_t?>) {
        self.socket = socket
        self.started = started
    }

    /// Whether it is known which process it is, or that there is none.
    var isSettled: Bool { started.value != nil }

    /// Its number, while it runs.
    var process: pid_t? { started.value ?? nil }

    /// Starts one; nil where that fails.
    static func start() -> Guardian? {
        var ends: [Int32] = [-1, -1]
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (ours, theirs) = (ends[0], ends[1])
        #if canImport(Darwin)
        var yes: Int32 = 1
        setsockopt(ours, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
        #endif
        var options = PlatformOptions()
        // A Ctrl-C at the terminal is meant for the suite.
        options.processGroupID = 0
        let configuration = Configuration(
            executable: .path("/bin/sh"), arguments: ["-c", script], environment: .inherit, platformOptions: options)
        let started = Latch<pid_t?>()
        Task.detached {
            do {
                _ = try await Subprocess.run(
                    configuration, input: .fileDescriptor(.init(rawValue: theirs), closeAfterSpawningProcess: false),
                    output: .discarded, error: .discarded
                ) { execution in
                    close(theirs)
                    started.set(execution.processIdentifier.value)
                }
            } catch {
                if started.set(nil) { close(theirs) }
            }
        }
        return Guardian(socket: ours, started: started)
    }

    /// Names a group to kill in the end.
    func add(_ group: pid_t) { tell("+ \(group)\n") }

    /// Takes a group off the list.
    func remove(_ group: pid_t) { tell("- \(group)\n") }

    private func tell(_ line: String) {
        let bytes = Array(line.utf8)
        order.withLock { _ in
            #if os(Linux)
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            #else
            let flags = MSG_DONTWAIT
            #endif
            _ = send(socket, bytes, bytes.count, flags)
        }
    }
}

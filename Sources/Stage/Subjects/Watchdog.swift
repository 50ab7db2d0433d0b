import HoldfastBasics
import HoldfastPlatform
import Subprocess

/// A small process that outlives the suite by a moment: when the suite ends without ending its subjects, it kills them.
///
/// Only a separate process can do that, because nothing runs in a suite that was killed. It holds the other end of a
/// socket, keeps the list of groups that it receives, and acts when the socket ends. The suite also works without it.
final class Watchdog: Sendable {
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

    private let socket: Descriptor
    private let order = Mutex(())
    private let started: Latch<ProcessID?>

    private init(socket: Descriptor, started: Latch<ProcessID?>) { (self.socket, self.started) = (socket, started) }

    /// Whether its process is known, or known to be absent.
    var isSettled: Bool { started.value != nil }

    var process: ProcessID? { started.value ?? nil }

    static func start() -> Watchdog? {
        guard let (ours, theirs) = Descriptor.socketPair() else { return nil }
        var options = PlatformOptions()
        // A Ctrl-C at the terminal is meant for the suite only.
        options.processGroupID = 0
        let configuration = Configuration(
            executable: .path("/bin/sh"), arguments: ["-c", script], environment: .inherit, platformOptions: options)
        let started = Latch<ProcessID?>()
        Task.detached {
            do {
                _ = try await Subprocess.run(
                    configuration,
                    input: .fileDescriptor(.init(rawValue: theirs.number), closeAfterSpawningProcess: false),
                    output: .discarded, error: .discarded
                ) { execution in
                    theirs.close()
                    started.set(execution.processIdentifier.value)
                }
            } catch {
                if started.set(nil) { theirs.close() }
            }
        }
        return Watchdog(socket: ours, started: started)
    }

    func add(_ group: ProcessID) { send("+ \(group)\n") }

    func remove(_ group: ProcessID) { send("- \(group)\n") }

    private func send(_ line: String) { order.withLock { _ in socket.send(Array(line.utf8)) } }
}

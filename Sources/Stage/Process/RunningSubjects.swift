import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Every process group the suite has started and not yet seen ended.
public enum RunningSubjects {
    private static let guardian = Guardian.start()
    private static let groups = Mutex<Set<pid_t>>([])

    static func add(_ group: pid_t) {
        _ = groups.withLock { $0.insert(group) }
        guardian?.add(group)
    }

    static func remove(_ group: pid_t) {
        _ = groups.withLock { $0.remove(group) }
        guardian?.remove(group)
    }

    /// Kills all of them; for a program that ends this very moment and has no time to end them in order.
    public static func killAll() {
        groups.withLock { groups in
            for group in groups { _ = killpg(group, SIGKILL) }
        }
    }
}

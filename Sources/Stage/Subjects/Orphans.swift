@preconcurrency import Dispatch
import HoldfastPlatform

/// Processes whose parents have ended, and which the system reparented to this program instead of init.
///
/// A daemon leaves its group, and may clear the environment that marks it; then only its parent shows whose it is.
/// Linux gives orphans to the nearest ancestor that asked for them (`PR_SET_CHILD_SUBREAPER`). That must be the program
/// itself, which is the parent of all subjects; a subject that adopted them would see foreign children.
struct Orphans {
    /// The process that outlives the suite, which is not an orphan.
    var watchdog: ProcessID?
    private let collector: any DispatchSourceTimer

    /// The longest time for ending orphans; each round ends all that exist, but they may make new ones.
    private static let patience = Duration.seconds(3)

    /// Asks the system for orphans; nil if it gives none, or if this process already has foreign children, as after an
    /// `exec` of a shell.
    static func adopt() -> Orphans? {
        guard !ProcessTable.children(of: Processes.own).contains(where: { $0.status.state != "Z" }),
            Processes.adoptOrphans()
        else { return nil }
        let collector = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
        collector.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(200))
        collector.setEventHandler { RunningSubjects.reap() }
        collector.activate()
        return Orphans(watchdog: nil, collector: collector)
    }

    /// Ends all orphans, and the children they leave, until none is left; meanwhile the suite must start no process.
    /// - Parameter groups: Leaders that other code waits for.
    /// - Returns: Whether one was alive.
    func end(sparing groups: Set<ProcessID> = []) -> Bool {
        var wasAlive = false
        var quietRounds = 0
        let limit = ContinuousClock.now + Self.patience
        // A process that begins, forks and ends while the table is read is found as a zombie in the next round.
        while quietRounds < 2, ContinuousClock.now < limit {
            let found = ProcessTable.children(of: Processes.own).filter {
                $0.process != watchdog && !groups.contains($0.process)
            }
            for orphan in found where !Processes.reap(orphan.process) {
                wasAlive = true
                SystemSignal.kill.send(to: orphan.process)
            }
            quietRounds = found.isEmpty ? quietRounds + 1 : 0
            Processes.pause(microseconds: 2000)
        }
        return wasAlive
    }

    func reap(sparing groups: Set<ProcessID>) {
        // A child that other code waits for hides the others until that code has reaped it.
        while let process = Processes.endedChild, process != watchdog, !groups.contains(process),
            Processes.reap(process)
        {}
    }
}

@preconcurrency import Dispatch
import HoldfastPlatform

/// Processes whose parents have ended, and that the system gave to this program instead of the first process of the machine.
///
/// A daemon leaves its group, and may clear the environment that marks it; then only its parent tells whose it is. Linux gives
/// orphans to the nearest ancestor that asked for them (`PR_SET_CHILD_SUBREAPER`). This has to be the program itself: what
/// starts subjects is their parent, and a subject that were asked to adopt would see children it never made.
struct Orphans {
    /// The process that outlives the suite, which is none of them.
    var guardian: ProcessID?
    /// Ends the processes' last traces now and then.
    private let collector: any DispatchSourceTimer

    /// The longest an end of orphans may take; each round ends all there are, but they may make new ones.
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
        return Orphans(guardian: nil, collector: collector)
    }

    /// Ends all of them, and those they leave in turn, until none is left; none of the suite's own may be about to start.
    /// - Parameter groups: Leaders that are waited for elsewhere.
    /// - Returns: Whether one was alive.
    func end(sparing groups: Set<ProcessID> = []) -> Bool {
        var wasAlive = false
        var quietRounds = 0
        let limit = ContinuousClock.now + Self.patience
        // A process may begin while the table is read: one that forked and ended meanwhile left a trace that is found here.
        while quietRounds < 2, ContinuousClock.now < limit {
            let found = ProcessTable.children(of: Processes.own).filter {
                $0.process != guardian && !groups.contains($0.process)
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

    /// Takes note of those that have ended, so that the system forgets them.
    func reap(sparing groups: Set<ProcessID>) {
        // A child that other code waits for hides the others until that code has reaped it.
        while let process = Processes.endedChild, process != guardian, !groups.contains(process),
            Processes.reap(process)
        {}
    }
}

import HoldfastPlatform

/// The processes of one subject: its group, and those outside the group with its mark in their environment.
struct ProcessGroup: Sendable {
    let leader: ProcessID
    /// The variable that every descendant inherits, as `NAME=value`.
    let mark: String

    /// Ends the whole group at once; may be called on any thread.
    func kill() { SystemSignal.kill.send(toGroup: leader) }

    /// Whether the leader has ended but was not yet waited for.
    var leaderHasEnded: Bool { Processes.hasEnded(leader) }

    var processorTime: Duration? {
        let times = members().compactMap(ProcessTable.processorTime)
        return times.isEmpty ? nil : times.reduce(.zero, +)
    }

    /// Sends SIGTERM to the leader, as a service manager does.
    func terminate() { SystemSignal.terminate.send(to: leader) }

    /// The time in which killed processes must be gone, which takes longer on a busy machine.
    private static let sweepLimit = Duration.seconds(5)

    /// Ends its remaining processes, even outside the group, until none is found.
    /// - Returns: Whether there were any besides its leader.
    func sweep() -> Bool {
        var foundOthers = false
        var quietRounds = 0
        // A process that begins while the table is read is not seen in it, so one empty round proves nothing.
        let deadline = ContinuousClock.now + Self.sweepLimit
        while ContinuousClock.now < deadline {
            let left = members().filter { $0 != leader }
            kill()
            for member in left { SystemSignal.kill.send(to: member) }
            if !left.isEmpty { foundOthers = true }
            quietRounds = left.isEmpty ? quietRounds + 1 : 0
            if quietRounds == 2 { break }
            Processes.pause(microseconds: 2000)
        }
        return foundOthers
    }

    /// Every process of the subject that has not ended; empty without `/proc`.
    func members() -> [ProcessID] {
        let began = ProcessTable.status(of: leader)?.began ?? 0
        return ProcessTable.processes().filter { process in
            // Kernel threads have no group; on many machines they are most of the table.
            guard let status = ProcessTable.status(of: process), status.group > 0, status.state != "Z",
                status.state != "X"
            else { return false }
            // A process older than the leader is foreign; its age is cheaper to read than its environment.
            return status.group == leader
                || (status.began >= began && ProcessTable.environment(of: process, holds: mark))
        }
    }

    // MARK: writes

    enum LimitProblem: Error, Equatable {
        case notPossibleHere
        case noProcess
        case refused(process: ProcessID, reason: SystemError)
    }

    /// The file size up to which writes still succeed during a fault; the smallest that a kernel distinguishes from 0.
    static let refusedBeyond: UInt64 = 4

    /// Sets the soft limit on file sizes for every process, even those that begin meanwhile; children inherit it.
    /// - Parameter bytes: The limit; nil for the allowed maximum of each process.
    /// - Returns: The number of processes with the limit.
    /// - Throws: The reason why the limit cannot be set for all of them, or for any.
    func limitFileSize(to bytes: UInt64?) throws(LimitProblem) -> Int {
        guard Processes.canLimitOthers else { throw .notPossibleHere }
        var done: Set<ProcessID> = []
        for _ in 0..<10 {
            let new = members().filter { !done.contains($0) }
            if new.isEmpty { break }
            for process in new {
                do throws(SystemError) {
                    if try Processes.limitFileSize(of: process, to: bytes) { done.insert(process) }
                } catch {
                    throw .refused(process: process, reason: error)
                }
            }
        }
        if done.isEmpty { throw .noProcess }
        return done.count
    }
}

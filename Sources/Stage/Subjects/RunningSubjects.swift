import HoldfastPlatform

/// The process groups that the suite started and that have not ended, and the processes that they leave behind.
package enum RunningSubjects {
    private struct State {
        var groups: Set<ProcessID> = []
        /// The number of starts under way, each of which may have a process without a group.
        var starting = 0
        var adoption = Adoption.notRequested
    }

    private enum Adoption { case notRequested, requested, refused, running(Orphans) }

    private static let watchdog = Watchdog.start()
    private static let state = Mutex(State())

    /// From now on, adopts the processes that subjects leave behind, and ends them.
    ///
    /// Only for programs that start no other children.
    package static func adoptOrphans() {
        state.withLock { state in
            if case .notRequested = state.adoption { state.adoption = .requested }
        }
    }

    /// Notes that a process is about to be started; followed by ``add(_:)`` or ``noneStarted()``.
    static func willStart() {
        state.withLock { state in
            if case .requested = state.adoption {
                state.adoption = Orphans.adopt().map(Adoption.running) ?? .refused
            }
            state.starting += 1
        }
        // The watchdog starts only now, because it is a child as well.
        _ = watchdog
    }

    static func noneStarted() { state.withLock { $0.starting -= 1 } }

    static func add(_ group: ProcessID) {
        state.withLock { state in
            state.starting -= 1
            state.groups.insert(group)
        }
        watchdog?.add(group)
    }

    /// Forgets a group that has ended.
    ///
    /// Processes that subjects left behind are ended with the last subject: before that, their owner is unknown.
    /// - Returns: Whether there were any.
    static func remove(_ group: ProcessID) -> Bool {
        watchdog?.remove(group)
        return state.withLock { state in
            state.groups.remove(group)
            guard state.groups.isEmpty, let orphans = orphans(state) else { return false }
            let foundOrphans = orphans.end()
            if foundOrphans { DataFolder.removeAgain() }
            return foundOrphans
        }
    }

    static func reap() { state.withLock { state in orphans(state)?.reap(sparing: state.groups) } }

    /// The orphans, if they are adopted; nil while a start is under way, whose process would look like an orphan.
    private static func orphans(_ state: State) -> Orphans? {
        guard case .running(var orphans) = state.adoption, state.starting == 0, watchdog?.isSettled ?? true
        else { return nil }
        orphans.watchdog = watchdog?.process
        return orphans
    }

    /// Kills all of them and removes their folders; for a program about to exit, which cannot end them properly.
    package static func killAll() {
        state.withLock { state in
            for group in state.groups { SystemSignal.kill.send(toGroup: group) }
            _ = orphans(state)?.end(sparing: state.groups)
        }
        DataFolder.removeAll()
    }
}

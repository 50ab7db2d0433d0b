import HoldfastPlatform

/// Every process group the suite has started and not yet seen ended, and what such a group leaves behind.
package enum RunningSubjects {
    private struct State {
        var groups: Set<ProcessID> = []
        /// How many are about to run: each may have a process that is in no group yet.
        var starting = 0
        var adoption = Adoption.unasked
    }

    private enum Adoption { case unasked, asked, refused, running(Orphans) }

    private static let guardian = Guardian.start()
    private static let state = Mutex(State())

    /// Lets this program adopt what subjects leave behind, from the first one on; what it adopts, it ends.
    ///
    /// For programs that start no other children than subjects.
    package static func adoptOrphans() {
        state.withLock { state in
            if case .unasked = state.adoption { state.adoption = .asked }
        }
    }

    /// A process is about to be started; followed by ``add(_:)`` or ``noneStarted()``.
    static func willStart() {
        state.withLock { state in
            if case .asked = state.adoption {
                state.adoption = Orphans.adopt().map(Adoption.running) ?? .refused
            }
            state.starting += 1
        }
        // Started only now, because it is a child as well.
        _ = guardian
    }

    static func noneStarted() { state.withLock { $0.starting -= 1 } }

    static func add(_ group: ProcessID) {
        state.withLock { state in
            state.starting -= 1
            state.groups.insert(group)
        }
        guardian?.add(group)
    }

    /// Forgets a group that has ended.
    ///
    /// Processes that subjects left behind end with the last subject: before that, their owner is unknown.
    /// - Returns: Whether something had stayed.
    static func remove(_ group: ProcessID) -> Bool {
        guardian?.remove(group)
        return state.withLock { state in
            state.groups.remove(group)
            guard state.groups.isEmpty, let orphans = orphans(state) else { return false }
            let hadStayed = orphans.end()
            if hadStayed { DataFolder.removeAgain() }
            return hadStayed
        }
    }

    /// Lets the system forget orphans that have ended.
    static func reap() { state.withLock { state in orphans(state)?.reap(sparing: state.groups) } }

    /// The orphans, found before the suite starts anything else.
    private static func orphans(_ state: State) -> Orphans? {
        guard case .running(var orphans) = state.adoption, state.starting == 0, guardian?.isSettled ?? true
        else { return nil }
        orphans.guardian = guardian?.process
        return orphans
    }

    /// Kills all of them and removes their folders; for a program that ends this very moment and has no time to end them in
    /// order.
    package static func killAll() {
        state.withLock { state in
            for group in state.groups { SystemSignal.kill.send(toGroup: group) }
            _ = orphans(state)?.end(sparing: state.groups)
        }
        DataFolder.removeAll()
    }
}

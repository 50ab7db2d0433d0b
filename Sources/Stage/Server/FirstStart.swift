import HoldfastBasics
import HoldfastPlatform

/// Whether the subject of a run starts at all: if its command fails, the other scenarios do not try it again.
///
/// A command that starts something other than a WebSocket server does not start the subject.
final class FirstStart: Sendable {
    private let subject: ServerSubject
    private struct State {
        /// How many starts are under way.
        var pending = 0
        /// Why the first of them failed.
        var problem: HarnessProblem?
    }

    private let state = Mutex(State())
    /// Set once a start succeeded, with nil, or all that were tried together have failed.
    private let decision = Latch<HarnessProblem?>()

    init(of subject: ServerSubject) { self.subject = subject }

    /// Why no subject starts; nil while none has failed, and once one has started.
    var problem: HarnessProblem? { decision.value ?? nil }

    /// A start that others wait for: when one fails, those under way decide.
    func trying(
        _ start: () async throws(HarnessProblem) -> SubjectInstance
    ) async throws(HarnessProblem) -> SubjectInstance {
        state.withLock { $0.pending += 1 }
        do throws(HarnessProblem) {
            let instance = try await start()
            if decision.value == nil { try await reach(instance) }
            decision.set(nil)
            end(with: nil)
            return instance
        } catch {
            // An interrupted start proves nothing.
            end(with: Task.isCancelled ? nil : error)
            throw error
        }
    }

    private func reach(_ instance: SubjectInstance) async throws(HarnessProblem) {
        do throws(HarnessProblem) {
            try await subject.at(instance).reach()
        } catch {
            // The scenarios report how a server ends that exits at its first upgrade.
            if await instance.exit(within: Self.exitDelay) != nil { return }
            await instance.end()
            throw error
        }
    }

    /// How long after its last connection the exit of a process may be noticed.
    private static let exitDelay = Duration.seconds(1)

    private func end(with problem: HarnessProblem?) {
        let final: HarnessProblem? = state.withLock { state in
            state.pending -= 1
            state.problem = state.problem ?? problem
            return state.pending == 0 ? state.problem : nil
        }
        if let final { decision.set(final) }
    }

    /// Why nothing more is to be started; once a start has failed, this waits for those that are under way.
    func verdict() async -> HarnessProblem? {
        while decision.value == nil, state.withLock({ $0.problem != nil && $0.pending > 0 }), !Task.isCancelled {
            if let problem = await decision.wait(within: .seconds(60)) { return problem }
        }
        return problem
    }
}

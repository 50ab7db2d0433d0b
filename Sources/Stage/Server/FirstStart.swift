import HoldfastBasics
import HoldfastPlatform

/// Whether the subject of a run starts at all: if its command fails, the other scenarios do not try it again.
///
/// A command that starts something other than a WebSocket server counts as a failed start.
final class FirstStart: Sendable {
    private let subject: ServerSubject
    private struct State {
        var pending = 0
        var problem: HarnessProblem?
    }

    private let state = Mutex(State())
    /// Set once a start succeeded (nil), or once all simultaneous starts have failed.
    private let decision = Latch<HarnessProblem?>()

    init(of subject: ServerSubject) { self.subject = subject }

    /// The reason why no subject starts; nil before any failure, and after any success.
    var problem: HarnessProblem? { decision.value ?? nil }

    /// Performs a start that others wait for; if it fails, the other starts under way decide.
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
            // If a server exits at its first upgrade, the scenarios report it.
            if await instance.exit(within: Self.exitDelay) != nil { return }
            await instance.end()
            throw error
        }
    }

    /// The time to wait for the exit of a process that failed an upgrade.
    private static let exitDelay = Duration.seconds(1)

    private func end(with problem: HarnessProblem?) {
        let final: HarnessProblem? = state.withLock { state in
            state.pending -= 1
            state.problem = state.problem ?? problem
            return state.pending == 0 ? state.problem : nil
        }
        if let final { decision.set(final) }
    }

    /// The reason to start nothing more; after a failed start, this waits for those under way.
    func verdict() async -> HarnessProblem? {
        while decision.value == nil, state.withLock({ $0.problem != nil && $0.pending > 0 }), !Task.isCancelled {
            if let problem = await decision.wait(within: .seconds(60)) { return problem }
        }
        return problem
    }
}

/// Lets one command through at a time, in the order of asking.
actor CommandGate {
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    nonisolated func alone<Result: Sendable>(
        _ body: () async throws(StepEnd) -> Result
    ) async throws(StepEnd) -> Result {
        await enter()
        do throws(StepEnd) {
            let result = try await body()
            await leave()
            return result
        } catch {
            await leave()
            throw error
        }
    }

    /// Waits for its turn; each command is bounded, and so is the wait for it.
    private func enter() async {
        if !isBusy {
            isBusy = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Lets the next one through.
    private func leave() {
        if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
    }
}

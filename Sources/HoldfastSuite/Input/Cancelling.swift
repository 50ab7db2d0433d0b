/// Returns when a run has to end early.
package typealias Stop = @Sendable () async -> Void

/// Runs the body to its end, cancelled once `stop` returns; what it returns then is what was learnt so far.
func cancelling<Result: Sendable>(
    at stop: Stop?, _ body: @escaping @Sendable () async -> Result
) async -> (result: Result, wasInterrupted: Bool) {
    let task = Task { await body() }
    let guarding = Task {
        guard let stop else { return false }
        await stop()
        guard !Task.isCancelled else { return false }
        task.cancel()
        return true
    }
    return await withTaskCancellationHandler {
        let result = await task.value
        guarding.cancel()
        return (result, await guarding.value)
    } onCancel: {
        task.cancel()
    }
}

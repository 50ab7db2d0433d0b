/// Runs a body and then `end`, whether the body returned or threw.
package func finally<Result, Failure: Error>(
    _ end: () async -> Void, _ body: () async throws(Failure) -> Result
) async throws(Failure) -> Result {
    do throws(Failure) {
        let result = try await body()
        await end()
        return result
    } catch {
        await end()
        throw error
    }
}

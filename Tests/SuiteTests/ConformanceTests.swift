import HoldfastSuite
import Testing

/// A test case for each clause that the server is judged by; all of them share one run of the suite.
@Suite struct ConformanceTests {
    private static let run = Task { try await HoldfastSuite.server(MyServer.description) }

    @Test(arguments: HoldfastSuite.serverClauses(declaring: MyServer.profiles))
    func clause(_ id: String) async throws {
        let report = try await Self.run.value
        let clause = try #require(report[id])
        #expect(clause.isKept, "\(clause)")
    }
}

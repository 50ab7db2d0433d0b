import ClientDriver
import Holdfast
import HoldfastReport
import HoldfastStage

/// Puts a server to the test: performs scenarios over real connections and judges what was seen, clause by clause.
///
/// ```swift
/// let report = try await HoldfastSuite.server(ServerUnderTest(url: "ws://127.0.0.1:8080/ws"))
/// ```
/// - Parameters:
///   - server: The server, and what it declares.
///   - patterns: Only these clauses and scenarios, such as `SYNC-3`, `SYNC` or `server/SYNC/*`; all when empty.
///   - jobs: How many scenarios run at once, 16 by default; never more than there are principals.
/// - Returns: The result of each clause.
/// - Throws: Why nothing could be tested: a description that cannot be used, or a server that is not to be reached.
public func server(
    _ server: ServerUnderTest, only patterns: [String] = [], jobs: Int = 16
) async throws(SuiteProblem) -> SuiteReport {
    try await report { specification in
        let selection = try Selection(
            patterns, role: .server, of: specification, scenarios: specification.scenarios())
        let (subject, scope) = try server.subject(under: specification)
        return try await server.meeting(subject, under: specification) { subject in
            if subject.start == nil {
                do throws(HarnessProblem) {
                    try await subject.reach()
                } catch {
                    throw SuiteProblem(.unreachable, error.description)
                }
            }
            return try await ServerSuite(subject, under: specification, selection, scope: scope, jobs: max(1, jobs))
                .run()
        }
    }
}

/// Puts a client to the test: plays the server, the system and the person for it, and judges what it sent and showed.
///
/// ```swift
/// let report = try await HoldfastSuite.client(ClientUnderTest(driver: ["./my-driver"]))
/// ```
/// - Parameters:
///   - client: The client, and what it declares.
///   - patterns: Only these clauses and scenarios, such as `CLIENT-36` or `client/CLIENT/*`; all when empty.
///   - jobs: How many scenarios run at once, each with a client of its own.
/// - Returns: The result of each clause.
/// - Throws: Why nothing could be tested: a description that cannot be used, or a driver that does not answer.
public func client(
    _ client: ClientUnderTest, only patterns: [String] = [], jobs: Int = 64
) async throws(SuiteProblem) -> SuiteReport {
    try await report { specification in
        let selection = try ScenarioSelection(
            patterns, role: .client, of: specification, scenarios: specification.clientScenarios())
        try client.problems.throwAll()
        return try await client.meeting(under: specification) { source in
            let subject = try await client.subject(source)
            return try await ClientSuite(
                subject, at: source.location, under: specification, selection, jobs: max(1, jobs)
            )
            .run()
        }
    }
}

/// The ids of the clauses that a server is judged by, known without a run: a test case for each of them.
/// - Parameter profiles: The profiles it declares, such as `core` and `sync`; unknown names have no clauses.
/// - Returns: The ids, in the order of the specification.
public func serverClauses(declaring profiles: [String] = ["core"]) -> [String] { clauses(of: .server, profiles) }

/// The ids of the clauses that a client is judged by, known without a run: a test case for each of them.
/// - Parameter profiles: The profiles it declares, such as `client-core`; unknown names have no clauses.
/// - Returns: The ids, in the order of the specification.
public func clientClauses(declaring profiles: [String] = ["client-core"]) -> [String] { clauses(of: .client, profiles) }

private func clauses(of role: Role, _ profiles: [String]) -> [String] {
    guard let specification = try? Specification(.embedded) else { return [] }
    let declared = Set(profiles.compactMap(Profile.init))
    return specification.judgeable(role).filter { $0.undeclared(in: declared) == nil }.map(\.id.description)
}

/// Runs a body with errors of one type; a canceled run has no result.
private func report(
    _ run: (Specification) async throws -> RunReport
) async throws(SuiteProblem) -> SuiteReport {
    do {
        let specification = try Specification(.embedded)
        let report = try await run(specification)
        try Task.checkCancellation()
        return SuiteReport(report, under: specification)
    } catch {
        throw SuiteProblem(error)
    }
}

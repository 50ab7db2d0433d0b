import ClientDriver
import Holdfast
import HoldfastReport
import HoldfastStage

/// Tests a server: performs scenarios over real connections and judges the transcripts, clause by clause.
///
/// ```swift
/// let report = try await HoldfastSuite.server(ServerUnderTest(url: "ws://127.0.0.1:8080/ws"))
/// ```
/// - Parameters:
///   - server: The server and its declaration.
///   - patterns: Only these clauses and scenarios, such as `SYNC-3`, `SYNC` or `server/SYNC/*`; all when empty.
///   - jobs: The number of scenarios that run at once, 16 by default; never more than there are principals.
/// - Returns: The result of each clause.
/// - Throws: The reason why nothing could be tested: an invalid description, or an unreachable server.
public func server(
    _ server: ServerUnderTest, only patterns: [String] = [], jobs: Int = 16
) async throws(SuiteProblem) -> SuiteReport {
    try await report { specification in
        let selection = try Selection(
            patterns, role: .server, of: specification, scenarios: specification.scenarios())
        let (subject, scope) = try server.subject(under: specification)
        return try await server.withSubject(subject, under: specification) { subject in
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

/// Tests a client: acts as its server, its system and its user, and judges what it sent and showed.
///
/// ```swift
/// let report = try await HoldfastSuite.client(ClientUnderTest(driver: ["./my-driver"]))
/// ```
/// - Parameters:
///   - client: The client and its declaration.
///   - patterns: Only these clauses and scenarios, such as `CLIENT-36` or `client/CLIENT/*`; all when empty.
///   - jobs: The number of scenarios that run at once, each with its own client.
/// - Returns: The result of each clause.
/// - Throws: The reason why nothing could be tested: an invalid description, or a driver that does not answer.
public func client(
    _ client: ClientUnderTest, only patterns: [String] = [], jobs: Int = 64
) async throws(SuiteProblem) -> SuiteReport {
    try await report { specification in
        let selection = try ScenarioSelection(
            patterns, role: .client, of: specification, scenarios: specification.clientScenarios())
        try client.problems.throwAll()
        return try await client.withDriver(under: specification) { source in
            let subject = try await client.subject(source)
            return try await ClientSuite(
                subject, at: source.location, under: specification, selection, jobs: max(1, jobs)
            )
            .run()
        }
    }
}

/// The ids of the clauses by which a server is judged, known without a run: one test case for each.
/// - Parameter profiles: The profiles it declares, such as `core` and `sync`; unknown names have no clauses.
/// - Returns: The ids, in the order of the specification.
public func serverClauses(declaring profiles: [String] = ["core"]) -> [String] { clauses(of: .server, profiles) }

/// The ids of the clauses by which a client is judged, known without a run: one test case for each.
/// - Parameter profiles: The profiles it declares, such as `client-core`; unknown names have no clauses.
/// - Returns: The ids, in the order of the specification.
public func clientClauses(declaring profiles: [String] = ["client-core"]) -> [String] { clauses(of: .client, profiles) }

private func clauses(of role: Role, _ profiles: [String]) -> [String] {
    guard let specification = try? Specification(.embedded) else { return [] }
    let declared = Set(profiles.compactMap(Profile.init))
    return specification.judgeable(role).filter { $0.undeclared(in: declared) == nil }.map(\.id.description)
}

/// Runs a body and converts its errors to one type; a canceled run has no result.
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

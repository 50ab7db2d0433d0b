import Holdfast
import HoldfastExplore
import HoldfastStage

/// A peer to explore, with the way to draw and perform plans for it.
package struct Explored: Sendable {
    package let role: Role
    /// The name of the peer in messages.
    let address: String
    let greetings: [Performance]
    /// Whether plans may stop and start the peer.
    let startsServer: Bool
    /// The number of plans performed at a time.
    let jobs: Int
    let draw: @Sendable (UInt64) -> Plan
    let stage: @Sendable ([ScenarioFile]) async -> SuiteRun.Outcome

    private static let defaultJobs = 6

    package init(_ subject: ServerSubject, under specification: Specification, skipsCrashes: Bool = false) {
        var grammar = ServerGrammar(
            profiles: subject.profiles, disturbing: Plan.scenarios(of: .server, in: specification),
            startsServer: subject.start != nil && !skipsCrashes)
        grammar.size = 24
        grammar.isAlone = false
        grammar.principals = min(3, subject.principals.count)
        // If all connections belong to one principal, turns of one plan would appear in the next one.
        grammar.isApart = grammar.startsServer && subject.principals.count == 1
        grammar.longestWatch = 400
        (role, address, greetings) = (.server, subject.shownAddress, subject.greetings)
        (startsServer, jobs) = (grammar.startsServer, Self.defaultJobs)
        draw = { [grammar] in grammar.plan(seed: $0) }
        let run = SuiteRun(stage: ServerStage(subject: subject, specification: specification), jobs: jobs)
        stage = { files in
            await run.run(files.compactMap { if case .server(let scenario) = $0 { scenario } else { nil } })
        }
    }

    package init(_ subject: ClientSubject, at location: String, under specification: Specification) {
        var grammar = ClientGrammar(
            profiles: subject.profiles, disturbing: Plan.scenarios(of: .client, in: specification),
            without: subject.unsupported)
        grammar.size = 14
        (role, address, greetings, startsServer) = (.client, location, [], false)
        // A client mostly waits for its timers.
        jobs = min(2 * Self.defaultJobs, max(1, subject.driver.capacity))
        draw = { [grammar] in grammar.plan(seed: $0) }
        let run = ClientRun(stage: ClientStage(subject: subject, specification: specification), jobs: jobs)
        stage = { files in
            await run.run(files.compactMap { if case .client(let scenario) = $0 { scenario } else { nil } })
        }
    }
}

extension ScenarioFile {
    package init(at path: String, for role: Role) throws {
        try self.init(
            Files.text(of: path), of: role, named: "\(role)/explored/\(Self.name(of: path))", file: path)
    }

    /// The name of a file without its folder and `.json`.
    static func name(of path: String) -> String {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        return file.hasSuffix(".json") ? String(file.dropLast(5)) : file
    }
}

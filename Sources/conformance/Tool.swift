import ArgumentParser
import Holdfast
import Report

/// What every command shares: the specification, the console, and the way to end with a code.
enum Tool {
    static let version = "0.1.0"

    /// The specification the binary carries, or the one of a folder.
    static func specification(from folder: String? = nil) throws -> Specification {
        do {
            return try Specification(folder.map(SpecificationFiles.init(folder:)) ?? .embedded)
        } catch {
            throw refuse(error.problems)
        }
    }

    /// The scenarios of a specification.
    static func scenarios(of specification: Specification) throws -> [Scenario] {
        do {
            return try specification.scenarios()
        } catch {
            throw refuse(error.problems)
        }
    }

    /// The scenarios for clients of a specification.
    static func clientScenarios(of specification: Specification) throws -> [ClientScenario] {
        do {
            return try specification.clientScenarios()
        } catch {
            throw refuse(error.problems)
        }
    }

    /// A scenario of either side, as lists name it.
    struct NamedScenario {
        let name: String
        let title: String
        let clauses: [ClauseID]
    }

    /// The scenarios of both sides, those for servers first.
    static func allScenarios(of specification: Specification) throws -> [NamedScenario] {
        let servers = try scenarios(of: specification)
        let clients = try clientScenarios(of: specification)
        return servers.map { NamedScenario(name: $0.name, title: $0.title, clauses: $0.clauses) }
            + clients.map { NamedScenario(name: $0.name, title: $0.title, clauses: $0.clauses) }
    }

    /// The index of the fixtures that came with a specification.
    static func fixtures(of specification: Specification) throws -> FixtureIndex {
        do {
            return try FixtureIndex(specification.files)
        } catch {
            throw refuse(error.problems)
        }
    }

    /// Prints problems of the input and gives the error that ends the command with 64.
    static func refuse(_ problems: [InputProblem]) -> any Error {
        end(.usage, saying: problems.map(\.description).joined(separator: "\n"))
    }

    /// Prints one problem of the input and gives the error that ends the command with 64.
    static func refuse(_ place: String, _ what: String, expected: String, fix: String) -> any Error {
        refuse([InputProblem(place: place, what: what, expected: expected, fix: fix)])
    }

    /// Prints a message on standard error and gives the error that ends the command with a code.
    static func end(_ status: ExitStatus, saying message: String? = nil) -> any Error {
        if let message { Console.error(message) }
        return ExitCode(status.rawValue)
    }
}

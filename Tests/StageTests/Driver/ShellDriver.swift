import Holdfast
import HoldfastJSON

@testable import HoldfastStage

/// A driver of a few lines of shell.
enum ShellDriver {
    /// Answers `hello`; what follows says what it does with each further command, whose number is in `$id`.
    static func script(_ body: String) -> [String] {
        [
            "/bin/sh", "-c",
            """
            while read -r line; do
                id=${line#*\\"id\\":}; id=${id%%[,\\}]*}
                case $line in
                *'"do":"hello"'*) echo "{\\"id\\":$id,\\"ok\\":true,\\"name\\":\\"Shell\\"}" ;;
                *) \(body) ;;
                esac
            done
            """,
        ]
    }

    /// What a screen shows when nothing happened yet.
    static let emptyState = #"{"connection":"connecting","sessionId":null,"thinking":false,"messages":[]}"#

    static func drivers(_ command: [String], limit: Duration = .seconds(10)) -> SpawnedDrivers {
        var timeouts = Timeouts()
        timeouts.driver = limit
        return SpawnedDrivers(command, timeouts: timeouts)
    }

    static func open(_ body: String) async throws -> any DriverLink {
        try await drivers(script(body)).open(data: "/tmp", timeScale: 10)
    }

    /// What a driver answers to one command; its problem where it does not.
    static func answer(_ body: String, to name: String = "state", within limit: Duration = .seconds(10)) async throws
        -> Result<DriverReply, DriverProblem>
    {
        let link = try await open(body)
        let result: Result<DriverReply, DriverProblem>
        do throws(DriverProblem) {
            result = .success(try await link.perform(["do": .string(name)], within: limit))
        } catch {
            result = .failure(error)
        }
        await link.end()
        return result
    }
}

extension Result where Failure == DriverProblem {
    var problem: DriverProblem? { if case .failure(let problem) = self { problem } else { nil } }
}

import ArgumentParser
import Holdfast
import HoldfastPlatform
import HoldfastReport
import HoldfastSmallFoundation
import HoldfastSuite

/// Parts shared by all commands, such as the name of the program and the end with an exit code.
enum Tool {
    /// The name that the user types for this program: `./conformance.sh` sets it.
    static let command = ProcessInfo.processInfo.environment["HOLDFAST_COMMAND"] ?? "conformance"

    /// A text with the program name that the user types.
    static func addressed(_ text: String) -> String {
        guard command != "conformance" else { return text }
        let called =
            #/
            \bconformance\ (?=(server|client|explore|load|doctor|init|serve|chat|proxy|judge|report|gate|dialect|validate
            |list|explain|site|selftest|help)\b)
            /#
        return text.replacing(called, with: command + " ")
    }

    /// The path of this program, independent of the way it was called.
    static func program() throws -> String {
        guard let path = Processes.ownProgram else {
            throw InputProblem(
                "--reference", "this program cannot find its own path", expected: "a path to start it again",
                fix: "start 'conformance serve' yourself and pass its subject file with --subject")
        }
        return path
    }

    /// Prints the problem, and returns the error that ends the program with its code.
    static func ending(_ error: any Error) -> any Error {
        let words = Array(CommandLine.arguments.dropFirst())
        guard error is InputProblem || error is InputProblems || error is SuiteProblem else {
            let code = FormatOptions.exitCode(for: error)
            if code == .validationFailure {
                Console.write(StaleReports.end(words, with: code.rawValue, saying: FormatOptions.message(for: error)))
            }
            return error
        }
        let problem = SuiteProblem(error)
        Console.error(addressed(problem.description))
        Console.write(StaleReports.end(words, with: problem.exit.rawValue, saying: addressed(problem.description)))
        return ExitCode(problem.exit)
    }

    /// Checks a number of threads, one for each core by default.
    static func threads(_ jobs: Int?) throws -> Int {
        try InputProblem.checked(
            "--jobs", jobs ?? min(256, ProcessInfo.processInfo.activeProcessorCount), within: 1...256,
            fix: "remove it for one thread per core")
    }
}

extension ExitCode {
    init(_ status: ExitStatus) { self.init(status.rawValue) }
}

extension ExitStatus {
    func end() throws { if self != .conforms { throw ExitCode(self) } }
}

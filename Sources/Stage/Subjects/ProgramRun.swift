import HoldfastBasics

/// The result of a program such as `git`, with bounds on its time and output.
package struct ProgramRun: Sendable {
    package let exit: SubjectExit
    package let output: [UInt8]
    /// The last lines it printed on standard error.
    package let complaints: [String]

    private struct Printed {
        var bytes: [UInt8] = []
        var isTooMuch = false
    }

    /// Runs a program; when this returns, none of its processes is left.
    ///
    /// * `environment`: Variables added to those of this process.
    /// * `most`: The most bytes it may print.
    /// - Throws: The reason why there is no result; a program's own failure is a result.
    package init(
        _ command: [String], input: [UInt8] = [], environment: [String: String] = [:], atMost most: Int = 64 << 20,
        within limit: Duration = .seconds(60)
    ) async throws(ProgramProblem) {
        let printed = Shared(Printed())
        var launch = SubjectProcess.Launch(command: command, environment: environment)
        launch.takesOutput = { chunk in
            printed.withLock { printed in
                printed.isTooMuch = printed.bytes.count + chunk.count > most
                if !printed.isTooMuch { printed.bytes += chunk }
                return !printed.isTooMuch
            }
        }
        let process: SubjectProcess
        do {
            process = try await SubjectProcess.start(launch)
        } catch {
            throw .notStarted(error.reason)
        }
        let deadline = ContinuousClock.now + limit
        // If the program stops reading, its complaints show why.
        _ = await process.write(input, within: limit)
        process.closeInput()
        let end = await process.exit(within: max(.zero, deadline - .now))
        exit = await process.end(patience: .zero)
        let all = printed.withLock { $0 }
        guard !all.isTooMuch else { throw .tooMuch(most) }
        guard end != nil else { throw .late(limit) }
        output = all.bytes
        complaints = process.output.lines()
    }
}

package enum ProgramProblem: Error, Sendable, Equatable {
    /// It cannot be started; the reason is the system's.
    case notStarted(String)
    /// It printed more than this many bytes and was ended.
    case tooMuch(Int)
    case late(Duration)
}

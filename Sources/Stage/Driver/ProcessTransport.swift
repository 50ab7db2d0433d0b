final class ProcessTransport: DriverTransport {
    let arrivals = LineBox()
    private let process: SubjectProcess

    init(_ launch: SubjectProcess.Launch) async throws(SubjectProcess.LaunchProblem) {
        var launch = launch
        launch.takesOutput = { [arrivals] in arrivals.take($0) }
        process = try await SubjectProcess.start(launch) { [arrivals] in arrivals.finish(.ended($0)) }
    }

    func send(_ line: String, within limit: Duration) async -> Bool {
        await process.write(Array((line + "\n").utf8), within: limit)
    }

    var processorTime: Duration? { process.processorTime }

    var waitingTimes: WaitingTimes? { process.waitingTimes }

    var lastOutput: [String] { process.output.lines() }

    /// Ends the process in any case: by the end of its input, then by SIGTERM, then by SIGKILL.
    func end(exitGrace: Duration, patience: Duration) async {
        process.closeInput()
        if exitGrace > .zero, !Task.isCancelled, await process.exit(within: exitGrace) != nil { return }
        await process.end(patience: patience)
    }
}

import Holdfast
import HoldfastJSON
import HoldfastPlatform

/// A command that is started for each scenario and takes commands on its standard input.
package struct SpawnedDrivers: DriverSource {
    package var capacity: Int { .max }

    private let command: [String]
    private let limit: Duration

    package init(_ command: [String], timeouts: Timeouts = Timeouts()) {
        (self.command, limit) = (command, timeouts.driver)
    }

    package func open(data folder: String, timeScale: Double) async throws(DriverProblem) -> any DriverLink {
        let variables = [
            "HOLDFAST_DATA": folder, "HOLDFAST_TIME_SCALE": Int(exactly: timeScale).map(String.init) ?? "\(timeScale)",
        ]
        let launch = SubjectProcess.Launch(command: command, environment: variables)
        return try await SpawnedDriver(launch, limit: limit)
    }
}

/// One program for one scenario, started again if it ended with `quit` or `crash`, as it may.
final class SpawnedDriver: DriverLink {
    /// The time that a program may take to exit after the end of its input, before SIGTERM.
    private static let exitGrace = Duration.milliseconds(250)
    /// The time that it may take to exit after SIGTERM, before it is killed.
    private static let patience = Duration.milliseconds(500)

    private struct Program {
        let transport: ProcessTransport
        let conversation: DriverConversation
        let greeting: DriverGreeting
    }

    private struct State {
        var program: Program
        /// Whether the last command was a successful `quit` or `crash`, after which the program may end.
        var mayEnd = false
        var isOver = false
    }

    private let start: @Sendable () async throws(DriverProblem) -> Program
    private let location: String
    private let state: Mutex<State>

    init(_ launch: SubjectProcess.Launch, limit: Duration) async throws(DriverProblem) {
        let location = StartCommand.shown(launch.command)
        start = { () async throws(DriverProblem) in
            let transport: ProcessTransport
            do throws(SubjectProcess.LaunchProblem) {
                transport = try await ProcessTransport(launch)
            } catch {
                throw DriverProblem(.notStarted(reason: error.reason), at: location)
            }
            let conversation = DriverConversation(over: transport, location: location)
            do throws(DriverProblem) {
                return Program(
                    transport: transport, conversation: conversation,
                    greeting: try await conversation.greet(within: limit))
            } catch {
                await transport.end(exitGrace: .zero, patience: Self.patience)
                throw error
            }
        }
        self.location = location
        state = Mutex(State(program: try await start()))
    }

    var greeting: DriverGreeting { state.withLock { $0.program.greeting } }

    func perform(_ command: JSONObject, within limit: Duration) async throws(DriverProblem) -> DriverReply {
        let name = command["do"]?.stringValue
        let (program, mayEnd) = state.withLock { ($0.program, $0.mayEnd) }
        if mayEnd, name == "launch" {
            if program.transport.arrivals.end == nil {
                do throws(DriverProblem) {
                    let reply = try await program.conversation.perform(command, within: limit)
                    state.withLock { $0.mayEnd = false }
                    return reply
                } catch {
                    // The program was already ending when the command arrived.
                    guard case .ended = error.code else { throw error }
                }
            }
            // A program that printed too much may still run.
            await program.transport.end(exitGrace: .zero, patience: .zero)
            try await startAgain()
            return try await state.withLock { $0.program.conversation }.perform(command, within: limit)
        }
        let reply = try await program.conversation.perform(command, within: limit)
        if ClientAct.endsApp(command), case .done = reply { state.withLock { $0.mayEnd = true } }
        return reply
    }

    private func startAgain() async throws(DriverProblem) {
        let program = try await start()
        let isOver = state.withLock { state in
            if !state.isOver { state = State(program: program) }
            return state.isOver
        }
        guard isOver else { return }
        await program.transport.end(exitGrace: .zero, patience: .zero)
        throw DriverProblem(.interrupted, at: location, command: "launch")
    }

    var processorTime: Duration? { state.withLock { $0.program.transport }.processorTime }

    func end() async {
        let transport = state.withLock { state in
            state.isOver = true
            return state.program.transport
        }
        await transport.end(exitGrace: Self.exitGrace, patience: Self.patience)
    }
}

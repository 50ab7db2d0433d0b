import Holdfast
import HoldfastJSON
import HoldfastPlatform

/// A command that is started for each scenario and takes commands on its standard input.
package struct SpawnedDrivers: DriverSource {
    package var capacity: Int { .max }

    private let command: [String]
    private let schemas: DriverSchemas
    private let limit: Duration

    package init(_ command: [String], schemas: DriverSchemas, timeouts: Timeouts = Timeouts()) {
        (self.command, self.schemas, limit) = (command, schemas, timeouts.driver)
    }

    package func open(data folder: String, timeScale: Double) async throws(DriverProblem) -> any DriverLink {
        let variables = [
            "HOLDFAST_DATA": folder, "HOLDFAST_TIME_SCALE": Int(exactly: timeScale).map(String.init) ?? "\(timeScale)",
        ]
        let launch = SubjectProcess.Launch(command: command, environment: variables)
        return try await SpawnedDriver.start(launch, schemas: schemas, limit: limit)
    }
}

/// One program for one scenario, started again if it ended with `quit` or `crash`, as it may.
final class SpawnedDriver: DriverLink {
    /// The time that a program may take to exit after the end of its input, before SIGTERM.
    private static let farewell = Duration.milliseconds(250)
    /// The time that it may take to exit after SIGTERM, before it is killed.
    private static let patience = Duration.milliseconds(500)

    private let launch: SubjectProcess.Launch
    private let schemas: DriverSchemas
    private let limit: Duration
    private let location: String

    private struct State {
        var transport: ProcessTransport
        var conversation: DriverConversation
        var greeting: DriverGreeting
        /// Whether the last command was a successful `quit` or `crash`, after which the program may end.
        var mayEnd = false
        var isOver = false
    }

    private let state: Mutex<State>

    private init(
        _ launch: SubjectProcess.Launch, _ schemas: DriverSchemas, limit: Duration, location: String,
        _ greeted: (ProcessTransport, DriverConversation, DriverGreeting)
    ) {
        (self.launch, self.schemas, self.limit, self.location) = (launch, schemas, limit, location)
        state = Mutex(State(transport: greeted.0, conversation: greeted.1, greeting: greeted.2))
    }

    static func start(
        _ launch: SubjectProcess.Launch, schemas: DriverSchemas, limit: Duration
    ) async throws(DriverProblem) -> SpawnedDriver {
        let location = StartCommand.shown(launch.command)
        let greeted = try await greeted(launch, schemas, limit: limit, location: location)
        return SpawnedDriver(launch, schemas, limit: limit, location: location, greeted)
    }

    private static func greeted(
        _ launch: SubjectProcess.Launch, _ schemas: DriverSchemas, limit: Duration, location: String
    ) async throws(DriverProblem) -> (ProcessTransport, DriverConversation, DriverGreeting) {
        let transport: ProcessTransport
        do {
            transport = try await ProcessTransport.start(launch)
        } catch {
            throw DriverProblem(.notStarted(reason: error.reason), at: location)
        }
        let conversation = DriverConversation(over: transport, schemas: schemas, location: location)
        do throws(DriverProblem) {
            return (transport, conversation, try await conversation.greet(within: limit))
        } catch {
            await transport.end(farewell: .zero, patience: patience)
            throw error
        }
    }

    var greeting: DriverGreeting { state.withLock { $0.greeting } }

    func perform(_ command: JSONObject, within limit: Duration) async throws(DriverProblem) -> DriverReply {
        let name = command["do"]?.stringValue
        let (conversation, transport, mayEnd) = state.withLock { ($0.conversation, $0.transport, $0.mayEnd) }
        if mayEnd, name == "launch" {
            if transport.arrivals.end == nil {
                do throws(DriverProblem) {
                    let reply = try await conversation.perform(command, within: limit)
                    state.withLock { $0.mayEnd = false }
                    return reply
                } catch {
                    // The program was already ending when the command arrived.
                    guard case .ended = error.code else { throw error }
                }
            }
            // A program that printed too much may still run.
            await transport.end(farewell: .zero, patience: .zero)
            try await startAgain()
            return try await state.withLock { $0.conversation }.perform(command, within: limit)
        }
        let reply = try await conversation.perform(command, within: limit)
        if ClientAct.endsApp(command), case .done = reply { state.withLock { $0.mayEnd = true } }
        return reply
    }

    private func startAgain() async throws(DriverProblem) {
        let greeted = try await Self.greeted(launch, schemas, limit: limit, location: location)
        let isOver = state.withLock { state in
            if !state.isOver {
                state.transport = greeted.0
                state.conversation = greeted.1
                state.greeting = greeted.2
                state.mayEnd = false
            }
            return state.isOver
        }
        guard isOver else { return }
        await greeted.0.end(farewell: .zero, patience: .zero)
        throw DriverProblem(.interrupted, at: location, command: "launch")
    }

    var processorTime: Duration? { state.withLock { $0.transport }.processorTime }

    func end() async {
        let transport = state.withLock { state in
            state.isOver = true
            return state.transport
        }
        await transport.end(farewell: Self.farewell, patience: Self.patience)
    }
}

import ClientDriver
import Holdfast
import HoldfastBasics
import HoldfastJSON
import HoldfastPlatform
import HoldfastSmallFoundation

/// Clients in this process, one for each scenario.
package struct InProcessDrivers: DriverSource {
    package var capacity: Int { .max }

    private let make: @Sendable (_ data: String) -> any DrivenClient

    /// Makes a client for each folder: at the start of a scenario, and again after each `quit` and `crash`.
    package init(make: @escaping @Sendable (_ data: String) -> any DrivenClient) {
        self.make = make
    }

    package func open(data folder: String, timeScale: Double) async throws(DriverProblem) -> any DriverLink {
        let transport = FunctionTransport { [make] in make(folder) }
        let conversation = DriverConversation(over: transport, location: "the client in this process")
        let greeting = try await conversation.greet(within: Timeouts().driver)
        return InProcessDriver(transport: transport, conversation: conversation, greeting: greeting)
    }
}

struct InProcessDriver: DriverLink {
    let transport: FunctionTransport
    let conversation: DriverConversation
    let greeting: DriverGreeting

    func perform(_ command: JSONObject, within limit: Duration) async throws(DriverProblem) -> DriverReply {
        if command["do"]?.stringValue == "launch" { transport.renewIfItEnded() }
        let reply = try await conversation.perform(command, within: limit)
        if ClientAct.endsApp(command), case .done = reply { transport.noteEnd() }
        return reply
    }

    func end() async { await transport.end() }
}

final class FunctionTransport: DriverTransport {
    let arrivals = LineBox()
    let lastOutput: [String] = []

    private struct State {
        var client: any DrivenClient
        var hasEnded = false
    }

    private let state: Mutex<State>
    private let make: @Sendable () -> any DrivenClient

    init(_ make: @escaping @Sendable () -> any DrivenClient) {
        self.make = make
        state = Mutex(State(client: make()))
    }

    func send(_ line: String, within limit: Duration) async -> Bool {
        let client = state.withLock { $0.client }
        // If the client hangs, the reader of the arrivals times out.
        Task.detached { [arrivals] in arrivals.put(Array(await DriverSession(client).answer(to: line).utf8)) }
        return true
    }

    func noteEnd() { state.withLock { $0.hasEnded = true } }

    func renewIfItEnded() {
        state.withLock { state in
            guard state.hasEnded else { return }
            state = State(client: make())
        }
    }

    /// Quits the client as the system would, unless it has already ended.
    func end() async {
        let (client, hasEnded) = state.withLock { state in
            defer { state.hasEnded = true }
            return (state.client, state.hasEnded)
        }
        guard !hasEnded else { return }
        let done = Latch<Void>()
        Task.detached {
            try? await client.quit()
            done.set(())
        }
        _ = await done.wait(within: .seconds(2))
    }
}

import Holdfast
import HoldfastJSON
import HoldfastPlatform
import HoldfastTransport

/// Devices that open a WebSocket to the suite: one at a time, for one scenario after another.
package final class ListeningDrivers: DriverSource {
    package var capacity: Int { 1 }
    package let address: String
    /// The host in ``address``: a name or an address of this machine.
    package let host: String

    /// The time in which the first device must connect; a person may have to start the app first.
    package static let arrival = Duration.seconds(60)
    /// The time in which a device must reconnect between two scenarios.
    static let reconnectLimit = Duration.seconds(10)

    private let server: TransportServer
    private let devices = DeviceListener()
    private let firstWait: Duration
    private let wasSeen = Mutex(false)

    /// Starts to listen.
    ///
    /// * `port`: 0 for any free one.
    /// * `shown`: The host in the displayed address if the given one means every address.
    package init(
        host: String, port: Int, shownAs shown: String? = nil, firstWait: Duration = arrival
    ) async throws(TransportProblem) {
        let limits = ServerLimits(
            maxMessageBytes: LineBox.limit, oversize: .reportAndContinue, maxQueuedBytes: LineBox.limit,
            maxConnections: 16)
        server = try await TransportServer.start(host: host, port: port, limits: limits, handler: devices)
        (self.host, self.firstWait) = (shown ?? host, firstWait)
        address = "ws://\(Endpoint.bracketed(self.host)):\(server.port)/"
    }

    package func open(data folder: String, timeScale: Double) async throws(DriverProblem) -> any DriverLink {
        let deadline = ContinuousClock.now + (wasSeen.withLock { $0 } ? Self.reconnectLimit : firstWait)
        var problem: DriverProblem?
        while true {
            let rest = deadline - .now
            guard rest > .zero, let transport = await devices.device(within: rest) else { break }
            wasSeen.withLock { $0 = true }
            let conversation = DriverConversation(over: transport, location: address)
            do throws(DriverProblem) {
                let greeting = try await conversation.greet(within: Timeouts().driver)
                return ListeningDriver(transport: transport, conversation: conversation, greeting: greeting)
            } catch {
                transport.close()
                // A driver that has just disconnected may come back.
                guard case .disconnected = error.code else { throw error }
                problem = error
            }
        }
        if Task.isCancelled { throw DriverProblem(.interrupted, at: address, command: "hello") }
        let waited = wasSeen.withLock { $0 } ? Self.reconnectLimit : firstWait
        throw problem ?? DriverProblem(.nobodyConnected(milliseconds: waited.milliseconds), at: address)
    }

    package func stop() async {
        await server.stop(graceful: .milliseconds(500), code: 1001, reason: "the run is over")
    }
}

struct ListeningDriver: DriverLink {
    let transport: DeviceTransport
    let conversation: DriverConversation
    let greeting: DriverGreeting

    func perform(_ command: JSONObject, within limit: Duration) async throws(DriverProblem) -> DriverReply {
        try await conversation.perform(command, within: limit)
    }

    /// Keeps a device that followed all commands; disconnects any other, so that the next scenario starts afresh.
    func end() async {
        if conversation.problem != nil { transport.close() }
    }
}

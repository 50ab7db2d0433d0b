/// The way lines travel to a driver and back: a pipe, a WebSocket, a function call.
protocol DriverTransport: Sendable {
    /// What comes from the driver.
    var arrivals: LineBox { get }

    /// Sends one line, without its end.
    /// - Returns: False when it does not leave within the limit; why is told by the arrivals.
    func send(_ line: String, within limit: Duration) async -> Bool

    /// The last lines the driver wrote elsewhere, for problems.
    var lastWords: [String] { get }
}

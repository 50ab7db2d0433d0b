// Other systems declare these types but do not implement them; there, pass the lines to a DriverSession yourself.
#if canImport(Darwin)
import HoldfastSmallFoundation

/// Drives an app on a device: opens a WebSocket to `conformance client --listen` and carries out its commands.
///
/// Call it early, when the app starts in its test configuration. The connection is not the one under test: it stays
/// open while the app is in the "background" or without "network", and is opened again when it breaks. While the
/// runner is absent, it tries to connect every second; it returns only when the task is canceled.
/// - Parameters:
///   - client: The app.
///   - runner: The address that the console of the runner shows.
public func drive(_ client: some DrivenClient, connectingTo runner: URL) async {
    let session = DriverSession(client)
    while !Task.isCancelled {
        let socket = URLSession.shared.webSocketTask(with: runner)
        socket.maximumMessageSize = 16 << 20
        socket.resume()
        await withTaskCancellationHandler {
            do {
                while true {
                    let line: String
                    switch try await socket.receive() {
                    case .string(let text): line = text
                    case .data(let data): line = String(decoding: data, as: UTF8.self)
                    @unknown default: continue
                    }
                    try await socket.send(.string(await session.answer(to: line)))
                }
            } catch {
                socket.cancel(with: .goingAway, reason: nil)
            }
        } onCancel: {
            socket.cancel(with: .goingAway, reason: nil)
        }
        try? await Task.sleep(for: .seconds(1))
    }
}
#endif

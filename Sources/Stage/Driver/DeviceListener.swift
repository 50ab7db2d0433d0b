import HoldfastBasics
import HoldfastPlatform
import HoldfastTransport

/// Accepts devices; the latest one counts, because a device that reconnects has lost its old connection.
final class DeviceListener: TransportHandler {
    private let device = Mutex<DeviceTransport?>(nil)
    private let waiters = Waiters()

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        var response = HTTPServerResponse.plain(426, "conformance waits for a driver's WebSocket at this address.\n")
        response.headers.append(("Upgrade", "websocket"))
        return response
    }

    func admit(_ upgrade: UpgradeRequest) async -> UpgradeDecision { .accept }

    func serve(_ socket: ServerSocket) async {
        let new = DeviceTransport(socket)
        let before = device.withLock { device in
            defer { device = new }
            return device
        }
        before?.close()
        waiters.notify()
        await new.listen()
        device.withLock { device in if device === new { device = nil } }
    }

    /// The current device, or one that connects within the limit.
    func device(within limit: Duration) async -> DeviceTransport? {
        await waiters.first(within: limit) { device.withLock { $0?.arrivals.end == nil ? $0 : nil } }
    }
}

final class DeviceTransport: DriverTransport {
    let arrivals = LineBox()
    let lastOutput: [String] = []
    private let socket: ServerSocket

    init(_ socket: ServerSocket) { self.socket = socket }

    func send(_ line: String, within limit: Duration) async -> Bool {
        do {
            // The socket bounds unread data; the device's answer shows whether it reads.
            try socket.post(text: line)
            return true
        } catch {
            return false
        }
    }

    /// Ends the connection; the device may open another one.
    func close() {
        arrivals.finish(.disconnected)
        socket.cut(.fin)
    }

    func listen() async {
        messages: for await arrival in socket.messages {
            switch arrival.event {
            case .text(let text): if !arrivals.put(Array(text.utf8)) { break messages }
            case .invalidText(let bytes), .binary(let bytes): if !arrivals.put(bytes) { break messages }
            case .tooLarge(let bytes):
                arrivals.finish(.flooded(bytes: bytes))
                break messages
            case .ping, .pong: break
            case .close, .eof, .failed, .flooded: break messages
            }
        }
        arrivals.finish(.disconnected)
    }
}

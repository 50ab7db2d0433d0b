import HoldfastBasics
import HoldfastJSON
import HoldfastTransport

/// A streamed answer: server-sent events, with waits between them in which data keeps the connection alive.
struct ModelStream {
    private enum Part: Sendable {
        case bytes([UInt8])
        case wait(Duration)
    }

    /// The longest silence in a wait; some HTTP clients give up after minutes without data.
    private static let silence = Duration.seconds(2)

    private var parts: [Part] = []
    /// The data sent in the middle of a wait.
    private let keepAlive: [UInt8]

    init(keepAlive: String) { self.keepAlive = Array(keepAlive.utf8) }

    mutating func add(event: String? = nil, _ data: String) {
        parts.append(.bytes(Array(((event.map { "event: \($0)\n" } ?? "") + "data: \(data)\n\n").utf8)))
    }

    mutating func add(event: String? = nil, _ data: JSONValue) { add(event: event, data.text()) }

    mutating func add(waitMs: Int) {
        if waitMs > 0 { parts.append(.wait(.milliseconds(waitMs))) }
    }

    /// The answer; if the client disconnects, the waiting ends.
    var response: HTTPServerResponse {
        let headers = [("Content-Type", "text/event-stream; charset=utf-8"), ("Cache-Control", "no-cache")]
        var response = HTTPServerResponse(headers: headers)
        let rest = Shared(parts[...])
        let keepAlive = keepAlive
        response.pieces = AsyncStream {
            while true {
                switch rest.withLock({ $0.popFirst() }) {
                case nil: return nil
                case .bytes(let bytes): return bytes
                case .wait(let duration):
                    guard (try? await Task.sleep(for: min(duration, Self.silence))) != nil else { return nil }
                    guard duration > Self.silence else { continue }
                    rest.withLock { $0.insert(.wait(duration - Self.silence), at: $0.startIndex) }
                    return keepAlive
                }
            }
        }
        return response
    }
}

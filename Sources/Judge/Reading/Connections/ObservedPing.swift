import HoldfastJSON
import HoldfastTranscript

struct ObservedPing {
    let request: Frame
    /// The answer: each pong belongs to the oldest waiting ping with its nonce, else to the oldest waiting ping.
    fileprivate(set) var pong: Frame?

    var nonce: String? { request.id("nonce") }

    var isEchoed: Bool {
        guard let nonce, let given = pong?.id("nonce") else { return false }
        return exactlyEqual(nonce, given)
    }
}

extension Observations {
    /// The valid pings of a connection after `connected`, in order.
    func pings(on connection: Int) -> [ObservedPing] {
        let observed = connections[connection]
        guard let connected = observed.connected, observed.sent.contains(where: { $0.kind == .ping }) else {
            return []
        }
        var pings: [ObservedPing] = []
        var waiting: [Int] = []
        for (frame, isSent) in observed.frames where frame.event > connected {
            if frame.kind == .ping, isSent {
                guard let value = frame.value, coreSchemas.accepts(value, as: "ping") else { continue }
                waiting.append(pings.count)
                pings.append(ObservedPing(request: frame))
            } else if frame.kind == .pong {
                let given = frame.id("nonce")
                let own = waiting.firstIndex { index in
                    guard let nonce = pings[index].nonce, let given else { return pings[index].nonce == given }
                    return exactlyEqual(nonce, given)
                }
                if let position = own ?? waiting.indices.first { pings[waiting.remove(at: position)].pong = frame }
            }
        }
        return pings
    }
}

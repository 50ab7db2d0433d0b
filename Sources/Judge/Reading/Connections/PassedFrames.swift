import HoldfastTranscript

/// The messages that a server has certainly read on a connection: all up to the last one that it answered.
struct PassedFrames {
    /// The event of the last message certainly read; -1 if there is none.
    private(set) var last = -1
    /// The event that answers each message, by the message's event.
    private(set) var answers: [Int: Int] = [:]
    private var pings: [Int] = []
    private var syncs: [Int] = []
    private var keys: [String: Int] = [:]
    /// Binary messages: a server that treats one as text acknowledges the key in it.
    private var binaries: [(event: Int, bytes: [UInt8])] = []
    /// The maximum number of binary messages to search for each key.
    private static let maxBinaries = 16

    mutating func take(_ frame: Frame, isSent: Bool, _ kind: Event.Kind) {
        if isSent {
            switch frame.kind {
            case .ping: pings.append(frame.event)
            case .sync: syncs.append(frame.event)
            default: break
            }
            if let key = frame.clientMessageId { keys[key] = frame.event }
            if case .binary(_, let bytes) = kind {
                binaries = binaries.suffix(Self.maxBinaries - 1) + [(frame.event, bytes)]
            }
            return
        }
        switch frame.kind {
        case .pong: if !pings.isEmpty { pass(pings.removeFirst(), by: frame) }
        case .syncResult: if !syncs.isEmpty { pass(syncs.removeFirst(), by: frame) }
        case .ack:
            guard let key = frame.clientMessageId else { return }
            if let event = keys[key] {
                pass(event, by: frame)
            } else if !key.isEmpty,
                let match = binaries.last(where: { String(decoding: $0.bytes, as: UTF8.self).contains(key) })
            {
                pass(match.event, by: frame)
            }
        default: break
        }
    }

    private mutating func pass(_ event: Int, by answer: Frame) {
        last = max(last, event)
        answers[event] = answer.event
    }
}

import Holdfast
import HoldfastJSON
import HoldfastTransport

// What becomes of what passes, where a rule is followed for it: what is not about that passes.
extension Rule {
    /// Whether any rule looks at messages, so that they have to be whole before they go on.
    static func concernMessages(_ rules: [Rule]) -> Bool { rules.contains { $0.event.isMessage } }

    private var delay: Duration { .milliseconds(milliseconds ?? 0) }

    /// What becomes of a message.
    package var relayDeed: RelayDeed {
        let copies = isAfter ? 1 : 0
        return switch deed {
        case .drop: RelayDeed(copies: 0)
        case .duplicate: RelayDeed(copies: 2)
        case .delay: RelayDeed(delay: delay)
        case .cut: RelayDeed(copies: copies, ending: cut.map { .cut($0) })
        case .close: RelayDeed(copies: copies, ending: .close(UInt16(clamping: code ?? 1001)))
        default: .pass
        }
    }

    /// What becomes of a request.
    package var choice: RelayChoice {
        switch deed {
        case .cut: isAfter ? .pass : cut.map { .cut($0) } ?? .pass
        case .delay: .delay(delay)
        case .refuse:
            .answer(
                .json(#"{"error":"refused by the proxy, on request","code":"internal"}"#, status: status ?? 503))
        default: .pass
        }
    }

    /// What becomes of the answer to a request that passed.
    package var choiceOfAnswer: RelayChoice { isAfter ? cut.map { .cut($0) } ?? .pass : .pass }
}

extension Rules {
    /// The rule to follow for a message on a WebSocket, of which the frames of the specification are known that it stands for.
    package mutating func rule(
        for event: WebSocketEvent, _ frames: [JSONValue], from side: RelaySide, on number: Int
    ) -> Rule? {
        guard !isEmpty else { return nil }
        var type: String?
        if case .text(let text) = event { type = (try? JSONParser.document(text).root)?["type"]?.stringValue }
        return rule(
            for: Rule.Arrival(message: type, frames, from: side == .client ? .client : .server), on: number)
    }
}

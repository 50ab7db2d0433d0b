import Holdfast
import HoldfastJSON
import HoldfastTransport

// Traffic that no rule matches passes.
extension Rule {
    /// Whether any rule affects messages, so that they must be complete before they are forwarded.
    static func concernMessages(_ rules: [Rule]) -> Bool { rules.contains { $0.event.isMessage } }

    private var delay: Duration { .milliseconds(milliseconds ?? 0) }

    package var relayAction: RelayAction {
        let copies = isAfter ? 1 : 0
        return switch action {
        case .drop: RelayAction(copies: 0)
        case .duplicate: RelayAction(copies: 2)
        case .delay: RelayAction(delay: delay)
        case .cut: RelayAction(copies: copies, ending: cut.map { .cut($0) })
        case .close: RelayAction(copies: copies, ending: .close(UInt16(clamping: code ?? 1001)))
        default: .pass
        }
    }

    package var choice: RelayChoice {
        switch action {
        case .cut: isAfter ? .pass : cut.map { .cut($0) } ?? .pass
        case .delay: .delay(delay)
        case .refuse:
            .answer(
                .json(#"{"error":"refused by the proxy, on request","code":"internal"}"#, status: status ?? 503))
        default: .pass
        }
    }

    package var choiceOfAnswer: RelayChoice { isAfter ? cut.map { .cut($0) } ?? .pass : .pass }
}

extension Rules {
    /// The rule to apply to a WebSocket message, given its frame in the specification's form.
    package mutating func rule(
        for event: WebSocketEvent, _ frame: JSONValue?, from side: RelaySide, on number: Int
    ) -> Rule? {
        guard !isEmpty else { return nil }
        var type: String?
        if case .text(let text) = event { type = (try? JSONParser.document(text).root)?["type"]?.stringValue }
        return rule(for: Rule.Arrival(message: type, frame, from: side == .client ? .client : .server), on: number)
    }
}

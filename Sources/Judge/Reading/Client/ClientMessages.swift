import HoldfastJSON
import HoldfastTranscript

/// Every message that reached a client, with all its deliveries.
///
/// Equal texts prove nothing: two messages may have the same text. A message is identified by its id, or by its key
/// until it has an id; one that was typed and never sent is a separate message. A class, owned by its history.
final class ClientMessages {
    let deliveries: [ClientDelivery]
    private let ids: [String: String]
    private let byWords: [Words: [ClientDelivery]]
    private let byID: [String: [ClientDelivery]]
    private let byKey: [String: [ClientDelivery]]
    private unowned let history: Observations

    struct Words: Hashable {
        let role: String?
        let text: ExactString

        init(_ role: String?, _ text: String) {
            self.role = role
            self.text = ExactString(text)
        }
    }

    init(_ history: Observations) {
        self.history = history
        deliveries = history.clientDeliveries
        let named = deliveries.compactMap { found in found.key.flatMap { key in found.id.map { (key, $0) } } }
        ids = Dictionary(named) { first, _ in first }
        let withText = deliveries.filter { $0.text != nil }
        byWords = Dictionary(grouping: withText) { Words($0.role, $0.text ?? "") }
        byID = Dictionary(grouping: deliveries.filter { $0.id != nil }) { $0.id ?? "" }
        byKey = Dictionary(grouping: deliveries.filter { $0.key != nil }) { $0.key ?? "" }
    }

    /// The name that all deliveries of one message share.
    func identity(of delivery: ClientDelivery) -> String {
        if let id = delivery.id { return "id \(id)" }
        if let key = delivery.key { return ids[key].map { "id \($0)" } ?? "key \(key)" }
        return "event \(delivery.event) \(delivery.frame?.replayIndex ?? 0)"
    }

    /// The identities of messages with the given text that may have reached the client in a session before an event.
    func known(_ words: Words, in session: String?, before event: Int) -> Set<String> {
        let alike = (byWords[words] ?? []).filter { delivery in
            delivery.event < event
                && (session == nil || delivery.sessionId == nil || delivery.sessionId == session)
        }
        return Set(alike.map(identity))
    }

    /// The identities of messages with an id and the given text that the client certainly had in a session by an event.
    func surelyHad(_ words: Words, in session: String?, before event: Int) -> Set<String> {
        var had: Set<String> = []
        for delivery in byWords[words] ?? [] where delivery.event < event && delivery.sessionId == session {
            guard delivery.id != nil else { continue }
            let name = identity(of: delivery)
            if !had.contains(name), isSure(delivery, before: event) { had.insert(name) }
        }
        return had
    }

    private func isSure(_ delivery: ClientDelivery, before event: Int) -> Bool {
        guard let frame = delivery.frame else { return true }
        let ending = history.connections[frame.connection].ending?.event ?? .max
        return ending > event || history.clientPositions.handled(frame, before: event)
    }

    /// Whether only this frame had delivered its message before an event.
    func isOnlyDelivery(_ frame: Frame, before event: Int) -> Bool {
        guard let id = frame.messageId else { return false }
        let others = byID[id]?.contains { $0.event < event && $0.event != frame.event && $0.channel != .push }
        guard others != true, frame.kind == .ack else { return others != true }
        return !history.exchanges.contains { exchange in
            exchange.isChat && exchange.response.map { $0 < event } == true
                && exchange.body?.id("clientMessageId") == frame.clientMessageId
        }
    }

    /// The deliveries before an event that show which sessions an entry of the screen belongs to.
    ///
    /// The text alone decides only about an answer that the client shows without an id.
    private func sessionEvidence(
        of message: ObservedClient.ShownMessage, before event: Int
    ) -> LazyFilterSequence<[ClientDelivery]> {
        let found: [ClientDelivery]?
        if let id = message.id {
            found = byID[id]
        } else if let key = message.key {
            found = byKey[key]?.filter { found in
                found.channel == .typed
                    || isSure(found, before: event)
                        && history.hadTime(for: found.event, on: found.frame?.connection, before: event)
            }
        } else {
            found = message.role == "assistant" ? byWords[Words(message.role, message.text)] : nil
        }
        return (found ?? []).lazy.filter { $0.event < event && $0.sessionId != nil }
    }

    func foreign(in state: ObservedClient.State) -> (message: ObservedClient.ShownMessage, delivery: ClientDelivery)? {
        for message in state.messages {
            let evidence = sessionEvidence(of: message, before: state.event)
            guard let first = evidence.first, !evidence.contains(where: { $0.sessionId == state.sessionId }) else {
                continue
            }
            // A message is foreign to a conversation that the server does not know yet only if it arrived before that
            // conversation began.
            if state.sessionId == nil {
                let begun = history.client.acts.last { $0.event < state.event && $0.name == "selectSession" }
                guard let begun, begun.details.id("sessionId") == nil, first.event < begun.event else {
                    continue
                }
            }
            return (message, first)
        }
        return nil
    }
}

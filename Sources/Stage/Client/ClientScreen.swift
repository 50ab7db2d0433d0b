import Holdfast
import HoldfastJSON

package struct ClientScreen {
    private let state: JSONValue

    package init(_ state: JSONValue) { self.state = state }

    private var messages: [JSONValue] { state["messages"]?.arrayValue ?? [] }

    /// A message that a scenario names: the person's own, or one of the server's by its id.
    package struct Named: Sendable {
        /// Nil for a message of the person.
        var id: String?
        var key: String?
        var text: String?
        /// The number of earlier messages of the person with the same text.
        var number = 0
    }

    /// The message with a name; if the client shows no ids, its text identifies it.
    func message(_ named: Named) -> JSONValue? {
        let matches = messages.filter { message in
            if let id = named.id {
                return message["id"]?.stringValue.map { $0 == id }
                    ?? (named.text != nil && message["text"]?.stringValue == named.text)
            }
            if let key = named.key, let shown = message["clientMessageId"]?.stringValue { return shown == key }
            return message["role"] == "user" && message["text"]?.stringValue == named.text
        }
        return named.key == nil ? matches.dropFirst(named.number).first ?? matches.last : matches.first
    }

    package func shows(_ awaited: AwaitedState, named: (String) -> Named) -> Bool {
        if let words = awaited.connection, !words.contains(state["connection"]?.stringValue ?? "") { return false }
        if let thinking = awaited.thinking, state["thinking"]?.boolValue != thinking { return false }
        if let session = awaited.session, state["sessionId"]?.stringValue != session { return false }
        if let count = awaited.count, messages.count != count { return false }
        if let errors = awaited.errors, (state["errors"]?.arrayValue?.isEmpty == false) != errors { return false }
        for (session, count) in awaited.unread where (state["unread"]?[session]?.intValue ?? 0) != count {
            return false
        }
        if awaited.isQuiet, messages.contains(where: { $0["status"] == "sending" }) { return false }
        guard shows(inOrder: awaited.history, named) else { return false }
        guard awaited.shows.allSatisfy({ message(named($0)) != nil }) else { return false }
        guard awaited.hides.allSatisfy({ message(named($0)) == nil }) else { return false }
        if let name = awaited.told {
            let isFailed = message(named(name))?["status"]?.stringValue == "failed"
            guard isFailed || state["errors"]?.arrayValue?.isEmpty == false else { return false }
        }
        for (name, status) in [(awaited.failed, "failed"), (awaited.sent, "sent")] {
            if let name, message(named(name))?["status"]?.stringValue != status { return false }
        }
        return true
    }

    private func shows(inOrder history: [String], _ named: (String) -> Named) -> Bool {
        guard !history.isEmpty else { return true }
        let places = Dictionary(
            messages.enumerated().compactMap { index, message in message["id"]?.stringValue.map { ($0, index) } }
        ) { first, _ in first }
        var next = 0
        for id in history {
            guard let index = places[id] ?? index(of: named(id), from: next), index >= next else { return false }
            next = index + 1
        }
        return true
    }

    private func index(of named: Named, from next: Int) -> Int? {
        messages.indices.first { index in
            index >= next && messages[index]["id"]?.stringValue == nil
                && messages[index]["text"]?.stringValue == named.text
        }
    }
}

/// Decides which samples of a screen to record: every change, and an unchanged screen now and then.
package struct ScreenSampling: Sendable {
    private var shown: JSONValue?
    /// The time of the last recorded sample.
    private var noted = Duration.zero

    /// After this time an unchanged screen is recorded again, so that the time of a later change is known.
    private static let longestSilence = Duration.milliseconds(500)

    package mutating func isDue(_ state: JSONValue, at now: Duration, isForced: Bool) -> Bool {
        guard isForced || shown != state || now - noted >= Self.longestSilence else { return false }
        (shown, noted) = (state, now)
        return true
    }
}

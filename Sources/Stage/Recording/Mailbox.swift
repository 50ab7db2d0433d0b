import HoldfastBasics
import HoldfastJSON
import HoldfastPlatform

/// The messages of one connection that no wait has taken yet.
final class Mailbox: Sendable {
    private struct Entry {
        let type: String
        let value: JSONValue
    }

    private struct State {
        /// In the order of arrival; an entry becomes nil once a wait has taken it, so that indices stay valid.
        var entries: [Entry?] = []
        var hasEnded = false
        /// The close code with which the server ended the connection.
        var code: Int?
    }

    private let state = Mutex(State())
    private let waiters = Waiters()

    /// Whether the server has ended the connection, or announced its end.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Adds a message from the server, by default under its own type; one without a type cannot be awaited.
    func add(_ value: JSONValue, as type: String? = nil) {
        guard let type = type ?? value["type"]?.stringValue else { return }
        state.withLock { $0.entries.append(Entry(type: type, value: value)) }
        waiters.notify()
    }

    func clear() { state.withLock { $0.entries = [] } }

    /// Notes that nothing more will arrive; only the first end counts.
    func end(with code: Int? = nil) {
        state.withLock { state in
            if !state.hasEnded { (state.hasEnded, state.code) = (true, code) }
        }
        waiters.notify()
    }

    /// Takes the first matching message of one of the types; nil if none comes within the limit or before the end.
    func take(
        _ types: [String], within limit: Duration, where matches: (JSONValue) -> Bool = { _ in true }
    ) async -> JSONValue? {
        // In a flood, a new message must not cause a scan of all messages.
        var next = 0
        return await waiting(within: limit) { state in
            while next < state.entries.count {
                defer { next += 1 }
                guard let entry = state.entries[next], types.contains(entry.type), matches(entry.value) else {
                    continue
                }
                state.entries[next] = nil
                return entry.value
            }
            return nil
        }
    }

    /// A short name for an error or an end that arrived instead of an awaited message; nil if neither did.
    var obstacle: String? {
        state.withLock { state in
            guard let error = state.entries.last(where: { $0?.type == "error" }) ?? nil else {
                return state.hasEnded ? state.code.map { "close \($0)" } ?? "the end of the connection" : nil
            }
            return "error \(error.value["code"]?.stringValue?.prefix(40) ?? "without code")"
        }
    }

    func waitForEnd(within limit: Duration) async -> Bool {
        await waiting(within: limit) { $0.hasEnded ? true : nil } ?? false
    }

    /// Checks after each change, until something is found, the connection ends, or the task is canceled.
    private func waiting<Found: Sendable>(within limit: Duration, _ find: (inout State) -> Found?) async -> Found? {
        let deadline = ExtendedDeadline(limit)
        let found: Found?? = await waiters.first(within: { deadline.rest }) {
            state.withLock { state in
                let found = find(&state)
                return found != nil || state.hasEnded ? .some(found) : nil
            }
        }
        return found ?? nil
    }
}

import Synchronization
import Transcript

/// The frames of one connection that no wait has taken yet.
final class Mailbox: Sendable {
    /// A message with its type; the rest is parsed when a wait looks at it, because a flood would fill the memory.
    private struct Letter {
        let type: String?
        let text: String
    }

    private struct State {
        /// In the order of arrival; nil where a wait has taken one, so that places stay what they are.
        var letters: [Letter?] = []
        var hasEnded = false
        var changes = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter = 0

        /// Takes the first frame from a place on that matches, and moves the place behind what was looked at.
        mutating func take(from place: inout Int, _ types: [String], where matches: (Frame) -> Bool) -> Frame? {
            while place < letters.count {
                defer { place += 1 }
                guard let letter = letters[place], let type = letter.type, types.contains(type) else { continue }
                let frame = Frame(letter.text)
                guard matches(frame) else { continue }
                letters[place] = nil
                return frame
            }
            return nil
        }
    }

    private let state = Mutex(State())

    /// Whether the server has ended the connection, or said that it does.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// A message from the server, by its own type unless another is given.
    func add(_ text: String, as type: String? = nil) {
        let letter = Letter(type: type ?? Frame(text).type, text: text)
        change { $0.letters.append(letter) }
    }

    /// Nothing more will come.
    func end() {
        change { $0.hasEnded = true }
    }

    /// The first frame of one of the types that matches, which is then gone; nil when none comes within the limit or before
    /// the end.
    func take(
        _ types: [String], within limit: Duration, where matches: @escaping @Sendable (Frame) -> Bool = { _ in true }
    ) async -> Frame? {
        var start = 0
        if let frame = state.withLock({ $0.take(from: &start, types, where: matches) }) { return frame }
        let scanned = start
        return await waiting(within: limit) {
            // A flood must not cost a look at every frame for every frame.
            var place = scanned
            return await self.looking { state in state.take(from: &place, types, where: matches) }
        }
    }

    /// Whether the connection ends within the limit.
    func waitForEnd(within limit: Duration) async -> Bool {
        if hasEnded { return true }
        return await waiting(within: limit) { await self.looking { $0.hasEnded ? true : nil } } ?? false
    }

    /// Looks again after each change, until something is found, the connection has ended, or the task is cancelled.
    private func looking<Found: Sendable>(_ look: (inout State) -> Found?) async -> Found? {
        while true {
            let (found, changes, hasEnded) = state.withLock { state in (look(&state), state.changes, state.hasEnded) }
            // A last look comes before giving up: what arrived in the last moment counts.
            if found != nil || hasEnded || Task.isCancelled { return found }
            await change(after: changes)
        }
    }

    private func waiting<Found: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable () async -> Found?
    ) async -> Found? {
        await SchedulingMeter.shared.waiting(limit) { limit in
            if let found = await once(within: limit, body) { return found }
            return hasEnded ? .some(nil) : nil
        } ?? nil
    }

    private func once<Found: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable () async -> Found?
    ) async -> Found? {
        await withTaskGroup(of: Found?.self) { group in
            group.addTask { await body() }
            group.addTask {
                try? await Task.sleep(for: limit, clock: .continuous)
                return nil
            }
            var found: Found?
            for await result in group {
                found = found ?? result
                group.cancelAll()
            }
            return found
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiters = state.withLock { state in
            body(&state)
            state.changes += 1
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume() }
    }

    private func change(after seen: Int) async {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.changes != seen || Task.isCancelled { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
        }
    }
}

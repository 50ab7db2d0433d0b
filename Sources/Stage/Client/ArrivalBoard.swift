import Holdfast
import Synchronization

/// What came from a client and no wait has taken yet.
final class ArrivalBoard: Sendable {
    private struct Entry {
        let number: Int
        let arrival: WorldArrival
    }

    private struct State {
        var entries: [Entry] = []
        var last = 0
        var change = Latch<Void>()
    }

    /// What may wait at most; a client that asks without end is not waited for.
    private static let limit = 10_000

    private let state = Mutex(State())

    /// The place from which on something counts as new.
    var mark: Int { state.withLock { $0.last } }

    /// Something came.
    func note(_ arrival: WorldArrival) {
        change { state in
            state.last += 1
            guard state.entries.count < Self.limit else { return }
            state.entries.append(Entry(number: state.last, arrival: arrival))
        }
    }

    /// A connection is gone, and with it what it stood for.
    func forget(connection: Int) {
        state.withLock { state in
            state.entries.removeAll { $0.arrival.connection == connection && $0.arrival.kinds == [.connection] }
        }
    }

    /// Takes the first that matches, now or when it comes; false when none comes within the limit.
    func take(
        after mark: Int, before deadline: ContinuousClock.Instant, where matches: @Sendable (WorldArrival) -> Bool
    ) async -> Bool {
        while true {
            let (found, change) = state.withLock { state in
                (Self.take(from: &state.entries, after: mark, where: matches), state.change)
            }
            if found { return true }
            let rest = deadline - .now
            guard rest > .zero, !Task.isCancelled else { return false }
            _ = await change.wait(within: rest)
        }
    }

    private static func take(
        from entries: inout [Entry], after mark: Int, where matches: (WorldArrival) -> Bool
    ) -> Bool {
        guard let place = entries.firstIndex(where: { $0.number > mark && matches($0.arrival) }) else { return false }
        let taken = entries.remove(at: place).arrival
        if taken.kinds.contains(.connection), let connection = taken.connection {
            // Whoever saw the connection has seen its request and its first frame.
            entries.removeAll {
                $0.arrival.connection == connection && !$0.arrival.kinds.isDisjoint(with: [.attempt, .auth])
            }
        }
        return true
    }

    private func change(_ edit: (inout State) -> Void) {
        let before = state.withLock { state in
            edit(&state)
            defer { state.change = Latch() }
            return state.change
        }
        before.set(())
    }
}

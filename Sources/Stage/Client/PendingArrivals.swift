import Holdfast
import HoldfastBasics
import HoldfastPlatform

/// What came from a client and no wait has taken yet.
final class PendingArrivals: Sendable {
    private struct Entry {
        let number: Int
        let arrival: WorldArrival
    }

    private struct State {
        var entries: [Entry] = []
        var last = 0
    }

    /// What may wait at most; a client that asks without end is not waited for.
    private static let limit = 10_000

    private let state = Mutex(State())
    private let waiters = Waiters()

    /// The place from which on something counts as new.
    var mark: Int { state.withLock { $0.last } }

    func note(_ arrival: WorldArrival) {
        state.withLock { state in
            state.last += 1
            guard state.entries.count < Self.limit else { return }
            state.entries.append(Entry(number: state.last, arrival: arrival))
        }
        waiters.tell()
    }

    /// A connection is gone, and with it what it stood for.
    func forget(connection: Int) {
        state.withLock { state in
            state.entries.removeAll { $0.arrival.connection == connection && $0.arrival.kinds == [.connection] }
        }
    }

    /// Nothing that came before is waited for any more but connections that stand.
    func forgetAll() { state.withLock { $0.entries.removeAll { $0.arrival.kinds != [.connection] } } }

    /// Takes the first that matches, now or when it comes; false when none comes before the deadline.
    func take(
        after mark: Int, before deadline: PatientDeadline, where matches: @Sendable (WorldArrival) -> Bool
    ) async -> Bool {
        // What is looked at belongs to the server, which notes arrivals under a lock of its own: no lock is held meanwhile.
        await waiters.first(within: { deadline.rest }) {
            let entries = state.withLock { $0.entries.filter { $0.number > mark } }
            for (index, entry) in entries.enumerated() {
                // A client that repeats itself without end makes looking take long.
                if index % 64 == 63, deadline.rest <= .zero || Task.isCancelled { return false }
                if matches(entry.arrival), take(entry.number) { return true }
            }
            return nil
        } ?? false
    }

    /// Takes an arrival, unless another wait was quicker.
    private func take(_ number: Int) -> Bool {
        state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.number == number }) else { return false }
            let taken = state.entries.remove(at: index).arrival
            if taken.kinds.contains(.connection), let connection = taken.connection {
                // Whoever saw the connection has seen its request and its first frame.
                state.entries.removeAll {
                    $0.arrival.connection == connection && !$0.arrival.kinds.isDisjoint(with: [.attempt, .auth])
                }
            }
            return true
        }
    }
}

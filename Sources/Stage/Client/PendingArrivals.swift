import Holdfast
import HoldfastBasics
import HoldfastPlatform

/// Arrivals from a client that no wait has taken yet.
package struct Arrivals: Sendable {
    package struct Entry: Sendable {
        package let number: Int
        package let arrival: WorldArrival
    }

    private var entries: [Entry] = []
    package private(set) var last = 0

    /// The maximum number of arrivals kept, in case a client sends endlessly.
    private static let limit = 10_000

    package init() {}

    package mutating func note(_ arrival: WorldArrival) {
        last += 1
        guard entries.count < Self.limit else { return }
        entries.append(Entry(number: last, arrival: arrival))
    }

    /// Forgets a connection that ended, so that no wait may take it any more.
    package mutating func forget(connection: Int) {
        entries.removeAll { $0.arrival.connection == connection && $0.arrival.kinds == [.connection] }
    }

    mutating func forgetAll() { entries.removeAll { $0.arrival.kinds != [.connection] } }

    package func entries(after mark: Int) -> ArraySlice<Entry> { entries.drop { $0.number <= mark } }

    /// False if another wait was quicker.
    package mutating func take(_ number: Int) -> Bool {
        guard let index = entries.firstIndex(where: { $0.number == number }) else { return false }
        let taken = entries.remove(at: index).arrival
        if taken.kinds.contains(.connection), let connection = taken.connection {
            // Taking a connection takes its request and its first frame too.
            entries.removeAll {
                $0.arrival.connection == connection && !$0.arrival.kinds.isDisjoint(with: [.attempt, .auth])
            }
        }
        return true
    }
}

final class PendingArrivals: Sendable {
    private let state = Mutex(Arrivals())
    private let waiters = Waiters()

    /// Later arrivals are new.
    var mark: Int { state.withLock { $0.last } }

    func note(_ arrival: WorldArrival) {
        state.withLock { $0.note(arrival) }
        waiters.notify()
    }

    func forget(connection: Int) { state.withLock { $0.forget(connection: connection) } }

    func forgetAll() { state.withLock { $0.forgetAll() } }

    /// Takes the first matching arrival, now or later; false if there is none before the deadline.
    func take(
        after mark: Int, before deadline: ExtendedDeadline, where matches: @Sendable (WorldArrival) -> Bool
    ) async -> Bool {
        // `matches` may lock the server, which notes arrivals under its own lock: so hold no lock here.
        await waiters.first(within: { deadline.rest }) {
            for (index, entry) in state.withLock({ $0.entries(after: mark) }).enumerated() {
                // If a client repeats itself endlessly, the search takes long.
                if index % 64 == 63, deadline.rest <= .zero || Task.isCancelled { return false }
                if matches(entry.arrival), state.withLock({ $0.take(entry.number) }) { return true }
            }
            return nil
        } ?? false
    }
}

import HoldfastBasics
import HoldfastPlatform

/// The bounded line between the event loop and whoever consumes events.
///
/// It never refuses an event: when it is full it says so, and the event loop stops reading until it has drained to half.
/// What is held is therefore at most the limit plus what one read of the socket can complete.
final class ArrivalQueue: Sendable {
    private struct State {
        var items: [WebSocketArrival] = []
        var head = 0
        var bytes = 0
        var finished = false
        var starved = false
        var drained: (@Sendable () -> Void)?

        mutating func pop(low: Int) -> (item: WebSocketArrival, drained: (@Sendable () -> Void)?)? {
            guard head < items.count else { return nil }
            let item = items[head]
            // The slot is blanked at once, or a read message would stay in memory until the next compaction.
            items[head] = WebSocketArrival(at: item.at, event: .eof)
            head += 1
            if head == items.count {
                items.removeAll(keepingCapacity: items.capacity <= 256)
                head = 0
            } else if head >= 256, head * 2 >= items.count {
                items.removeFirst(head)
                head = 0
            }
            bytes -= item.event.cost
            guard starved, bytes <= low else { return (item, nil) }
            starved = false
            return (item, drained)
        }
    }

    private let state = Mutex(State())
    private let waiters = Waiters()
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Sets what is called, off the lock, once a full queue has drained.
    func onDrained(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.drained = action }
    }

    /// Whether reading must pause; asking is a promise to wait for the drained call.
    var isFull: Bool {
        state.withLock { state in
            guard state.bytes >= limit else { return false }
            state.starved = true
            return true
        }
    }

    var queuedBytes: Int { state.withLock { $0.bytes } }

    /// Adds an event; whatever follows a last event is dropped.
    func push(_ arrival: WebSocketArrival) {
        state.withLock { state in
            guard !state.finished else { return }
            state.finished = arrival.event.isLast
            state.items.append(arrival)
            state.bytes += arrival.event.cost
        }
        waiters.tell()
    }

    /// What is already there; nil inside when nothing more will come, and nil when something may.
    private func take() -> WebSocketArrival?? {
        let (popped, finished) = state.withLock { ($0.pop(low: limit / 2), $0.finished) }
        popped?.drained?()
        return popped != nil || finished ? .some(popped?.item) : nil
    }

    /// The next event; nil after the last one or when the task is cancelled, which loses none.
    nonisolated(nonsending) func next() async -> WebSocketArrival? {
        await waiters.first(within: { nil }) { Task.isCancelled ? .some(nil) : take() } ?? nil
    }

    /// The next event within a time, or nil after the last one; one that arrives at the last moment is delivered, never lost.
    func next(
        within limit: Duration, _ what: String, at address: String
    ) async throws(TransportProblem) -> WebSocketArrival? {
        if let arrival = await waiters.first(within: limit, take) { return arrival }
        throw TransportProblem(Task.isCancelled ? .cancelled : .late(what: what, limit: limit), at: address)
    }
}

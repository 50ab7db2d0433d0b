import HoldfastBasics
import HoldfastPlatform

/// The bounded queue between the event loop and the consumer of events.
///
/// It never refuses an event: when it is full, the event loop stops reading until the queue is down to half. It holds
/// at most the limit plus the messages that one read of the socket completes.
final class ArrivalQueue: Sendable {
    private struct State {
        var items: [WebSocketArrival] = []
        var head = 0
        var bytes = 0
        var finished = false
        var pausesReading = false
        var drained: (@Sendable () -> Void)?

        mutating func pop(resumingAt threshold: Int) -> (item: WebSocketArrival, drained: (@Sendable () -> Void)?)? {
            guard head < items.count else { return nil }
            let item = items[head]
            // Clears the slot at once; else a consumed message would stay in memory until the next compaction.
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
            guard pausesReading, bytes <= threshold else { return (item, nil) }
            pausesReading = false
            return (item, drained)
        }
    }

    private let state = Mutex(State())
    private let waiters = Waiters()
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Sets the callback for a full queue that has drained; it is called without the lock.
    func onDrained(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.drained = action } }

    /// Whether to pause reading; a caller that gets true must wait for the drained callback.
    var isFull: Bool {
        state.withLock { state in
            guard state.bytes >= limit else { return false }
            state.pausesReading = true
            return true
        }
    }

    var queuedBytes: Int { state.withLock { $0.bytes } }

    func push(_ arrival: WebSocketArrival) {
        state.withLock { state in
            guard !state.finished else { return }
            state.finished = arrival.event.isLast
            state.items.append(arrival)
            state.bytes += arrival.event.cost
        }
        waiters.notify()
    }

    /// `.some(nil)` after the last event, nil if more events may arrive.
    private func take() -> WebSocketArrival?? {
        let (popped, finished) = state.withLock { ($0.pop(resumingAt: limit / 2), $0.finished) }
        popped?.drained?()
        return popped != nil || finished ? .some(popped?.item) : nil
    }

    /// The next event; nil after the last one or if the task is canceled, which loses no event.
    nonisolated(nonsending) func next() async -> WebSocketArrival? {
        await waiters.first(within: { nil }) { Task.isCancelled ? .some(nil) : take() } ?? nil
    }

    /// The next event within a time limit, or nil after the last one; an event that arrives at the limit is not lost.
    func next(
        within limit: Duration, _ what: String, at address: String
    ) async throws(TransportProblem) -> WebSocketArrival? {
        if let arrival = await waiters.first(within: limit, take) { return arrival }
        throw TransportProblem(Task.isCancelled ? .cancelled : .late(what: what, limit: limit), at: address)
    }
}

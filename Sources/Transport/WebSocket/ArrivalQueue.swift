import Synchronization

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
        var waiters: [(id: Int, continuation: CheckedContinuation<WebSocketArrival?, Never>)] = []
        var nextWaiter = 0
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
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

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
    var isFinished: Bool { state.withLock { $0.finished } }

    /// Adds an event; whatever follows a last event is dropped.
    func push(_ arrival: WebSocketArrival) {
        let waiter: CheckedContinuation<WebSocketArrival?, Never>? = state.withLock { state in
            guard !state.finished else { return nil }
            if arrival.event.isLast { state.finished = true }
            if !state.waiters.isEmpty { return state.waiters.removeFirst().continuation }
            state.items.append(arrival)
            state.bytes += arrival.event.cost
            return nil
        }
        waiter?.resume(returning: arrival)
        guard arrival.event.isLast else { return }
        let others = state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
        for other in others { other.continuation.resume(returning: nil) }
    }

    /// What is already there.
    func poll() -> WebSocketArrival? {
        let popped = state.withLock { $0.pop(low: limit / 2) }
        popped?.drained?()
        return popped?.item
    }

    nonisolated(nonsending) func next() async -> WebSocketArrival? {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<WebSocketArrival?, Never>) in
                var resume: (@Sendable () -> Void)?
                var ready: WebSocketArrival??
                state.withLock { state in
                    if Task.isCancelled {
                        ready = .some(nil)
                    } else if let popped = state.pop(low: limit / 2) {
                        ready = popped.item
                        resume = popped.drained
                    } else if state.finished {
                        ready = .some(nil)
                    } else {
                        state.waiters.append((id, continuation))
                    }
                }
                if let ready { continuation.resume(returning: ready) }
                resume?()
            }
        } onCancel: {
            let waiter: CheckedContinuation<WebSocketArrival?, Never>? = state.withLock { state in
                guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
                return state.waiters.remove(at: index).continuation
            }
            waiter?.resume(returning: nil)
        }
    }
}

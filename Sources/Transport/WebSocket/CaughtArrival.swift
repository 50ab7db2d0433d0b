import Synchronization

/// Holds an event across the deadline that passes while it is being taken.
final class CaughtArrival: Sendable {
    private let arrival = Mutex<WebSocketArrival?>(nil)

    func set(_ new: WebSocketArrival?) { arrival.withLock { $0 = new } }
    func get() -> WebSocketArrival? { arrival.withLock { $0 } }
}

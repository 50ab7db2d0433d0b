/// The queue of notices for each device: sent one at a time and in order, so that the newest one arrives last.
struct PushOutbox: Sendable {
    /// The most notices that wait for one device; further ones are dropped, because reads return everything.
    static let maxWaiting = 100
    static let maxAttempts = 3
    /// The wait before the second attempt, in milliseconds; each later wait is four times as long.
    static let firstPauseMs = 250

    private struct DeviceQueue {
        var notices: [PushNotice] = []
        var attempts = 0
        var isGone = false
    }

    private var queues: [String: DeviceQueue] = [:]

    var isEmpty: Bool { queues.values.allSatisfy { $0.notices.isEmpty } }

    /// Returns whether the notice is the first in the queue and must be sent at once.
    mutating func add(_ notice: PushNotice, for device: String) -> Bool {
        var queue = queues[device] ?? DeviceQueue()
        guard !queue.isGone, queue.notices.count < Self.maxWaiting else { return false }
        queue.notices.append(notice)
        queues[device] = queue
        return queue.notices.count == 1
    }

    func first(for device: String) -> PushNotice? { queues[device]?.notices.first }

    /// Records the outcome for the first notice of a device, which may end the use of the device.
    ///
    /// - Returns: The milliseconds until the next attempt, for the same notice or the next; nil if none waits.
    mutating func settle(_ device: String, _ outcome: PushOutcome) -> Int? {
        guard var queue = queues[device], !queue.notices.isEmpty else { return nil }
        defer { queues[device] = queue }
        if outcome.endsTheDevice {
            queue = DeviceQueue(isGone: true)
            return nil
        }
        queue.attempts += 1
        if outcome.isTransient, queue.attempts < Self.maxAttempts {
            return Self.firstPauseMs << (2 * (queue.attempts - 1))
        }
        queue.attempts = 0
        queue.notices.removeFirst()
        return queue.notices.isEmpty ? nil : 0
    }
}

/// The queue of notices for each device: sent one at a time and in order, so that the newest one arrives last.
struct PushOutbox: Sendable {
    /// The most notices that wait for one device; further ones are dropped, because reads return everything.
    static let maxWaiting = 100
    static let maxAttempts = 3
    /// The wait before the second attempt, in milliseconds; each later wait is four times as long.
    static let firstPauseMs = 250

    private struct Line {
        var notices: [PushNotice] = []
        var attempts = 0
        var isGone = false
    }

    private var lines: [String: Line] = [:]

    var isEmpty: Bool { lines.values.allSatisfy { $0.notices.isEmpty } }

    /// Returns whether the notice is the first in the queue and must be sent at once.
    mutating func add(_ notice: PushNotice, for device: String) -> Bool {
        var line = lines[device] ?? Line()
        guard !line.isGone, line.notices.count < Self.maxWaiting else { return false }
        line.notices.append(notice)
        lines[device] = line
        return line.notices.count == 1
    }

    func first(for device: String) -> PushNotice? { lines[device]?.notices.first }

    /// Records the outcome for the first notice of a device, which may end the use of the device.
    ///
    /// - Returns: The milliseconds until the next attempt, for the same notice or the next; nil if none waits.
    mutating func settle(_ device: String, _ outcome: PushOutcome) -> Int? {
        guard var line = lines[device], !line.notices.isEmpty else { return nil }
        defer { lines[device] = line }
        if outcome.endsTheDevice {
            line = Line(isGone: true)
            return nil
        }
        line.attempts += 1
        if outcome.isTransient, line.attempts < Self.maxAttempts {
            return Self.firstPauseMs << (2 * (line.attempts - 1))
        }
        line.attempts = 0
        line.notices.removeFirst()
        return line.notices.isEmpty ? nil : 0
    }
}

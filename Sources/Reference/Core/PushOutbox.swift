/// The notices on their way to each device: one at a time and in order, so that the newest is the one that stays.
struct PushOutbox: Sendable {
    /// The most notices that wait for one device; what comes on top is left out, because reads have it all.
    static let maxWaiting = 100
    /// How often one notice is tried.
    static let maxAttempts = 3
    /// How long the second attempt waits, in milliseconds; each later one waits four times as long.
    static let firstPauseMs = 250

    private struct Line {
        var notices: [PushNotice] = []
        var attempts = 0
        var isGone = false
    }

    private var lines: [String: Line] = [:]

    /// Whether nothing waits for any device.
    var isEmpty: Bool { lines.values.allSatisfy { $0.notices.isEmpty } }

    /// Puts a notice into the line of a device.
    ///
    /// - Returns: Whether it is the first there, and so to be sent at once.
    mutating func add(_ notice: PushNotice, for device: String) -> Bool {
        var line = lines[device] ?? Line()
        guard !line.isGone, line.notices.count < Self.maxWaiting else { return false }
        line.notices.append(notice)
        lines[device] = line
        return line.notices.count == 1
    }

    /// The notice whose turn it is.
    func first(for device: String) -> PushNotice? { lines[device]?.notices.first }

    /// Takes in what became of the first notice of a device, and whether that ends the use of the device.
    ///
    /// - Returns: After how many milliseconds the first one is sent, the same or the next; nil when none waits.
    mutating func settle(_ device: String, _ outcome: PushOutcome) -> Int? {
        guard var line = lines[device], !line.notices.isEmpty else { return nil }
        defer { lines[device] = line }
        if outcome.endsTheDevice {
            line = Line(isGone: true)
            return nil
        }
        line.attempts += 1
        if outcome.isPassing, line.attempts < Self.maxAttempts {
            return Self.firstPauseMs << (2 * (line.attempts - 1))
        }
        line.attempts = 0
        line.notices.removeFirst()
        return line.notices.isEmpty ? nil : 0
    }
}

/// Which turn of each session runs and which wait: one at a time within a session, sessions independent of each other.
struct TurnQueue: Sendable {
    /// Whether all sessions share one line.
    var isShared = false
    private var lines: [String: [String]] = [:]

    /// Puts a turn at the end of the line of its session.
    ///
    /// - Returns: Whether it may start at once.
    mutating func enter(_ turn: String, session: String) -> Bool {
        let session = line(of: session)
        lines[session, default: []].append(turn)
        return lines[session]?.count == 1
    }

    /// Takes an ended turn out of its line, however it ended.
    ///
    /// - Returns: The turn that may start now.
    mutating func leave(_ turn: String, session: String) -> String? {
        let session = line(of: session)
        guard var line = lines[session], let position = line.firstIndex(of: turn) else { return nil }
        line.remove(at: position)
        lines[session] = line.isEmpty ? nil : line
        return position == 0 ? line.first : nil
    }

    /// Whether a turn of the session runs or waits.
    func isBusy(_ session: String) -> Bool { lines[line(of: session)] != nil }

    private func line(of session: String) -> String { isShared ? "" : session }
}

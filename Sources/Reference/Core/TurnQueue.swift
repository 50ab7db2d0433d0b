/// The running and waiting turns of each session: one runs at a time per session, and sessions are independent.
struct TurnQueue: Sendable {
    var isShared = false
    private var lines: [String: [String]] = [:]

    /// Returns whether the turn may start at once.
    mutating func enter(_ turn: String, session: String) -> Bool {
        let session = line(of: session)
        lines[session, default: []].append(turn)
        return lines[session]?.count == 1
    }

    /// Returns the turn that may start now.
    mutating func leave(_ turn: String, session: String) -> String? {
        let session = line(of: session)
        guard var line = lines[session], let position = line.firstIndex(of: turn) else { return nil }
        line.remove(at: position)
        lines[session] = line.isEmpty ? nil : line
        return position == 0 ? line.first : nil
    }

    func isBusy(_ session: String) -> Bool { lines[line(of: session)] != nil }

    private func line(of session: String) -> String { isShared ? "" : session }
}

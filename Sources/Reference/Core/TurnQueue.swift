/// The running and waiting turns of each session: one runs at a time per session, and sessions are independent.
struct TurnQueue: Sendable {
    var isShared = false
    private var queues: [String: [String]] = [:]

    /// Returns whether the turn may start at once.
    mutating func enter(_ turn: String, session: String) -> Bool {
        let key = key(of: session)
        queues[key, default: []].append(turn)
        return queues[key]?.count == 1
    }

    /// Returns the turn that may start now.
    mutating func leave(_ turn: String, session: String) -> String? {
        let key = key(of: session)
        guard var turns = queues[key], let position = turns.firstIndex(of: turn) else { return nil }
        turns.remove(at: position)
        queues[key] = turns.isEmpty ? nil : turns
        return position == 0 ? turns.first : nil
    }

    func isBusy(_ session: String) -> Bool { queues[key(of: session)] != nil }

    private func key(of session: String) -> String { isShared ? "" : session }
}

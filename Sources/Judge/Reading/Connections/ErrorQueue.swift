import Transcript

/// Messages that a server has to answer with an `error`, by connection, in the order in which it reads them.
struct ErrorQueue {
    private static let formal: Set<String> = ["parse_error", "bad_request", "unknown_type", "too_large"]

    private var waiting: [Int: [(event: Int, hasIllFormedSession: Bool)]] = [:]

    init() {}

    /// Hostile messages, and questions whose session id no server would give.
    init(hostile: [Int: HostileFrame.Kind], turns: [ObservedTurn], connections: [ObservedConnection]) {
        let illFormed = Set(
            turns.flatMap(\.requests).filter { $0.sessionAsked.map { !isSessionID($0) } ?? false }.map(\.event))
        for (index, connection) in connections.enumerated() {
            waiting[index] = connection.sent.compactMap { frame in
                if let kind = hostile[frame.event] { return kind == .free ? nil : (frame.event, false) }
                return illFormed.contains(frame.event) ? (frame.event, true) : nil
            }
        }
    }

    /// The event that an error without a name answers; nil when nothing waits that it could answer.
    func next(for error: Frame) -> Int? {
        guard error.seq == nil, error.turnId == nil, let code = error.code,
            let first = waiting[error.connection]?.first, first.event < error.event
        else { return nil }
        if code == "session_not_found" { return first.hasIllFormedSession ? first.event : nil }
        return Self.formal.contains(code) ? first.event : nil
    }

    /// Notes that a message was answered.
    mutating func remove(_ event: Int, on connection: Int) {
        waiting[connection]?.removeAll { $0.event == event }
    }
}

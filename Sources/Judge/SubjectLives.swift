import HoldfastJSON
import HoldfastTranscript

/// The lives of the subject's process, from the acts of the stage: each start begins a new one.
struct SubjectLives: Sendable {
    struct End: Sendable, HasEvent {
        let event: Int
        let cause: Cause
        let details: JSONObject
    }

    enum Cause: Sendable {
        case killed, stopped, exited
    }

    /// A period in which the disk of the subject accepted no writes.
    struct Fault: Sendable {
        let start: Int
        /// The first event that the fault may have affected: the stage records a fault once it has certainly begun.
        let earliest: Int
        /// The event that ended it: writes accepted again, or the next start; otherwise the length of the history.
        let end: Int
        let life: Int

        func covers(_ event: Int) -> Bool { event > start && event < end }
    }

    private var starts: [Int] = []
    private var endings: [Int: End] = [:]
    private(set) var faults: [Fault] = []

    init(_ history: History) {
        var refused: Int?
        func close(_ end: Int) {
            if let start = refused {
                let life = starts.count { $0 < start }
                faults.append(Fault(start: start, earliest: Self.earliest(start, history), end: end, life: life))
            }
            refused = nil
        }
        for index in history.events.indices where history.events[index].lane == .server {
            guard case .act(let name, let details) = history.events[index].kind else { continue }
            func end(_ cause: Cause) {
                let life = starts.count
                if endings[life] == nil { endings[life] = End(event: index, cause: cause, details: details) }
            }
            switch name {
            case "kill": end(.killed)
            case "stop": end(.stopped)
            case "exit": end(.exited)
            case "start":
                close(index)
                starts.append(index)
            case "refuseWrites": refused = refused ?? index
            case "acceptWrites": close(index)
            default: break
            }
        }
        close(history.events.count)
    }

    private static func earliest(_ start: Int, _ history: History) -> Int {
        guard case .act(_, let details) = history.events[start].kind, let took = details["took"]?.intValue else {
            return start
        }
        let moment = history.events[start].at - took
        return history.events[..<start].lastIndex { $0.at < moment }.map { $0 + 1 } ?? 0
    }

    /// The life at an event; frames belong to the life in which their connection was opened.
    func life(at event: Int) -> Int { starts.boundary { $0 > event } }

    /// The end of a life; nil if it lasts to the end of the history.
    func end(of life: Int) -> End? { endings[life] }

    /// The event that began a life; nil for the first.
    func start(of life: Int) -> Int? { life > 0 ? starts[life - 1] : nil }

    var ended: [(life: Int, end: End)] { endings.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }

    /// Whether the process ended between one life and a later one without being stopped: it exited or was killed.
    func crashed(from first: Int, to last: Int) -> Bool {
        first < last && (first..<last).contains { endings[$0]?.cause != .stopped }
    }

    func refusedWrites(between first: Int, and last: Int) -> Bool {
        faults.contains { $0.earliest <= last && $0.end > first }
    }
}

extension Observations {
    /// The life in which a frame's connection was opened, however late the frame was read.
    func life(of frame: Frame) -> Int { lives.life(at: connections[frame.connection].opening) }

    func life(of turn: ObservedTurn) -> Int { life(of: turn.request) }

    func life(of request: ObservedRequest) -> Int {
        lives.life(at: request.connection.map { connections[$0].opening } ?? request.event)
    }

    /// Whether the stage caused the end of a connection or exchange: it ended the process, or refused the writes of a
    /// process that then exited.
    ///
    /// The end of a socket can be seen a moment before the act is recorded, and later requests meet no process.
    func wasStopped(between first: Int, and last: Int) -> Bool {
        let life = lives.life(at: last)
        // A turn that a server runs twice may seem to end before it began.
        return (min(lives.life(at: first), life)...life).contains { number in
            guard let end = lives.end(of: number) else { return false }
            let isNear = end.event <= last || time(of: end.event) - time(of: last) <= 20_000
            guard isNear else { return false }
            return end.cause != .exited || lives.faults.contains { $0.life == number && $0.start < end.event }
        }
    }

    /// Whether a connection ended because the process ended by itself, which ends all its connections; the end of a
    /// socket can be seen first.
    func endedWithItsProcess(_ ending: Int) -> Bool {
        guard let exit = lives.end(of: lives.life(at: ending)), exit.cause == .exited else { return false }
        return exit.event < ending || span(from: ending, to: exit.event) < 1_000_000
    }

    /// Whether the process exited by itself or was killed between two events, and was started again.
    func hasCrashed(between first: Int, and last: Int) -> Bool {
        lives.crashed(from: lives.life(at: first), to: lives.life(at: last))
    }

    /// Whether the stage may have caused the end of a connection opened at an event: it ended the process or refused
    /// writes; 1011 or a loss may come long after refused writes, any other close only while they are refused.
    func mayHaveCaused(_ ending: ObservedConnection.Ending, since opening: Int) -> Bool {
        if ending.kind == .lost || ending.has(code: 1011) { return wasDisturbed(between: opening, and: ending.event) }
        let end = ending.event
        return wasStopped(between: opening, and: end)
            || lives.faults.contains { fault in
                fault.earliest <= end && fault.end > opening && (fault.end > end || mayCross(fault.end, end))
            }
    }

    func wasDisturbed(between first: Int, and last: Int) -> Bool {
        wasStopped(between: first, and: last) || lives.refusedWrites(between: first, and: last)
    }
}

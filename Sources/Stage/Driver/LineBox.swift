import HoldfastBasics
import HoldfastPlatform

/// Lines of a driver that wait to be read: bounded, whatever the driver does.
final class LineBox: Sendable {
    /// The maximum number of bytes of a line, and of all waiting lines.
    static let limit = DriverProblem.longestLine

    enum End: Sendable, Equatable {
        case ended(SubjectExit)
        case disconnected
        case flooded(bytes: Int)
    }

    enum Arrival: Sendable, Equatable {
        case line([UInt8])
        case end(End)
        case late
        case interrupted
    }

    private struct State {
        var lines: [[UInt8]] = []
        var waitingBytes = 0
        /// A line whose end has not arrived yet.
        var begun: [UInt8] = []
        var end: End?
    }

    private let state = Mutex(State())
    private let waiters = Waiters()

    /// Takes a piece of a stream of lines.
    /// - Returns: False if nothing more should be read.
    @discardableResult
    func take(_ chunk: [UInt8]) -> Bool {
        change { state in
            guard state.end == nil else { return false }
            var rest = chunk[...]
            while let index = rest.firstIndex(of: UInt8(ascii: "\n")) {
                state.begun += rest[..<index]
                rest = rest[rest.index(after: index)...]
                let line = state.begun
                state.begun = []
                if !Self.add(line, to: &state) { return false }
            }
            state.begun += rest
            return Self.isWithinBounds(&state)
        }
    }

    @discardableResult
    func put(_ line: [UInt8]) -> Bool {
        change { state in state.end == nil && Self.add(line, to: &state) }
    }

    func finish(_ end: End) { change { state in if state.end == nil { state.end = end } } }

    func waiting() -> [UInt8]? { state.withLock { Self.next(&$0) } }

    /// The reason why no more lines arrive, even while lines still wait; nil while more may arrive.
    var end: End? { state.withLock { $0.end } }

    func next(within limit: Duration) async -> Arrival {
        let arrival: Arrival? = await waiters.first(within: limit) {
            state.withLock { state in Self.next(&state).map { .line($0) } ?? state.end.map { .end($0) } }
        }
        return arrival ?? (Task.isCancelled ? .interrupted : .late)
    }

    private static func add(_ line: [UInt8], to state: inout State) -> Bool {
        // An empty line is harmless.
        guard line.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\t") })
        else { return true }
        state.lines.append(line)
        state.waitingBytes += line.count
        return isWithinBounds(&state)
    }

    private static func isWithinBounds(_ state: inout State) -> Bool {
        let bytes = state.waitingBytes + state.begun.count
        guard bytes > limit || state.lines.count > 10_000 else { return true }
        state.end = .flooded(bytes: bytes)
        state.lines = []
        state.waitingBytes = 0
        state.begun = []
        return false
    }

    private static func next(_ state: inout State) -> [UInt8]? {
        guard !state.lines.isEmpty else { return nil }
        let line = state.lines.removeFirst()
        state.waitingBytes -= line.count
        return line
    }

    @discardableResult
    private func change<Result: Sendable>(_ edit: (inout State) -> Result) -> Result {
        let result = state.withLock { edit(&$0) }
        waiters.notify()
        return result
    }
}

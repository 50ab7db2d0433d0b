import Synchronization

/// The progress line of a selftest.
final class Meter: Sendable {
    private let total: Int
    private let isShown: Bool
    private let state = Mutex<(done: Int, running: [String])>((0, []))

    init(total: Int, isShown: Bool) {
        self.total = total
        self.isShown = isShown
    }

    /// Shows a name for as long as the body takes.
    func counting<Result>(_ name: String, _ body: () async throws -> Result) async throws -> Result {
        change { $0.running.append(name) }
        defer {
            change {
                $0.done += 1
                $0.running.removeAll { $0 == name }
            }
        }
        return try await body()
    }

    /// Wipes the line.
    func end() {
        if isShown { Console.endProgress() }
    }

    private func change(_ change: (inout (done: Int, running: [String])) -> Void) {
        state.withLock { state in
            change(&state)
            if isShown { Console.progress("\(state.done)/\(total)  \(state.running.joined(separator: "  "))") }
        }
    }
}

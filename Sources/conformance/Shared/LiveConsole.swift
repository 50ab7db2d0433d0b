@preconcurrency import Dispatch
import Holdfast
import HoldfastBasics
import HoldfastPlatform
import HoldfastReport
import HoldfastSuite

/// Prints findings while something runs.
///
/// If the reader of the output stops, nothing blocks; dropped texts are counted.
final class LiveConsole: Sendable {
    private struct State {
        var waiting = 0
        var lost = 0
    }

    private let isForMachines: Bool
    private let style = Console.style
    private let queue = DispatchQueue(label: "holdfast.live.console")
    private let state = Mutex(State())
    let violations = ReportTally()
    /// The maximum number of texts that wait for a reader.
    private static let maxWaiting = 1000
    /// The seconds that a reader gets for the last texts.
    private static let patience = 5

    /// Findings go to standard error if standard output is for a machine.
    init(isForMachines: Bool = false) { self.isForMachines = isForMachines }

    /// Reports a finding, in full only the first few times for each clause, or that it was withdrawn.
    func notify(_ clause: ClauseID, isWithdrawn: Bool, _ text: (ConsoleStyle, ReportTally.Detail) -> String?) {
        let detail = isWithdrawn ? violations.withdraw(clause) : violations.take(clause)
        if let text = text(style, detail) { write(text, isError: isForMachines) }
    }

    func note(_ line: String) { write(line, isError: true) }

    private func write(_ text: String, isError: Bool) {
        let isFull = state.withLock { state in
            guard state.waiting < Self.maxWaiting else {
                state.lost += 1
                return true
            }
            state.waiting += 1
            return false
        }
        guard !isFull else { return }
        queue.async {
            if isError {
                Console.error(text.hasSuffix("\n") ? String(text.dropLast()) : text)
            } else {
                Console.write(text)
            }
            self.state.withLock { $0.waiting -= 1 }
        }
    }

    /// Returns once everything was written.
    /// - Throws: A problem if the reader is stuck.
    func end() throws {
        let isDone = DispatchSemaphore(value: 0)
        queue.async { isDone.signal() }
        let isStuck = isDone.wait(timeout: .now() + .seconds(Self.patience)) == .timedOut
        let lost = state.withLock { $0.lost }
        if lost > 0 { Console.error("\(counted(lost, "message")) dropped: the reader was too slow") }
        guard isStuck else { return }
        throw SuiteProblem(
            .harness,
            """
            standard output: the reader is stuck
              expected: a program that reads the findings
              fix: stop the program behind the pipe, or write to a file
            """)
    }
}

import Foundation
import Report
import Synchronization

/// The progress of a judgement: how much was read, how fast, and what is violated so far.
final class JudgeProgress: Sendable {
    private let seen: Seen
    private let line: ProgressLine
    private let isShown: Bool

    init(_ paths: [String], isShown: Bool) {
        let seen = Seen(total: isShown ? Self.size(of: paths) : nil)
        self.seen = seen
        self.isShown = isShown
        line = ProgressLine(isShown: isShown, wipesWhenInterrupted: true) { seen.content }
    }

    /// A part of a file was judged; so many clauses are violated by now.
    func note(_ source: JudgeSource, violations: @autoclosure () -> Int) {
        guard isShown else { return }
        seen.note(source.name, bytes: source.summary.bytes, violations: violations())
    }

    /// Wipes the line.
    func end() { line.end() }

    /// The bytes of all files; nil when one of them is a pipe, which tells no size.
    private static func size(of paths: [String]) -> Int? {
        var total = 0
        for path in paths {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            guard attributes?[.type] as? FileAttributeType == .typeRegular, let size = attributes?[.size] as? Int
            else { return nil }
            total += size
        }
        return total
    }
}

/// What was read of which file.
private final class Seen: Sendable {
    private struct State {
        var bytes: [String: Int] = [:]
        var last: String?
        var violations = 0
    }

    private let total: Int?
    private let began = ContinuousClock.now
    private let state = Mutex(State())

    init(total: Int?) {
        self.total = total
    }

    func note(_ name: String, bytes: Int, violations: Int) {
        state.withLock { state in
            state.bytes[name] = bytes
            state.last = name
            state.violations = violations
        }
    }

    var content: TextProgress {
        let passed = ContinuousClock.now - began
        return state.withLock { state in
            let done = state.bytes.values.reduce(0, +)
            let size = JudgementText.size(done) + (total.map { " of \(JudgementText.size($0))" } ?? "")
            var left: TimeLeft.Estimate?
            if let total, done > 0, passed > .seconds(1) {
                left = .about(passed * (Double(max(0, total - done)) / Double(done)))
            }
            return TextProgress(
                done: "\(size), \(JudgementText.rate(done, passed))",
                flaws: Meter.Flaw.violation.words(state.violations),
                left: left, running: [state.last].compactMap(\.self))
        }
    }
}

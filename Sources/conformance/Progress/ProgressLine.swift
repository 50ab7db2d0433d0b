@preconcurrency import Dispatch
import Platform
import Report

/// A line of progress on the terminal while something runs: drawn at a steady rate, wiped at the end, absent in a pipe.
final class ProgressLine: Sendable {
    /// Fast enough for the eye, and no more work for the terminal however much happens.
    private static let interval = DispatchTimeInterval.milliseconds(150)

    private let timer: (any DispatchSourceTimer)?

    /// Begins to draw.
    /// - Parameters:
    ///   - isShown: Whether there is somebody to see it.
    ///   - wipesWhenInterrupted: For commands that leave SIGINT to the system: the line is wiped before the process ends.
    ///   - content: What there is to tell, asked at each drawing.
    init(isShown: Bool, wipesWhenInterrupted: Bool = false, content: @escaping @Sendable () -> TextProgress) {
        guard isShown else {
            timer = nil
            return
        }
        if wipesWhenInterrupted {
            for signal in [SystemSignal.interrupt, .terminate] { signal.wipeLineFirst() }
        }
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "holdfast.progress"))
        timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval)
        timer.setEventHandler { Console.draw(content()) }
        timer.activate()
        self.timer = timer
    }

    /// Stops drawing and wipes the line.
    func end() {
        guard let timer else { return }
        timer.cancel()
        Console.endProgress()
    }
}

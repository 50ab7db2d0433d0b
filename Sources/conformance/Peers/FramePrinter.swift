import ArgumentParser
import HoldfastBasics
import HoldfastMock
import HoldfastReport

/// Prints traffic on standard output, one line per frame, without delaying the server.
struct FramePrinter: Sendable {
    enum Style: String, CaseIterable, ExpressibleByArgument {
        case none
        case brief
        /// A line for each frame, followed by its text on the wire.
        case verbatim
    }

    /// The maximum number of frames that wait to be printed while a terminal is blocked; the oldest are dropped.
    private static let maxWaiting = 5000

    private let frames: AsyncStream<MockFrame>
    private let waiting: AsyncStream<MockFrame>.Continuation
    private let style: Style

    init(_ style: Style) {
        self.style = style
        (frames, waiting) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.maxWaiting))
    }

    /// Takes a frame without ever waiting.
    func take(_ frame: MockFrame) {
        if style != .none { waiting.yield(frame) }
    }

    /// Prints until ``end()``, and then the remaining frames.
    func print() async {
        let console = Console.style
        var last: Int?
        for await frame in frames {
            if let last, frame.number > last + 1 {
                Console.write("… \(readable(frame.number - last - 1)) left out\n")
            }
            last = frame.number
            Console.write(text(frame, console))
        }
    }

    func end() { waiting.finish() }

    /// One frame as text; control characters from clients and servers are made visible.
    func text(_ frame: MockFrame, _ console: ConsoleStyle) -> String {
        let brief = PlainText.line(frame.brief)
        let room = console.width - frame.time.count - frame.lane.count - 4
        let shown = style == .brief && Console.isTerminal ? console.cut(brief, to: max(20, room)) : brief
        let painted =
            frame.mark == "!" ? console.yellow(shown) : brief.hasPrefix("error") ? console.red(shown) : shown
        let line = "\(console.dim(frame.time)) \(frame.lane)\(frame.mark) \(painted)\n"
        guard style == .verbatim, let verbatim = frame.verbatim else { return line }
        return line + "    " + PlainText.line(verbatim, limit: MockRecord.maxVerbatim + 100) + "\n"
    }
}

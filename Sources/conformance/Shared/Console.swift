@preconcurrency import Dispatch
import HoldfastPlatform
import HoldfastReport
import HoldfastSmallFoundation
import HoldfastSuite

/// Standard output and standard error, and the properties of their terminals.
enum Console {
    static func open() { Descriptor.fillStandardStreams() }

    private enum Loss { case readerLeft, failed }

    private static let loss = Mutex<Loss?>(nil)

    /// Whether output was lost although its reader had not closed the pipe.
    static var hasLostOutput: Bool { loss.withLock { $0 == .failed } }

    /// Writes a whole text to standard output.
    ///
    /// A reader such as `head` ends once it has all it wanted: later output is then dropped, and the command continues.
    /// A full disk or a closed output is reported once and ends the command with ``ExitStatus/harness``.
    static func write(_ text: String) {
        if isTerminal { endProgress() }
        let failure = loss.withLock { loss -> SystemError? in
            guard loss == nil else { return nil }
            do throws(SystemError) {
                try Descriptor.standardOutput.writeAll(text)
                return nil
            } catch {
                loss = error == .brokenPipe ? .readerLeft : .failed
                return loss == .failed ? error : nil
            }
        }
        guard let failure else { return }
        error(
            """
            standard output: cannot be written: \(failure)
              expected: a terminal, a pipe or a file that accepts all of it
              fix: free disk space, or redirect the output elsewhere
            """)
        // Show a verdict on standard error instead; leave out large pages and tables.
        if text.utf8.count < 1 << 14 { writeError(text) }
    }

    static func error(_ text: String) {
        endProgress()
        writeError(text + "\n")
    }

    /// A failure to write to standard error cannot be reported anywhere.
    private static func writeError(_ text: String) { try? Descriptor.standardError.writeAll(text) }

    /// Colors on a terminal, unless NO_COLOR is set or TERM is `dumb`; the width of the terminal, or 80 in a pipe.
    static var style: ConsoleStyle {
        ConsoleStyle(
            hasColor: isTerminal && !isPlain, width: Descriptor.standardOutput.terminalWidth ?? 80,
            hasUnicode: hasUnicode)
    }

    static var isTerminal: Bool { Descriptor.standardOutput.isTerminal }

    // MARK: progress

    /// The progress line that the terminal shows, if any.
    private static let drawn = Mutex<String?>(nil)

    static var showsProgress: Bool { Descriptor.standardError.isTerminal && environment("TERM") != "dumb" }

    /// Draws progress over the previous line; reads the width each time, so that a resized window counts.
    static func draw(_ progress: TextProgress) {
        let columns = (Descriptor.standardError.terminalWidth ?? 80) - 1
        let line = progress.line(ConsoleStyle(hasColor: !isPlain, hasUnicode: hasUnicode), width: columns)
        drawn.withLock { drawn in
            guard drawn != line else { return }
            writeError("\r\u{1B}[2K\(line)")
            drawn = line
        }
    }

    static func endProgress() {
        drawn.withLock { drawn in
            guard drawn != nil else { return }
            writeError("\r\u{1B}[2K")
            drawn = nil
        }
    }

    // MARK: devices

    private static var isPlain: Bool {
        environment("NO_COLOR").map { !$0.isEmpty } ?? false || environment("TERM") == "dumb"
    }

    /// Whether the locale allows more than ASCII; if none is set, it does, because terminals read UTF-8.
    private static var hasUnicode: Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(environment).first { !$0.isEmpty }
        guard let locale = locale?.uppercased() else { return true }
        return locale.contains("UTF-8") || locale.contains("UTF8")
    }

    private static func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}

/// A progress line on the terminal while something runs: drawn at a steady rate, cleared at the end, absent in a pipe.
enum ProgressLine {
    /// Fast enough for the eye, and cheap for the terminal.
    private static let interval = DispatchTimeInterval.milliseconds(150)

    /// The display; nil without a terminal.
    ///
    /// For commands that leave SIGINT to the system, the display clears the line before the process ends.
    static func display(wipesWhenInterrupted: Bool = false) -> ProgressDisplay? {
        guard Console.showsProgress else { return nil }
        return { content in
            if wipesWhenInterrupted {
                for signal in [SystemSignal.interrupt, .terminate] { signal.wipeLineFirst() }
            }
            let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "holdfast.progress"))
            timer.schedule(deadline: .now() + interval, repeating: interval)
            timer.setEventHandler { Console.draw(content()) }
            timer.activate()
            return {
                timer.cancel()
                Console.endProgress()
            }
        }
    }
}

extension Interruptions {
    /// Starts to listen for interruptions; the progress line is cleared before a second signal ends the process.
    convenience init(ignoringInterrupt: Bool = false, endingWithInput: Bool = false) {
        self.init(
            ignoringInterrupt: ignoringInterrupt, endingWithInput: endingWithInput, notify: { Console.error($0) },
            leaving: { Console.endProgress() })
    }
}

import Foundation
import Report
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Standard output and standard error, and what kind of devices they are.
enum Console {
    /// Writes to standard output, whole.
    static func write(_ text: String) {
        if isTerminal(STDOUT_FILENO) { endProgress() }
        FileHandle.standardOutput.write(Data(text.utf8))
    }

    /// Writes a line to standard error.
    static func error(_ text: String) {
        endProgress()
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }

    /// Colours on a terminal unless NO_COLOR is set; as wide as the terminal, or 80 columns in a pipe.
    static var style: ConsoleStyle {
        ConsoleStyle(
            hasColour: isTerminal(STDOUT_FILENO) && !isPlain, width: width(of: STDOUT_FILENO) ?? 80,
            hasUnicode: hasUnicode)
    }

    /// Whether standard output is a terminal.
    static var isTerminal: Bool { isTerminal(STDOUT_FILENO) }

    // MARK: progress

    /// The line of progress that stands on the terminal, if any.
    private static let drawn = Mutex<String?>(nil)

    /// Whether progress may be drawn on standard error.
    static var showsProgress: Bool { isTerminal(STDERR_FILENO) && environment("TERM") != "dumb" }

    /// Draws progress over the line drawn before; the width is asked each time, so that a new size of the window counts.
    static func draw(_ progress: TextProgress) {
        let columns = (width(of: STDERR_FILENO) ?? 80) - 1
        let line = progress.line(ConsoleStyle(hasColour: !isPlain, hasUnicode: hasUnicode), width: columns)
        drawn.withLock { drawn in
            guard drawn != line else { return }
            FileHandle.standardError.write(Data("\r\u{1B}[2K\(line)".utf8))
            drawn = line
        }
    }

    /// Wipes the line of progress, if there is one.
    static func endProgress() {
        drawn.withLock { drawn in
            guard drawn != nil else { return }
            FileHandle.standardError.write(Data("\r\u{1B}[2K".utf8))
            drawn = nil
        }
    }

    // MARK: devices

    private static var isPlain: Bool {
        environment("NO_COLOR").map { !$0.isEmpty } ?? false || environment("TERM") == "dumb"
    }

    /// Whether the locale takes more than ASCII; one that nobody chose says nothing, and terminals take UTF-8.
    private static var hasUnicode: Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(environment).first { !$0.isEmpty }
        guard let locale = locale?.uppercased() else { return true }
        return locale.contains("UTF-8") || locale.contains("UTF8")
    }

    private static func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    private static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    private static func width(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}

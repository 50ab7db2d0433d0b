import Foundation
import Report

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Standard output and standard error, and what kind of devices they are.
enum Console {
    /// Writes to standard output, whole.
    static func write(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }

    /// Writes a line to standard error.
    static func error(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }

    /// Colours on a terminal unless NO_COLOR is set; as wide as the terminal, or 100 columns in a pipe.
    static var style: ConsoleStyle {
        ConsoleStyle(hasColour: isTerminal(STDOUT_FILENO) && !isPlain, width: width(of: STDOUT_FILENO) ?? 100)
    }

    /// Whether standard output is a terminal.
    static var isTerminal: Bool { isTerminal(STDOUT_FILENO) }

    /// Whether progress may be drawn on standard error.
    static var showsProgress: Bool { isTerminal(STDERR_FILENO) && environment("TERM") != "dumb" }

    /// Draws progress over the line drawn before.
    static func progress(_ text: String) {
        let columns = (width(of: STDERR_FILENO) ?? 80) - 1
        FileHandle.standardError.write(Data("\r\u{1B}[2K\(text.prefix(columns))".utf8))
    }

    /// Wipes the progress line.
    static func endProgress() {
        FileHandle.standardError.write(Data("\r\u{1B}[2K".utf8))
    }

    private static var isPlain: Bool {
        environment("NO_COLOR").map { !$0.isEmpty } ?? false || environment("TERM") == "dumb"
    }

    private static func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    private static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    private static func width(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}

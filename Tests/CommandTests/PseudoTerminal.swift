import Dispatch
import Subprocess
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A terminal that nobody sits at; what a program shows on it is read here.
struct PseudoTerminal: Sendable {
    private let control: Int32
    private let program: pid_t

    /// The system gives no terminal, for this reason.
    struct Unavailable: Error {
        let number: Int32
    }

    /// Runs a program, the built one unless another is named, on a terminal of so many columns.
    ///
    /// A body looks at all that came, each time that more of it came, and may resize and interrupt.
    static func run(
        _ arguments: [String], of program: String = BuiltBinary.path, path: String? = nil, columns: Int,
        within limit: Duration = .seconds(120),
        look: @escaping @Sendable (String, PseudoTerminal) -> Void = { _, _ in }
    ) async throws -> String {
        let (control, screen) = try open(columns)
        defer { close(control) }
        var surroundings = Environment.inherit.updating(["NO_COLOR": "1", "TERM": "xterm", "LC_ALL": "C.UTF-8"])
        if let path { surroundings = surroundings.updating(["PATH": path]) }
        let outcome = try await Subprocess.run(
            .path(.init(program)), arguments: Arguments(arguments), environment: surroundings, input: .none,
            output: .fileDescriptor(.init(rawValue: screen), closeAfterSpawningProcess: false),
            error: .fileDescriptor(.init(rawValue: screen), closeAfterSpawningProcess: false)
        ) { execution in
            close(screen)
            let watchdog = Task {
                try await Task.sleep(for: limit)
                try execution.send(signal: .kill)
            }
            let terminal = PseudoTerminal(control: control, program: execution.processIdentifier.value)
            let seen = await withCheckedContinuation { (continuation: CheckedContinuation<String, Never>) in
                DispatchQueue(label: "holdfast.terminal").async { continuation.resume(returning: terminal.read(look)) }
            }
            watchdog.cancel()
            return seen
        }
        return outcome.closureResult
    }

    /// Sends SIGINT, as Ctrl-C does.
    func interrupt() { kill(program, SIGINT) }

    /// Makes the window wider or narrower.
    func resize(columns: Int) { Self.resize(control, columns) }

    private static func resize(_ terminal: Int32, _ columns: Int) {
        var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
    }

    /// Both ends are closed in programs that other tests start, or this one would seem to go on.
    private static func open(_ columns: Int) throws -> (control: Int32, screen: Int32) {
        var (control, screen): (Int32, Int32) = (-1, -1)
        guard openpty(&control, &screen, nil, nil, nil) == 0 else { throw Unavailable(number: errno) }
        for end in [control, screen] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        resize(screen, columns)
        return (control, screen)
    }

    /// Reads until no program holds the terminal any more.
    private func read(_ look: (String, PseudoTerminal) -> Void) -> String {
        var seen: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            #if canImport(Glibc)
            let count = Glibc.read(control, &piece, piece.count)
            #else
            let count = Darwin.read(control, &piece, piece.count)
            #endif
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return String(decoding: seen, as: UTF8.self) }
            seen += piece[..<count]
            look(String(decoding: seen, as: UTF8.self), self)
        }
    }
}

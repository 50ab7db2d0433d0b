import Foundation

/// Drives an app over standard input and output, for `conformance client -- COMMAND`; the one call a driver program needs.
///
/// Returns when the suite has nothing more to say, or when the app was told to quit. Whatever else the program prints to
/// standard output goes to standard error from here on, because standard output belongs to the answers.
/// - Parameters:
///   - client: The app.
///   - endsWithQuit: Whether this returns once the app was told to quit, so that the program ends as the app would; the
///     suite starts the program again for the next launch. Otherwise the app has to forget by itself what it held in memory.
public func drive(_ client: some DrivenClient, endsWithQuit: Bool = true) async {
    let output = StandardOutput()
    let session = DriverSession(client)
    for await line in StandardInput.lines() where !line.isEmpty {
        let (answer, hasQuit) = await session.exchange(line)
        output.write(answer)
        if hasQuit, endsWithQuit { return }
    }
}

/// Standard input, line by line; read on a thread of its own, because reading waits.
private enum StandardInput {
    static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }
}

/// Standard output, taken away from everybody else.
private struct StandardOutput: Sendable {
    private let descriptor: Int32

    init() {
        let own = dup(STDOUT_FILENO)
        if own >= 0 { dup2(STDERR_FILENO, STDOUT_FILENO) }
        descriptor = own >= 0 ? own : STDOUT_FILENO
    }

    /// Writes a line, whole.
    func write(_ line: String) {
        var bytes = Array((line + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR {
                return
            }
        }
    }
}

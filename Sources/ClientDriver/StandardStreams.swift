import Dispatch
import HoldfastPlatform

/// Drives an app over standard input and output, for `conformance client -- COMMAND`; the one call a driver program needs.
///
/// Returns when the suite has nothing more to say, or when the app was told to quit; a crash ends the program. Whatever else
/// the program prints to standard output goes to standard error from here on, because standard output belongs to the answers.
/// - Parameters:
///   - client: The app.
///   - endsWithQuit: Whether this returns once the app was told to quit, and ends the program once it was told to crash, so
///     that the program ends as the app would; the suite starts it again for the next launch. Otherwise the app has to forget
///     by itself what it held in memory.
public func drive(_ client: some DrivenClient, endsWithQuit: Bool = true) async {
    let output = StandardOutput()
    let session = DriverSession(client)
    for await line in StandardInput.lines() where !line.isEmpty {
        let (answer, ending) = await session.exchange(line)
        output.write(answer)
        guard endsWithQuit, let ending else { continue }
        // Whatever would run at an orderly end does not run at a crash.
        if ending == .crash { Processes.endNow(0) }
        return
    }
}

/// Standard input, line by line; read on a thread of its own, because reading waits.
package enum StandardInput {
    /// Its lines until it ends.
    package static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            DispatchQueue(label: "holdfast.input").async {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }
}

/// Standard output, taken away from everybody else.
private struct StandardOutput: Sendable {
    private let descriptor = Descriptor.takenStandardOutput()

    /// Writes a line, whole.
    func write(_ line: String) { try? descriptor.writeAll(line + "\n") }
}

import Dispatch
import HoldfastPlatform

/// Drives an app over standard input and output, for `conformance client -- COMMAND`: the only call a driver needs.
///
/// Returns once the suite is done, or once the app was asked to quit; a crash ends the program. All other output of the
/// program goes to standard error from here on, because standard output belongs to the answers.
/// - Parameters:
///   - client: The app.
///   - endsWithQuit: Whether `quit` returns from this function and `crash` ends the program, as for an app; the suite
///     restarts it for the next launch. Otherwise the app must clear its own state.
public func drive(_ client: some DrivenClient, endsWithQuit: Bool = true) async {
    let output = StandardOutput()
    let session = DriverSession(client)
    for await line in StandardInput.lines() where !line.isEmpty {
        let (answer, ending) = await session.exchange(line)
        output.write(answer)
        guard endsWithQuit, let ending else { continue }
        // A crash must skip everything that runs at an orderly end.
        if ending == .crash { Processes.endNow(0) }
        return
    }
}

/// Standard input, line by line; read on its own thread, because reading blocks.
package enum StandardInput {
    package static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            DispatchQueue(label: "holdfast.input").async {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }
}

/// Standard output, reserved for the answers.
private struct StandardOutput: Sendable {
    private let descriptor = Descriptor.claimStandardOutput()

    func write(_ line: String) { try? descriptor.writeAll(line + "\n") }
}

import HoldfastCLibrary

/// The signals that the suite uses; their numbers are the same on every system.
package enum SystemSignal: Int32, Sendable {
    case hangUp = 1
    case interrupt = 2
    case kill = 9
    case brokenPipe = 13
    case terminate = 15
    /// A write exceeded the file size limit.
    case fileSizeLimit = 25

    /// Ignores the signal from now on.
    /// - Returns: Whether it was already ignored, as under `nohup`.
    @discardableResult
    package func ignore() -> Bool {
        unsafeBitCast(signal(rawValue, SIG_IGN), to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Ends this program with the signal's default action.
    package func end() {
        signal(rawValue, SIG_DFL)
        _ = systemKill(getpid(), rawValue)
    }

    package func send(to process: ProcessID) { _ = systemKill(process, rawValue) }

    package func send(toGroup group: ProcessID) { _ = killpg(group, rawValue) }

    /// From now on, the signal clears the terminal's current line on standard error and ends the program.
    package func wipeLineFirst() { signal(rawValue, wipeLineAndEnd) }
}

/// Uses only functions that are safe in a signal handler.
private let wipeLineAndEnd: @convention(c) (Int32) -> Void = { number in
    var wipe: (UInt8, UInt8, UInt8, UInt8, UInt8) = (0x0D, 0x1B, 0x5B, 0x32, 0x4B)
    _ = write(STDERR_FILENO, &wipe, 5)
    signal(number, SIG_DFL)
    raise(number)
}

/// The system's call under another name, because a case hides the original one.
private func systemKill(_ process: ProcessID, _ number: Int32) -> Int32 { kill(process, number) }

import HoldfastCLibrary

package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    package let number: Int32

    package init(_ number: Int32) { self.number = number }

    static var last: SystemError { SystemError(errno) }

    package var description: String { String(cString: strerror(number)) }

    package static let addressInUse = SystemError(EADDRINUSE)
    package static let addressNotAvailable = SystemError(EADDRNOTAVAIL)
    package static let brokenPipe = SystemError(EPIPE)
    package static let connectionRefused = SystemError(ECONNREFUSED)
    package static let connectionReset = SystemError(ECONNRESET)
    package static let fileExists = SystemError(EEXIST)
    package static let noPermission = SystemError(EACCES)
    package static let notPermitted = SystemError(EPERM)
    package static let hostUnreachable = SystemError(EHOSTUNREACH)
    package static let networkUnreachable = SystemError(ENETUNREACH)
    package static let timedOut = SystemError(ETIMEDOUT)
    /// Errors that mean that a machine or a process is out of resources.
    package static let exhausted: Set<SystemError> = [EMFILE, ENFILE, ENOBUFS, ENOMEM, EAGAIN].reduce(into: []) {
        $0.insert(SystemError($1))
    }
    package static let wouldWait = SystemError(EAGAIN)
    static let interrupted = SystemError(EINTR)
    static let inputOutput = SystemError(EIO)
    static let noSuchProcess = SystemError(ESRCH)
}

/// Repeats a system call that a signal interrupted.
func uninterrupted<Count: SignedInteger>(_ call: () -> Count) -> Result<Count, SystemError> {
    while true {
        let result = call()
        if result >= 0 { return .success(result) }
        let error = SystemError.last
        if error != .interrupted { return .failure(error) }
    }
}

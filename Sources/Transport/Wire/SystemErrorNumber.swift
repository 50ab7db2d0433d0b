/// Numbers of errors of the operating system, as NIO gives them.
///
/// POSIX gives most of them no common value, and the C library is not imported for a handful.
enum SystemErrorNumber {
    #if os(Linux)
    static let addressInUse: CInt = 98
    static let addressNotAvailable: CInt = 99
    static let connectionReset: CInt = 104
    static let connectionRefused: CInt = 111
    #else
    static let addressInUse: CInt = 48
    static let addressNotAvailable: CInt = 49
    static let connectionReset: CInt = 54
    static let connectionRefused: CInt = 61
    #endif
    static let noPermission: CInt = 13
    static let brokenPipe: CInt = 32
}

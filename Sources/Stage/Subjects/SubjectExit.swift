import HoldfastJSON

package enum SubjectExit: Sendable, Equatable, CustomStringConvertible {
    /// The process ended by itself.
    case code(Int)
    /// By a signal, such as `SIGKILL`.
    case signal(String)

    var details: JSONObject {
        switch self {
        case .code(let code): ["code": JSONValue(code)]
        case .signal(let name): ["signal": .string(name)]
        }
    }

    package var description: String {
        switch self {
        case .code(let code): "exit code \(code)"
        case .signal(let name): "signal \(name)"
        }
    }

    static func signal(numbered number: Int32) -> SubjectExit { .signal(names[number] ?? "SIG\(number)") }

    private static let names: [Int32: String] = [
        1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 8: "SIGFPE", 9: "SIGKILL",
        11: "SIGSEGV", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM", 24: "SIGXCPU", 25: "SIGXFSZ",
    ]
}

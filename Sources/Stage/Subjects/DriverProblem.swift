import HoldfastBasics

package struct DriverProblem: Error, Sendable, Equatable {
    package enum Code: Sendable, Equatable {
        case notStarted(reason: String)
        case nobodyConnected(milliseconds: Int)
        /// The program ended before it answered.
        case ended(SubjectExit)
        /// The device closed its WebSocket before it answered.
        case disconnected
        case hung(milliseconds: Int)
        /// A line that is not a reply, and the reason; the line may be cut.
        case notAReply(line: String, reasons: [String])
        /// A reply to a command that was not sent, or was already answered.
        case unasked(line: String, expected: Int?)
        /// A line longer than any reply, or more output than any driver needs.
        case flooded(bytes: Int)
        /// The driver refuses a command without which nothing can be tested.
        case refused(reason: String)
        case interrupted
        /// The suite has no address to listen on, or no folder for the app.
        case noServer(reason: String)
        /// The suite's own command is rejected by its schema.
        case invalidCommand(reasons: [String])
    }

    /// In bytes: a state with thousands of messages is one line.
    static let longestLine = 16 << 20

    package var code: Code
    /// The program with its arguments, or the address that the device was to open.
    package var location: String
    package var command: String?
    /// The last lines the program wrote to standard error.
    package var output: [String]

    package init(_ code: Code, at location: String, command: String? = nil, output: [String] = []) {
        (self.code, self.location, self.command, self.output) = (code, location, command, output)
    }

    /// Whether the driver never answered `hello`: nothing can be tested, and no clause is to blame.
    package var isUnreachable: Bool {
        if command == "hello" { return true }
        switch code {
        case .notStarted, .nobodyConnected, .refused: return true
        default: return false
        }
    }

    package var isHarness: Bool {
        switch code {
        case .invalidCommand, .noServer: return true
        default: return false
        }
    }

    package var what: String { output.last.map { "\(words.what); its last output: '\($0)'" } ?? words.what }

    package var inShort: String { String(description.prefix { $0 != "\n" }) }
}

extension DriverProblem: CustomStringConvertible {
    package var description: String {
        let words = words
        let start = isHarness ? words.what : "\(location): \(words.what)"
        return "\(start)\(Self.ending(output))\n  expected: \(words.expected)\n  fix: \(words.fix)"
    }

    /// The last lines of standard error, below a problem; empty if there are none.
    static func ending(_ output: [String]) -> String {
        output.isEmpty ? "" : "\n  standard error ends with:" + output.map { "\n    \($0)" }.joined()
    }

    private var asked: String { command.map { "'\($0)'" } ?? "a command" }

    static func seconds(_ milliseconds: Int) -> String { "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s" }

    private var words: ProblemWords {
        switch code {
        case .notStarted(let reason):
            .init(
                "the driver cannot be started, \(reason)", "a program that reads commands from standard input",
                "run the command by hand; '--' is followed by the program and its arguments")
        case .nobodyConnected(let milliseconds):
            .init(
                "no device connected in \(Self.seconds(milliseconds))",
                "a WebSocket from the driver in the app",
                "start the app with this address; a phone must be on the same network and reach this port")
        case .ended(let exit):
            .init(
                "the driver ended with \(exit) before it answered \(asked)", "an answer, then the next command",
                "find out why it ended; it may end only after 'quit' and 'crash'")
        case .disconnected:
            .init(
                "the device closed its WebSocket before it answered \(asked)", "an answer, then the next command",
                "keep the driver's own WebSocket open while the app is in the background or without network")
        case .hung(let milliseconds):
            .init(
                "no answer to \(asked) in \(Self.seconds(milliseconds))", "an answer to every command",
                "answer as soon as the app has accepted the command; do not wait for the server")
        case .notAReply(let line, let reasons):
            .init(
                "instead of an answer to \(asked) came '\(line)' (\(reasons.joined(separator: "; ")))",
                "one JSON object in one line, as in Spec/schemas/files/driver-reply.json",
                line.hasPrefix("{")
                    ? "correct the reply" : "print only replies to standard output; logs belong on standard error")
        case .unasked(let line, let expected):
            .init(
                "an unexpected reply: '\(line)'",
                expected.map { "a reply with id \($0), once" } ?? "one reply per command",
                "answer each command once, with its id")
        case .flooded(let bytes):
            .init(
                "\(bytes) bytes came instead of an answer to \(asked)", "a line of at most \(Self.longestLine) bytes",
                "report only the messages of the visible session, and print nothing else")
        case .refused(let reason):
            .init(
                "the driver refuses \(asked): \(reason)",
                "a driver that supports at least 'hello', 'launch' and 'state'",
                command == "hello" ? "answer 'hello' with the name of the app" : "find out why, and run it again")
        case .interrupted:
            .init("the run was interrupted during \(asked)", "an answer", "run it again")
        case .noServer(let reason):
            .init(
                "no server for the app at \(location), \(reason)",
                "an address of this machine and a place for temporary files",
                "check the permissions of this program and TMPDIR; --host chooses another address")
        case .invalidCommand(let reasons):
            .init(
                "its own command \(asked) is rejected by its schema: \(reasons.joined(separator: "; "))",
                "a command as in Spec/schemas/files/driver-command.json", "none on your side")
        }
    }
}

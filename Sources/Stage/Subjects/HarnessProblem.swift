import Holdfast
import HoldfastBasics
import HoldfastTransport

/// A problem that keeps the suite from saying anything about the subject.
package struct HarnessProblem: Error, Sendable, Equatable {
    package enum Code: Sendable, Equatable {
        case unknownVariable(name: String, near: String?)
        case notANumber(name: String)
        case malformedReference(String)
        case noConnection(lane: String)
        /// A frame of the stage that its schema rejects.
        case invalidFrame(type: String, reasons: [String])
        case unusableSchema(String)
        case notStarted(reason: String, output: [String] = [])
        /// The started subject ended before it accepted connections; it may have left a daemon, which was ended.
        case endedEarly(String, url: String, output: [String], leftDaemon: Bool = false)
        case faultNeverFired(fault: String)
        case faultImpossible(fault: String, reason: String)
        case unreachable(TransportProblem.Code, attempts: Int, milliseconds: Int, path: String)
        /// The server accepts connections but answers no upgrade.
        case noUpgrade(milliseconds: Int, path: String)
        /// The server accepts connections and ends each one that asks for an upgrade, without an answer.
        case upgradeCut(path: String)
        /// The server answers the upgrade with something that is not HTTP.
        case notHTTP(path: String)
        /// The port speaks TLS but the address does not, or the reverse; holds the correct address.
        case wrongScheme(speaksTLS: Bool, better: String)
        case tlsFailed(reason: String)
        /// The server wants a client certificate, or a different one.
        case certificateRefused(reason: String, wasShown: Bool)
        case upgradeRefused(status: Int, path: String)
        /// The stage cannot connect, for a reason on its own side.
        case cannotConnect(TransportProblem.Code)
        case driver(DriverProblem)
    }

    package var code: Code
    /// The place: a scenario with a JSON pointer, or an address.
    package var location: String

    package init(_ code: Code, at location: String) { (self.code, self.location) = (code, location) }

    /// Whether another attempt a moment later may succeed.
    var canRetryNow: Bool {
        switch code {
        case .unreachable(let code, _, _, _): [.connectionRefused, .unreachable].contains(code)
        case .upgradeCut: true
        default: false
        }
    }

    /// Whether a server that is still starting may be the cause.
    var canRetryLater: Bool {
        switch code {
        case .unreachable(let code, _, _, _): code != .noTLS && code != .notPermitted
        case .noUpgrade, .upgradeCut: true
        case .upgradeRefused(let status, _): status != 401 && status != 403
        default: false
        }
    }

    /// Whether the subject could not be reached at all, which is not a fault of the suite.
    package var isUnreachable: Bool {
        switch code {
        case .unreachable, .noUpgrade, .upgradeCut, .notHTTP, .wrongScheme, .tlsFailed, .certificateRefused,
            .upgradeRefused, .notStarted, .endedEarly:
            true
        case .driver(let problem): problem.isUnreachable
        default: false
        }
    }
}

extension HarnessProblem: CustomStringConvertible {
    package var description: String {
        if case .driver(let problem) = code { return problem.description }
        let said = output.isEmpty ? "" : "; its last output:\n" + output.map { "    \($0)" }.joined(separator: "\n")
        return "\(what)\(said)\n  expected: \(words.expected)\n  fix: \(fix)"
    }

    package var fix: String { words.fix }

    private var what: String { isUnreachable ? "\(location): \(words.what)" : "\(words.what) at \(location)" }

    /// The fix for a missing server is to start it; every other failure to connect has its own fix.
    private static func unreachable(
        _ words: ProblemWords, isMissing: Bool, tries: String, path: String
    ) -> ProblemWords {
        guard isMissing else { return words }
        return .init(
            "\(words.what), \(tries)", "a server that accepts WebSocket upgrades on \(path)",
            "start the server, add --wait 60 if it starts slowly, or correct the URL")
    }

    private var output: [String] {
        switch code {
        case .notStarted(_, let output), .endedEarly(_, _, let output, _): output
        default: []
        }
    }

    private var words: ProblemWords {
        switch code {
        case .unknownVariable(let name, let near):
            .init(
                "'\(name)' has no value", "a name that an earlier step saved",
                near.map { "did you mean '\($0)'?" } ?? "save it in an earlier step of the scenario")
        case .notANumber(let name):
            .init("'\(name)' is not an integer", "an integer", "save an integer under this name")
        case .malformedReference(let text):
            .init("'\(text)' has an invalid reference", "${name}, ${name+1} or ${name-1}", "correct the scenario")
        case .noConnection(let lane):
            .init("connection \(lane) is not open", "an earlier connect step", "correct the scenario")
        case .invalidFrame(let type, let reasons):
            .init(
                "the stage's own \(type) is rejected by its schema: \(reasons.joined(separator: "; "))",
                "a valid \(type)", "correct the step, or send it as a frame of its own with 'send'")
        case .unusableSchema(let reason):
            .init("a schema cannot be used, \(reason)", "schemas below Spec/schemas that compile", "restore the file")
        case .notStarted(let reason, _):
            .init(
                reason + (output.isEmpty ? ", without output" : ""),
                "a command that starts the server in the foreground and lets it listen",
                "run the command by hand until it works; the port is in {port} and HOLDFAST_PORT")
        case .endedEarly(let exit, let url, _, let leftDaemon):
            .init(
                "it ended with \(exit) before it accepted connections on \(url)"
                    + (leftDaemon ? "; a daemon was left behind and killed" : "")
                    + (output.isEmpty ? ", without output" : ""),
                "a command that stays in the foreground and accepts connections there",
                leftDaemon
                    ? "turn off the server's daemon mode; the suite kills what the command leaves behind"
                    : "run the command by hand until it works; the port is in {port} and HOLDFAST_PORT")
        case .faultNeverFired(let fault):
            .init(
                "the fault \(fault) never happened", "its bytes while it was armed",
                "none on your side; this run proves nothing for its clauses")
        case .faultImpossible(let fault, let reason):
            .init(
                "the fault \(fault) is impossible here: \(reason)", "a system on which it is possible",
                "run the suite on Linux as the user of the server; this run proves nothing for its clauses")
        case .unreachable(let code, let attempts, let milliseconds, let path):
            Self.unreachable(
                TransportProblem(code, at: location).words, isMissing: code.isAboutServer,
                tries: "\(attempts) attempt\(attempts == 1 ? "" : "s") in \(DriverProblem.seconds(milliseconds))",
                path: path)
        case .noUpgrade(let milliseconds, let path):
            .init(
                "it accepts connections, but does not answer the WebSocket upgrade within \(DriverProblem.seconds(milliseconds))",
                "a server that accepts WebSocket upgrades on \(path)",
                "check host, port and path, or find out what the server waits for")
        case .upgradeCut(let path):
            .init(
                "it accepts connections, and ends them without an answer to the WebSocket upgrade",
                "a server that accepts WebSocket upgrades on \(path)",
                "correct the path of the URL; if \(path) is right, look for this request in the log of the server")
        case .notHTTP(let path):
            .init(
                "it accepts connections, but does not answer in HTTP",
                "a server that accepts WebSocket upgrades on \(path)", "correct host and port of the URL")
        case .wrongScheme(true, let better):
            .init(
                "the port uses TLS, but the URL is ws://", "wss:// for a server with TLS",
                "use \(better), and --accept-any-certificate if the certificate is self-signed")
        case .wrongScheme(false, let better):
            .init(
                "the port does not use TLS, but the URL is wss://", "ws:// for a server without TLS",
                "use \(better), or turn on TLS on the server")
        case .tlsFailed(let reason) where TLSWords.isAboutServer(reason):
            .init(
                "TLS failed: \(reason)",
                "a valid certificate for this host, signed by a trusted root",
                "check its dates, add its root with --ca FILE, or give --accept-any-certificate")
        case .tlsFailed(let reason):
            .init(
                "TLS failed: \(reason)", "a server with TLS 1.2 or later",
                "check the port and the TLS settings of the server")
        case .certificateRefused(let reason, let wasShown):
            .init(
                "TLS failed: \(reason)", "a client certificate that the server trusts",
                wasShown
                    ? "use --client-certificate and --client-key with a certificate that the server trusts"
                    : "add --client-certificate FILE and --client-key FILE")
        case .cannotConnect(let code): TransportProblem(code, at: location).words
        case .driver(let problem): .init(problem.inShort, "an answer to each command", "correct the driver")
        case .upgradeRefused(let status, let path):
            .init(
                "upgrade refused with status \(status)", "a server that accepts WebSocket upgrades on \(path)",
                status == 401 || status == 403
                    ? "give a token the server accepts"
                    : status >= 500 ? "look into the log of the server" : "correct the path of the URL")
        }
    }
}

extension HarnessProblem {
    init(filling problem: ScenarioVariables.Problem, at location: String) {
        switch problem {
        case .unknown(let name, let near): self.init(.unknownVariable(name: name, near: near), at: location)
        case .notANumber(let name): self.init(.notANumber(name: name), at: location)
        case .malformed(let text): self.init(.malformedReference(text), at: location)
        }
    }
}

extension HarnessProblem {
    package var inShort: String {
        if case .driver(let problem) = code { return problem.inShort }
        return what + (OutputTail.complaint(in: output).map { "; its last output: '\($0)'" } ?? "")
    }

    /// Whether a started subject ended before it listened, which another port may fix.
    var endedEarly: Bool {
        if case .endedEarly(_, _, _, let leftDaemon) = code { return !leftDaemon }
        return false
    }
}

extension TransportProblem.Code {
    /// Whether a failure to connect means that there is no server, or none that answers.
    fileprivate var isAboutServer: Bool {
        switch self {
        case .connectionRefused, .unreachable, .late, .protocolError: true
        default: false
        }
    }
}

import Foundation
import Subprocess

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The `conformance` that was built with the tests, run as a user runs it.
public enum BuiltBinary {
    /// What a finished program left behind.
    public struct Output: Sendable {
        /// The exit code; 128 plus the number of the signal that ended it.
        public let status: Int32
        /// Standard output.
        public let out: String
        /// Standard error.
        public let err: String
    }

    /// A program that runs.
    public struct Running: Sendable {
        fileprivate let send: @Sendable (Signal) throws -> Void

        /// Sends SIGINT, as Ctrl-C does.
        public func interrupt() throws { try send(.interrupt) }
        /// Sends SIGKILL.
        public func kill() throws { try send(.kill) }
        /// Sends SIGTERM.
        public func terminate() throws { try send(.terminate) }
    }

    /// The folder the test program stands in; the binary is its neighbour.
    public static var path: String {
        #if os(macOS)
        for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
            return bundle.bundleURL.deletingLastPathComponent().appendingPathComponent("conformance").path
        }
        #endif
        let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        return tests.deletingLastPathComponent().appendingPathComponent("conformance").path
    }

    /// The words before a program that make it run as a user without capabilities; none where this is one, nil where nobody can.
    public static let droppingPrivileges: [String]? = {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        if status.contains("CapEff:\t0000000000000000") { return [] }
        let setpriv = "/usr/bin/setpriv"
        guard getuid() == 0, FileManager.default.isExecutableFile(atPath: setpriv) else { return nil }
        let options = [
            "--reuid", "65534", "--regid", "65534", "--clear-groups", "--bounding-set", "-all", "--inh-caps", "-all",
            "--no-new-privs",
        ]
        // A folder above the program may be closed to others.
        let trial = Process()
        trial.executableURL = URL(fileURLWithPath: setpriv)
        trial.arguments = options + ["test", "-x", path]
        trial.standardError = FileHandle.nullDevice
        guard (try? trial.run()) != nil else { return nil }
        trial.waitUntilExit()
        return trial.terminationStatus == 0 ? [setpriv] + options : nil
    }()

    /// Runs to the end; pipes are read meanwhile, and a program that outlasts `limit` is ended.
    ///
    /// * `starter`: The words of a program that starts this one, such as ``droppingPrivileges``.
    public static func run(
        _ arguments: [String], input: String = "", environment: [String: String] = [:],
        within limit: Duration = .seconds(240), by starter: [String] = []
    ) async throws -> Output {
        try await perform(arguments, input: input, environment: environment, within: limit, by: starter) { _ in }.output
    }

    /// Runs while a body watches; once the body returns, the program is ended with SIGTERM unless it ends by itself.
    public static func run<Result: Sendable>(
        _ arguments: [String], environment: [String: String] = [:], within limit: Duration = .seconds(240),
        endsByItself: Bool = false, by starter: [String] = [],
        during body: @escaping @Sendable (Running) async throws -> Result
    ) async throws -> (result: Result, output: Output) {
        try await perform(
            arguments, input: endsByItself ? "" : nil, environment: environment, within: limit, by: starter, body)
    }

    private static func perform<Result: Sendable>(
        _ arguments: [String], input: String?, environment: [String: String], within limit: Duration,
        by starter: [String], _ body: @escaping @Sendable (Running) async throws -> Result
    ) async throws -> (result: Result, output: Output) {
        var keys: [Environment.Key: String?] = ["NO_COLOR": "1"]
        for (name, value) in environment { keys[Environment.Key(stringLiteral: name)] = value }
        let words = starter + [path] + arguments
        let surroundings = Environment.inherit.updating(keys)
        let standardInput = try Self.standardInput(holding: input ?? "")
        let outcome = try await Subprocess.run(
            .path(.init(words[0])), arguments: Arguments(Array(words.dropFirst())), environment: surroundings,
            input: .fileDescriptor(.init(rawValue: standardInput), closeAfterSpawningProcess: true),
            output: .string(limit: 64 << 20), error: .string(limit: 64 << 20)
        ) { execution in
            let watchdog = Task {
                try await Task.sleep(for: limit)
                try execution.send(signal: .kill)
            }
            let result = try await body(Running { try execution.send(signal: $0) })
            if input == nil { try? execution.send(signal: .terminate) }
            return (result, watchdog)
        }
        outcome.closureResult.1.cancel()
        let status: Int32
        switch outcome.terminationStatus {
        case .exited(let code): status = code
        case .signaled(let number): status = 128 + number
        }
        let output = Output(status: status, out: outcome.standardOutput, err: outcome.standardError)
        return (outcome.closureResult.0, output)
    }

    /// The reading end of a pipe that holds a text from the start, so that no busy machine keeps the program waiting for it.
    private static func standardInput(holding text: String) throws -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // Nobody reads yet: what is larger than the pipe would be waited for without end.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        let bytes = Array(text.utf8)
        let written = write(ends[1], bytes, bytes.count)
        close(ends[1])
        guard written == bytes.count else {
            close(ends[0])
            throw InputTooLarge(bytes: bytes.count)
        }
        return ends[0]
    }

    private struct InputTooLarge: Error, CustomStringConvertible {
        let bytes: Int
        var description: String { "\(bytes) bytes do not fit into a pipe: give them to the program as a file" }
    }
}

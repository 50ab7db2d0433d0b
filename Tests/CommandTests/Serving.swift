import Foundation
import HoldfastJSON
import TestSupport

/// A reference server as a program of its own, with the subject file it wrote.
struct Serving: Sendable {
    let running: BuiltBinary.Running
    let subjectFile: String

    /// Runs `conformance serve` while a body uses it.
    static func run<Result: Sendable>(
        _ arguments: [String] = [], in folder: TemporaryDirectory, by starter: [String] = [],
        _ body: @escaping @Sendable (Serving) async throws -> Result
    ) async throws -> (result: Result, output: BuiltBinary.Output) {
        let file = folder.path + "/subject-\(UUID().uuidString).json"
        let all = ["serve", "--port", "0", "--subject-out", file] + arguments
        return try await BuiltBinary.run(all, by: starter) { running in
            try await appears(file)
            return try await body(Serving(running: running, subjectFile: file))
        }
    }

    /// The address of its REST paths.
    func http() throws -> String { try subject()["http"]?.stringValue ?? "" }

    /// The address of its WebSocket.
    func url() throws -> String { try subject()["url"]?.stringValue ?? "" }

    /// The token of its first principal.
    func token() throws -> String { try subject()["principals"]?[0]?["token"]?.stringValue ?? "" }

    /// A subject file for the same server behind a proxy.
    func subjectFile(behind port: Int, in folder: TemporaryDirectory) throws -> String {
        let direct = try String(contentsOfFile: subjectFile, encoding: .utf8)
        let address = try url().dropFirst("ws://".count).prefix { $0 != "/" }
        let through = folder.path + "/through.json"
        try direct.replacing(String(address), with: "127.0.0.1:\(port)")
            .write(toFile: through, atomically: true, encoding: .utf8)
        return through
    }

    private func subject() throws -> JSONValue {
        try JSONParser.value(String(contentsOfFile: subjectFile, encoding: .utf8))
    }

    /// Waits for a file, which its writer moves into place whole.
    static func appears(_ file: String) async throws {
        for _ in 0..<1200 where !FileManager.default.fileExists(atPath: file) {
            try await Task.sleep(for: .milliseconds(50))
        }
        guard FileManager.default.fileExists(atPath: file) else { throw NeverAppeared(file: file) }
    }

    struct NeverAppeared: Error {
        let file: String
    }
}

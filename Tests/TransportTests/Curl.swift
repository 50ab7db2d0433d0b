import Foundation
import Testing

/// The HTTP/2 client of somebody else that is most often at hand.
struct Curl {
    /// What one run said.
    struct Answer {
        let exit: Int32
        let output: String
        let problems: String
    }

    /// Whether it is there and speaks HTTP/2; tests with it are left out otherwise.
    static func speaksHTTP2() async -> Bool {
        guard let version = try? await run("--version") else { return false }
        return version.exit == 0 && version.output.contains("HTTP2")
    }

    /// A folder for what it writes; files need nobody who reads meanwhile.
    private let folder: URL
    private let process = Process()

    private init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "curl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Runs it to its end, without keeping a thread of the tests waiting.
    static func run(_ arguments: String...) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try Curl().start(arguments).end() })
            }
        }
    }

    private func start(_ arguments: [String]) throws -> Curl {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["curl", "--silent", "--show-error", "--max-time", "60"] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try file("output")
        process.standardError = try file("problems")
        try process.run()
        return self
    }

    private func end() throws -> Answer {
        process.waitUntilExit()
        defer { try? FileManager.default.removeItem(at: folder) }
        func text(_ name: String) throws -> String {
            String(decoding: try Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
        }
        return Answer(
            exit: process.terminationStatus, output: try text("output"), problems: try text("problems"))
    }

    private func file(_ name: String) throws -> FileHandle {
        let url = folder.appendingPathComponent(name)
        try Data().write(to: url)
        return try FileHandle(forWritingTo: url)
    }
}

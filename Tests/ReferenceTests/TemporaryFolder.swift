import Foundation

/// A folder that is gone when the test is.
final class TemporaryFolder: Sendable {
    let path = NSTemporaryDirectory() + "holdfast-reference-\(UUID().uuidString)"

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var log: String { path + "/records.log" }

    func bytes() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: log)) }

    func write(_ bytes: Data) throws { try bytes.write(to: URL(fileURLWithPath: log)) }
}

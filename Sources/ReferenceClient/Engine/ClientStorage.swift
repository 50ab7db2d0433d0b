import Foundation

/// A file that is whole at any moment: the old text or the new one, never a part.
struct ClientStorage: Sendable {
    let path: String

    /// The text kept by an earlier run, if any.
    func load() -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

    /// Keeps a text.
    func save(_ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    /// Forgets everything, as after an installation.
    func forget() { try? FileManager.default.removeItem(atPath: path) }
}

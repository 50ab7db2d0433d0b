import HoldfastBasics
import HoldfastPlatform
import HoldfastSmallFoundation

/// A file that is always complete: it has the old text or the new one, never a part.
///
/// Each token has its own file, so that one user's text is never sent or shown for another. The driver names no users,
/// so a new token counts as another user here. A real app keys its outbox by account, since tokens are renewed.
struct ClientStorage: Sendable {
    private static let prefix = "client-"

    private let folder: URL
    private let file: URL

    init(folder: URL, token: String) {
        self.folder = folder
        let name = hexDigits(SHA256.digest(Array(token.utf8)).prefix(8))
        file = folder.appendingPathComponent("\(Self.prefix)\(name).json")
    }

    func load() -> String? { try? String(contentsOf: file, encoding: .utf8) }

    /// Does not wait for the disk, which may take seconds: even so, the text survives a crash of the app.
    func save(_ text: String) throws {
        let new = file.appendingPathExtension("new")
        try Data(text.utf8).write(to: new)
        try replaceFile(at: file.path, with: new.path)
    }

    func deleteEveryFile() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        where name.hasPrefix(Self.prefix) {
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
    }
}

import Holdfast
import HoldfastPlatform
import HoldfastSmallFoundation

struct DataFolder: Sendable {
    let path: String
    let isTemporary: Bool

    static func temporary() throws(InputProblem) -> DataFolder {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("holdfast-\(UniqueName.uuid())").path
        let folder = try created(DataFolder(path: path, isTemporary: true))
        madeHere.withLock { $0[path] = true }
        return folder
    }

    /// Never removed.
    static func named(_ path: String) throws(InputProblem) -> DataFolder {
        try created(DataFolder(path: URL(fileURLWithPath: path).path, isTemporary: false))
    }

    /// Every temporary folder of this program, and whether it is in use.
    private static let madeHere = Mutex<[String: Bool]>([:])

    func remove() {
        guard isTemporary else { return }
        Self.madeHere.withLock { $0[path] = false }
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Removes again the folders that a process refilled after their removal; it must have ended.
    static func removeAgain() {
        for (path, isNeeded) in madeHere.withLock({ $0 }) where !isNeeded {
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    /// Removes all temporary folders; for a program that is about to exit.
    static func removeAll() {
        for path in madeHere.withLock({ $0 }).keys { try? FileManager.default.removeItem(atPath: path) }
    }

    static func isFolder(_ path: String) -> Bool { (try? FileStatus(of: path))?.kind == .folder }

    /// The problem of a folder that the user named; nil if the folder is absent or empty.
    static func problem(of path: String, at location: String) -> InputProblem? {
        guard let status = try? FileStatus(of: path) else { return nil }
        guard status.kind == .folder else {
            return InputProblem(
                location: location, what: "'\(path)' is not a folder", expected: "a new or empty folder",
                fix: "choose another one, or remove it for a temporary one")
        }
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        guard let first = entries.min() else { return nil }
        return InputProblem(
            location: location, what: "'\(path)' is not empty: it holds '\(first)'",
            expected: "a new or empty folder; the suite never deletes data",
            fix: "empty it yourself, choose another one, or remove it for a temporary one")
    }

    private static func created(_ folder: DataFolder) throws(InputProblem) -> DataFolder {
        do {
            try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
            return folder
        } catch {
            throw InputProblem(
                location: "--data", what: "'\(folder.path)' cannot be created",
                expected: "a writable folder",
                fix: "choose another one")
        }
    }
}

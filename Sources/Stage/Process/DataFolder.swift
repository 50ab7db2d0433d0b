import Foundation
import Holdfast

/// A folder in which one instance of a subject stores its data.
struct DataFolder: Sendable {
    /// Where it is.
    let path: String
    /// Whether it goes when the instance does.
    let isTemporary: Bool

    /// A folder nobody else uses.
    static func temporary() throws(InputProblem) -> DataFolder {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("holdfast-\(UniqueName.uuid())").path
        return try made(DataFolder(path: path, isTemporary: true))
    }

    /// A folder somebody named, which stays.
    static func named(_ path: String) throws(InputProblem) -> DataFolder {
        try made(DataFolder(path: URL(fileURLWithPath: path).path, isTemporary: false))
    }

    /// Removes it, if it was made for one run only.
    func remove() {
        if isTemporary { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Whether there is a folder.
    static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// What is wrong with a folder somebody named; nil when it is absent or empty.
    static func problem(of path: String, at place: String) -> InputProblem? {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
        guard isFolder.boolValue else {
            return InputProblem(
                place: place, what: "'\(path)' is no folder", expected: "a folder that is absent or empty",
                fix: "name another one, or leave it out for a temporary one")
        }
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        guard let first = entries.min() else { return nil }
        return InputProblem(
            place: place, what: "'\(path)' is not empty: it holds '\(first)'",
            expected: "a folder that is absent or empty; the suite deletes nobody's data",
            fix: "empty it yourself, name another one, or leave it out for a temporary one")
    }

    private static func made(_ folder: DataFolder) throws(InputProblem) -> DataFolder {
        do {
            try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
            return folder
        } catch {
            throw InputProblem(
                place: "--data", what: "'\(folder.path)' cannot be made", expected: "a folder that can be written to",
                fix: "name another one")
        }
    }
}

import Basics
import Foundation
import Holdfast

/// A form of a report, and the file it goes to.
struct FormatTarget<Format: CaseIterable & RawRepresentable<String> & Equatable>: Equatable {
    let format: Format
    /// The file; `-` for standard output.
    let path: String

    /// What `NAME=FILE` flags ask for; makes the folders, so that a long run does not end at a missing one.
    static func all(_ flags: [String]) throws -> [Self] {
        var targets: [Self] = []
        var problems: [InputProblem] = []
        for text in flags {
            do {
                let target = try Self.target(text)
                if let before = targets.first(where: { $0.path == target.path }) {
                    problems.append(
                        InputProblem(
                            place: "--format",
                            what:
                                "'\(before.format.rawValue)' and '\(target.format.rawValue)' both go to '\(target.path)'",
                            expected: "a file of its own for each format", fix: "name another file"))
                }
                targets.append(target)
            } catch {
                problems.append(error)
            }
        }
        guard problems.isEmpty else { throw Tool.refuse(problems) }
        for target in targets where target.path != "-" { try target.prepare() }
        return targets
    }

    private func prepare() throws {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            throw Tool.refuse(
                "--format", "'\(path)' is a folder", expected: "a file",
                fix: "name a file in it, such as \(path)/report.\(format.rawValue)")
        }
        let folder = (path as NSString).deletingLastPathComponent
        if !folder.isEmpty { try Files.makeFolder(folder) }
        guard FileManager.default.isWritableFile(atPath: folder.isEmpty ? "." : folder) else {
            throw Tool.refuse(
                "--format", "'\(path)' cannot be written: its folder is closed to this user",
                expected: "a file in a folder that can be written to", fix: "name another one")
        }
    }

    private static func target(_ text: String) throws(InputProblem) -> Self {
        let names = Format.allCases.map(\.rawValue)
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let format = Format(rawValue: String(parts[0])) else {
            throw InputProblem(
                place: "--format", what: "there is no format '\(clipped(String(parts[0])))'",
                expected: names.joined(separator: ", "),
                fix: nearestName(to: String(parts[0]), among: names).map { "did you mean '\($0)'?" }
                    ?? "choose one of these")
        }
        guard parts.count == 2, !parts[1].isEmpty else {
            throw InputProblem(
                place: "--format", what: "'\(text)' names no file",
                expected: "NAME=FILE, or NAME=- for standard output",
                fix: "write for instance --format \(parts[0])=report.\(parts[0])")
        }
        return Self(format: format, path: String(parts[1]))
    }
}

import ArgumentParser
import Foundation
import Holdfast
import Report

/// Flags that say what is written of a report besides the console report.
struct FormatOptions: ParsableArguments {
    @Option(
        name: .customLong("format"),
        help: ArgumentHelp(
            "Write the report in another form too; may be given several times.",
            discussion: """
                Names: html (one page for a browser), json, junit, markdown, github, tap. FILE '-' is standard output; the console report then goes to \
                standard error.
                """, valueName: "name=file"))
    var formats: [String] = []

    /// A format, and the file it goes to.
    struct Target: Equatable {
        let format: ReportFormat
        let path: String
    }

    /// What is to be written where; makes the folders, so that a long run does not end at a missing one.
    func targets() throws -> [Target] {
        var targets: [Target] = []
        var problems: [InputProblem] = []
        for text in formats {
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
        for target in targets where target.path != "-" {
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: target.path, isDirectory: &isFolder), isFolder.boolValue {
                throw Tool.refuse(
                    "--format", "'\(target.path)' is a folder", expected: "a file",
                    fix: "name a file in it, such as \(target.path)/report.\(target.format.rawValue)")
            }
            let folder = (target.path as NSString).deletingLastPathComponent
            if !folder.isEmpty { try Files.makeFolder(folder) }
            guard FileManager.default.isWritableFile(atPath: folder.isEmpty ? "." : folder) else {
                throw Tool.refuse(
                    "--format", "'\(target.path)' cannot be written: its folder is closed to this user",
                    expected: "a file in a folder that can be written to", fix: "name another one")
            }
        }
        return targets
    }

    private static func target(_ text: String) throws(InputProblem) -> Target {
        let names = ReportFormat.allCases.map(\.rawValue)
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let format = ReportFormat(rawValue: String(parts[0])) else {
            throw InputProblem(
                place: "--format", what: "there is no format '\(parts[0])'",
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
        return Target(format: format, path: String(parts[1]))
    }
}

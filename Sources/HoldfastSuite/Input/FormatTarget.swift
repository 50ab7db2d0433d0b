import Holdfast
import HoldfastPlatform
import HoldfastReport
import HoldfastSmallFoundation

package struct FormatTarget<Format: CaseIterable & RawRepresentable<String> & Equatable & Sendable>: Equatable, Sendable
{
    package let format: Format
    /// The file; `-` for standard output.
    package let path: String

    /// The targets of `NAME=FILE` flags.
    ///
    /// Creates the folders, because a long run would otherwise fail at its end. Before a run, reports of an
    /// earlier run are removed, so that a failed run does not leave them behind.
    package static func all(_ flags: [String], forRun: Bool = false) throws -> [Self] {
        var targets: [Self] = []
        var problems: [InputProblem] = []
        for text in flags {
            do throws(InputProblem) {
                let target = try Self(text)
                if let before = targets.first(where: { $0.place == target.place }) {
                    problems.note(
                        "--format",
                        "'\(before.format.rawValue)' and '\(target.format.rawValue)' both go to '\(target.path)'",
                        expected: "a different file for each format", fix: "choose another file")
                }
                targets.append(target)
            } catch {
                problems.append(error)
            }
        }
        try problems.throwAll()
        for target in targets where target.path != "-" { try target.prepare() }
        if forRun { StaleReports.remove(targets.map(\.path)) }
        return targets
    }

    /// The path without links, so that two names of one file are equal.
    private var place: String {
        path == "-" ? path : URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }

    private init(_ text: String) throws(InputProblem) {
        let names = Format.allCases.map(\.rawValue)
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let format = Format(rawValue: parts[0]) else {
            throw InputProblem(
                "--format", "there is no format '\(clipped(parts[0]))'", insteadOf: parts[0], among: names,
                otherwise: "choose one of these")
        }
        guard parts.count == 2, !parts[1].isEmpty else {
            throw InputProblem(
                "--format", "'\(text)' names no file", expected: "NAME=FILE, or NAME=- for standard output",
                fix: "write for example --format \(parts[0])=report.\(parts[0])")
        }
        (self.format, path) = (format, parts[1])
    }

    private func prepare() throws {
        if Files.isFolder(path) {
            throw InputProblem(
                "--format", "'\(path)' is a folder", expected: "a file",
                fix: "name a file in it, such as \(path)/report.\(format.rawValue)")
        }
        try Files.prepare(path, given: "--format")
    }
}

/// Reports of an earlier run, in files that this run writes.
package enum StaleReports {
    static func remove(_ paths: [String]) {
        for path in paths where path != "-" && !Files.isFolder(path) {
            if (try? FileStatus(of: path))?.kind == .regular { try? FileManager.default.removeItem(atPath: path) }
        }
    }

    /// The formats and files in `--format` flags, for commands that write a report.
    private static func named(in words: [String]) -> [(form: String, path: String)] {
        guard let command = words.first, ["server", "client", "explore", "load", "gate"].contains(command) else {
            return []
        }
        // The words after `--` belong to the driver.
        let words = words.prefix { $0 != "--" }
        return words.indices.compactMap { index in
            let isSeparate = words[index] == "--format" && index + 1 < words.count
            guard isSeparate || words[index].hasPrefix("--format=") else { return nil }
            let flag = isSeparate ? words[index + 1] : String(words[index].dropFirst("--format=".count))
            let parts = flag.split(separator: "=", maxSplits: 1).map(String.init)
            // If the format is unknown, the flag may be a typo, so its file is left alone.
            return parts.count == 2 && ReportFormat(rawValue: parts[0]) != nil ? (parts[0], parts[1]) : nil
        }
    }

    /// If this run ends without a report, removes earlier reports, and writes an annotation with the reason on request.
    /// - Returns: The format for standard output.
    package static func end(_ words: [String], with code: Int32, saying what: String) -> String {
        let named = named(in: words)
        remove(named.map(\.path))
        let annotation = GitHubAnnotation(
            .error, title: "conformance \(words.first ?? "") ended with \(code)", message: GitHubAnnotation.words(what)
        ).text
        let gitHubPaths = named.filter { $0.form == "github" }.map(\.path)
        for path in gitHubPaths where path != "-" { try? Files.write(annotation, to: path) }
        return gitHubPaths.contains("-") ? annotation : ""
    }
}

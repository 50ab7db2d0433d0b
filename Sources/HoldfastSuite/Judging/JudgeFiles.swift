import Holdfast
import HoldfastBasics
import HoldfastPlatform

package enum JudgeFiles {
    private static let endings = [".ndjson", ".jsonl", ".har", ".txt"]

    /// The files to judge; a folder stands for the captures in it and in its subfolders, in the order of their names.
    ///
    /// * `note`: Takes a remark about a folder with captures in subfolders.
    package static func paths(_ arguments: [String], note: (String) -> Void = { _ in }) throws(InputProblem) -> [String]
    {
        if arguments.count(where: { $0 == "-" }) > 1 {
            throw InputProblem(
                "-", "standard input is given twice", expected: "'-' once", fix: "remove one of them")
        }
        var paths: [String] = []
        for argument in arguments {
            let status: FileStatus?
            do throws(SystemError) {
                status = argument == "-" ? nil : try FileStatus(of: argument)
            } catch {
                throw InputProblem(
                    argument, "cannot be read: \(error)", expected: "a capture or a folder",
                    fix: "check the name and the permissions")
            }
            guard status?.kind == .folder else {
                paths.append(argument)
                continue
            }
            let inside = captures(in: argument)
            guard !inside.isEmpty else {
                throw InputProblem(
                    argument, "the folder contains no capture",
                    expected: "report.json, or \(endings.joined(separator: ", "))", fix: "name the captures directly")
            }
            let deeper = inside.count { $0.dropFirst(argument.count + 1).contains("/") }
            if deeper > 0 {
                note("\(argument): judging \(counted(inside.count, "capture")), \(deeper) of them in subfolders")
            }
            paths += inside
        }
        return paths
    }

    /// The captures in a folder, without the transcripts of a report, because the report contains them.
    private static func captures(in folder: String) -> [String] {
        let base = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        let inside = (try? HoldfastPlatform.files(below: folder)) ?? []
        let found = inside.filter { path in
            path == "report.json" || path.hasSuffix("/report.json") || endings.contains(where: path.hasSuffix)
        }
        let copies = Set(found.filter { $0.hasSuffix("report.json") }.map { $0.dropLast("report.json".count) })
        return found.filter { path in
            !path.ranges(of: "transcripts/").contains { copies.contains(path[..<$0.lowerBound]) }
        }.sorted().map { "\(base)/\($0)" }
    }
}

import Holdfast
import HoldfastPlatform
import HoldfastReport
import HoldfastSmallFoundation
import HoldfastTranscript

extension RunReport {
    /// Writes the report as JSON to a folder, with each transcript in its own file.
    package func write(to folder: String) throws {
        try Files.makeFolder(folder)
        // Remove the page that `report open` wrote for an earlier run.
        try? FileManager.default.removeItem(atPath: "\(folder)/report.html")
        for scenario in scenarios where scenario.skipped == nil {
            try Files.write(
                TranscriptWriter.packedText(scenario.history),
                to: "\(folder)/\(JSONReport.transcript(of: scenario.name))",
                makingFolders: true)
        }
        try Files.write(JSONReport(self, transcriptsApart: true).text, to: "\(folder)/report.json")
    }

    /// Reads a report: the file, or `report.json` in a folder.
    package init(at path: String) throws {
        let file = Files.isFolder(path) ? "\(path)/report.json" : path
        self = try RunReport(Files.bytes(of: file), file: file)
    }

    /// The reports below a folder: each `report.json`, and other JSON files that begin like a report.
    fileprivate static func files(below folder: String) -> [String] {
        let base = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        let inside = (try? HoldfastPlatform.files(below: base)) ?? []
        return inside.filter { $0.hasSuffix(".json") }.map { "\(base)/\($0)" }.filter { path in
            path.hasSuffix("/report.json") || beginsAsReport(path)
        }
    }

    private static func beginsAsReport(_ path: String) -> Bool {
        guard let file = try? Descriptor(opening: path, for: .reading) else { return false }
        defer { file.close() }
        let start = (try? file.read(atMost: 256)) ?? []
        return String(decoding: start, as: UTF8.self).contains("\"\(JSONReport.format)\"")
    }

    /// The report in the bytes of a file, which may be next to its transcripts.
    init(_ bytes: [UInt8], file: String) throws(InputProblems) {
        guard file != "-" else {
            self = try ReportReader.report(bytes, file: "standard input")
            return
        }
        let folder = Files.folder(of: file)
        self = try ReportReader.report(bytes, file: file) { (name) throws(InputProblem) in
            do {
                return try Files.bytes(of: folder.isEmpty ? name : "\(folder)/\(name)")
            } catch {
                throw error as? InputProblem
                    ?? InputProblem(name, "cannot be read", expected: "a readable file", fix: "check the permissions")
            }
        }
    }
}

extension RunArchive {
    package init(below folder: String) throws {
        self.init()
        for path in RunReport.files(below: folder) {
            let name = String(path.dropFirst(folder.hasSuffix("/") ? folder.count : folder.count + 1))
            take(HTMLReport.Entry(name, try RunReport(at: path)))
        }
        guard histories.isEmpty else { return }
        throw InputProblem(
            folder, parts == 0 ? "the folder contains no report" : "the folder contains only shards of runs",
            expected: "report.json files in it, or in folders below it",
            fix: parts == 0 ? "choose a folder that --out wrote to" : "merge them: conformance report merge")
    }
}

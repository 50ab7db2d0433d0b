import Holdfast
import Report
import Transcript

extension RunReport {
    /// Writes the report for machines to a folder, and beside it each transcript as a file of its own.
    package func write(to folder: String) throws {
        try Files.makeFolder(folder)
        for scenario in scenarios where scenario.skipped == nil {
            try Files.write(
                TranscriptWriter.text(scenario.history), to: "\(folder)/transcripts/\(scenario.name).ndjson",
                makingFolders: true)
        }
        try Files.write(JSONReport(self).value.text(pretty: true) + "\n", to: "\(folder)/report.json")
    }

    /// A report that was written: the file, or the one in a folder.
    package init(at path: String) throws {
        let file = Files.isFolder(path) ? "\(path)/report.json" : path
        self = try ReportReader.report(Files.bytes(of: file), file: file == "-" ? "standard input" : file)
    }
}

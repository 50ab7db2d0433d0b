import Report
import Transcript

/// The folder `--out` names: the report for machines, and each transcript as a file of its own.
struct ReportFolder {
    let path: String

    func write(_ report: RunReport) throws {
        try Files.makeFolder(path)
        for scenario in report.scenarios where scenario.skipped == nil {
            let file = "\(path)/transcripts/\(scenario.name).ndjson"
            try Files.makeFolder(String(file[..<(file.lastIndex(of: "/") ?? file.endIndex)]))
            try Files.write(TranscriptWriter.text(scenario.history), to: file)
        }
        try Files.write(JSONReport(report).value.text(pretty: true) + "\n", to: "\(path)/report.json")
    }
}

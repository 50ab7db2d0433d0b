import Foundation
import Holdfast
import Report

/// A report.json, by its name or by that of its folder.
enum StoredReport {
    /// The report in a file or a folder.
    static func read(_ path: String) throws -> RunReport {
        var isFolder: ObjCBool = false
        let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        let file = isThere && isFolder.boolValue ? "\(path)/report.json" : path
        do {
            return try ReportReader.report(Files.bytes(of: file), file: file == "-" ? "standard input" : file)
        } catch let error as InputProblems {
            throw Tool.refuse(error.problems)
        }
    }
}

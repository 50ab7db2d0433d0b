import Foundation
import Gate
import Holdfast
import Report
import Transcript

/// Transcripts of implementations, in files and in folders such as the one that `--out` makes.
enum TranscriptArchive {
    /// Every transcript of a file, or of all files of a folder.
    static func transcripts(at path: String) throws -> [ArchivedTranscript] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw Tool.refuse(
                path, "there is no such file or folder", expected: "a transcript, or a folder of transcripts",
                fix: "check the name")
        }
        guard isFolder.boolValue else { return [try transcript(path)] }
        let walker = FileManager.default.enumerator(atPath: path)
        var files: [String] = []
        while let name = walker?.nextObject() as? String {
            if name.hasSuffix(".\(TranscriptFormat.fileExtension)") { files.append("\(path)/\(name)") }
        }
        guard !files.isEmpty else {
            throw Tool.refuse(
                path, "the folder holds no transcript",
                expected: "files that end in .\(TranscriptFormat.fileExtension)",
                fix: "name the folder that 'conformance server' wrote transcripts to")
        }
        return try files.sorted().map(transcript)
    }

    private static func transcript(_ path: String) throws -> ArchivedTranscript {
        let bytes = try Files.bytes(of: path)
        do {
            var reader = TranscriptReader(file: path)
            try reader.append(bytes)
            return ArchivedTranscript(name: path, history: try reader.finish())
        } catch {
            throw Tool.refuse([error])
        }
    }
}

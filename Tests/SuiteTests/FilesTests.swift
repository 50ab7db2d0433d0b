import Foundation
import TestSupport
import Testing

@testable import HoldfastSuite

/// Files that are written where something else may stand already.
@Suite struct FilesTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("files-\(UUID().uuidString)")
        .path

    @Test func `a link stays, and what it leads to is written`() throws {
        try Files.makeFolder(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (target, link) = (folder + "/report.html", folder + "/latest.html")
        try Files.write("old", to: target)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        try Files.write("new", to: link)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "new")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
    }

    @Test func `a pipe is written into and stays a pipe`() async throws {
        try Files.makeFolder(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let pipe = folder + "/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        let reader = Task.detached { try FileHandle(forReadingFrom: URL(filePath: pipe)).readToEnd() }
        try Files.write("text", to: pipe)
        #expect(try await reader.value == Data("text".utf8))
        #expect(mkfifo(pipe, 0o600) == -1)
    }

    @Test func `a folder stands for its captures in order, without the transcripts of a report`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for name in [
            "b.ndjson", "a/run/report.json", "a/run/transcripts/server/x.ndjson", "a/transcripts/own.ndjson", "a.txt",
            "notes.md",
        ] {
            try Files.write("", to: "\(folder)/\(name)", makingFolders: true)
        }
        let found = try JudgeFiles.paths([folder]).map { String($0.dropFirst(folder.count + 1)) }
        #expect(found == ["a.txt", "a/run/report.json", "a/transcripts/own.ndjson", "b.ndjson"])
    }
}

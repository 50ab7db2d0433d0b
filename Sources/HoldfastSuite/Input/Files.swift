import Foundation
import Holdfast
import Platform
import Report

/// Reading and writing whole files, with errors a person can act on.
package enum Files {
    /// The most bytes that are held at once; the largest that is read whole is a report.
    private static let maxBytes = ReportReader.maxBytes

    /// The bytes of a file, or of standard input for `-`.
    package static func bytes(of path: String) throws -> [UInt8] {
        var isStream = path == "-"
        if !isStream, let status = try? FileStatus(of: path) {
            // A shell opens the pipe of `<(command)` itself, so that somebody writes to it.
            isStream = path.hasPrefix("/dev/fd/") && status.kind == .pipe
            guard isStream || status.kind == .regular || status.kind == .folder else {
                throw InputProblem(
                    path, "cannot be read: it is a pipe or a device", expected: "a regular file",
                    fix: "copy what it brings into a file")
            }
            if status.size > maxBytes { throw tooLarge(path) }
        }
        let place = path == "-" ? "standard input" : path
        let file = URL(fileURLWithPath: path)
        let bytes: [UInt8]?
        do {
            if isStream {
                bytes = try stream(path == "-" ? .standardInput : FileHandle(forReadingFrom: file))
            } else {
                bytes = [UInt8](try Data(contentsOf: file))
            }
        } catch {
            throw InputProblem(
                place, "cannot be read: \(reason(error))", expected: "a readable file",
                fix: "check the name and the permissions")
        }
        guard let bytes else { throw tooLarge(place) }
        return bytes
    }

    /// The text of a file, or of standard input for `-`.
    package static func text(of path: String) throws -> String { String(decoding: try bytes(of: path), as: UTF8.self) }

    /// Whether a path names a folder.
    package static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// All that a stream brings; nil when that is too much.
    private static func stream(_ handle: FileHandle) throws -> [UInt8]? {
        var bytes: [UInt8] = []
        while let more = try handle.read(upToCount: 1 << 20), !more.isEmpty {
            bytes += more
            if bytes.count > maxBytes { return nil }
        }
        return bytes
    }

    private static func tooLarge(_ place: String) -> InputProblem {
        InputProblem(
            place, "there are more than \(maxBytes) bytes", expected: "at most \(maxBytes) bytes",
            fix: "check that it is what was meant")
    }

    /// Writes a file whole or not at all, and makes the folders above it where that is asked for.
    package static func write(_ text: String, to path: String, makingFolders: Bool = false) throws {
        if makingFolders { try makeFolder((path as NSString).deletingLastPathComponent) }
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw InputProblem(
                path, "cannot be written: \(reason(error))", expected: "a writable place",
                fix: "check that the folder exists and may be written to")
        }
    }

    /// Makes a folder with everything above it.
    package static func makeFolder(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw InputProblem(
                path, "cannot be made: \(reason(error))", expected: "a folder that can be written to",
                fix: "name another one")
        }
    }

    private static func reason(_ error: any Error) -> String {
        let error = error as NSError
        if let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError { return cause.localizedDescription }
        return error.localizedDescription
    }
}

/// Runs a body, and afterwards what ends it, whether it throws or not.
func finally<Result>(
    _ end: () async -> Void, _ body: () async throws -> Result
) async throws -> Result {
    do {
        let result = try await body()
        await end()
        return result
    } catch {
        await end()
        throw error
    }
}

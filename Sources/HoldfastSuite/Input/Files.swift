import Holdfast
import HoldfastBasics
import HoldfastPlatform
import HoldfastReport
import HoldfastSmallFoundation

/// Reads and writes whole files, with errors that a person can act on.
package enum Files {
    /// The largest file that is read whole; a report is the largest kind.
    private static let maxBytes = ReportReader.maxBytes

    /// The bytes of a file, or of standard input for `-`.
    package static func bytes(of path: String) throws -> [UInt8] {
        if path != "-", let status = try? FileStatus(of: path) {
            // The shell opens the writing end of the pipe in `<(command)`, so reading it cannot wait for a writer.
            let isStream = path.hasPrefix("/dev/fd/") && status.kind == .pipe
            if status.kind == .folder {
                throw InputProblem(
                    path, "it is a folder", expected: "a file", fix: "choose a file in it")
            }
            guard isStream || status.kind == .regular else {
                throw InputProblem(
                    path, "cannot be read: it is a pipe or a device", expected: "a regular file",
                    fix: "copy its content to a file")
            }
            if status.size > maxBytes { throw tooLarge(path) }
        }
        let location = path == "-" ? "standard input" : path
        let bytes: [UInt8]?
        do throws(SystemError) {
            if path == "-" {
                bytes = try contents(of: .standardInput)
            } else {
                let file = try Descriptor(opening: path, for: .reading)
                defer { file.close() }
                bytes = try contents(of: file)
            }
        } catch {
            throw unreadable(location, error)
        }
        guard let bytes else { throw tooLarge(location) }
        return bytes
    }

    /// The text of a file, or of standard input for `-`.
    package static func text(of path: String) throws -> String { String(decoding: try bytes(of: path), as: UTF8.self) }

    package static func isFolder(_ path: String) -> Bool { (try? FileStatus(of: path))?.kind == .folder }

    /// The whole contents of a stream; nil if it is too large.
    private static func contents(of descriptor: Descriptor) throws(SystemError) -> [UInt8]? {
        var bytes: [UInt8] = []
        while true {
            let more = try descriptor.read(atMost: 1 << 20)
            if more.isEmpty { return bytes }
            bytes += more
            if bytes.count > maxBytes { return nil }
        }
    }

    static func unreadable(_ location: String, _ error: SystemError) -> InputProblem {
        if location.hasPrefix("{") || location.hasPrefix("[") {
            return InputProblem(
                excerpt(location, limit: 40), "is JSON and not the name of a file",
                expected: "a file, or '-' for standard input", fix: "pipe it in, and give '-' as the file")
        }
        return InputProblem(
            location, "cannot be read: \(error)", expected: "a readable file", fix: "check the name and the permissions"
        )
    }

    private static func tooLarge(_ location: String) -> InputProblem {
        InputProblem(
            location, "the file has more than \(maxBytes) bytes", expected: "at most \(maxBytes) bytes",
            fix: "check that it is the right file")
    }

    /// Writes a file whole or not at all, and creates missing folders if asked.
    ///
    /// A link stays, and its target is written. A pipe or a device is written to, never replaced.
    package static func write(_ text: String, to path: String, makingFolders: Bool = false) throws {
        if makingFolders { try makeFolder(folder(of: path)) }
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let kind = (try? FileStatus(of: target.path))?.kind ?? .regular
        // The pipe is held open, so that its reader sees no end before the text.
        let pipe = kind == .pipe ? try openPipe(at: target.path) : nil
        defer { pipe?.close() }
        do {
            if kind == .regular, !path.hasPrefix("/dev/") {
                try Data(text.utf8).write(to: target, options: .atomic)
            } else {
                try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            }
        } catch {
            throw InputProblem(
                path, "cannot be written: \(reason(error))", expected: "a writable place",
                fix: "check that the folder exists, is writable and has space")
        }
    }

    /// Opens a pipe for writing once it has a reader.
    private static func openPipe(at path: String) throws -> Descriptor {
        let deadline = ContinuousClock.now + pipeLimit
        while true {
            if let pipe = try? Descriptor(opening: path, for: .nonblockingWriting) { return pipe }
            guard ContinuousClock.now < deadline else {
                throw InputProblem(
                    path, "cannot be written: this pipe has no reader", expected: "a reader within 5 s",
                    fix: "start the reader first, or name a file")
            }
            Processes.pause(microseconds: 20_000)
        }
    }

    private static let pipeLimit = Duration.seconds(5)

    /// The folder in a path; empty if there is none.
    package static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ""
    }

    package static func makeFolder(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw InputProblem(
                path, "cannot be created: \(reason(error))", expected: "a writable folder",
                fix: "choose another one")
        }
    }

    /// Creates the folder of a file that a run writes at its end, and checks that it is writable.
    package static func prepare(_ path: String, given flag: String) throws {
        let folder = folder(of: path)
        if !folder.isEmpty { try makeFolder(folder) }
        // A regular file is replaced, so its folder must be writable; a device is written directly.
        let isDevice = (try? FileStatus(of: path)).map { $0.kind != .regular } ?? false
        guard FileManager.default.isWritableFile(atPath: isDevice ? path : folder.isEmpty ? "." : folder) else {
            throw InputProblem(
                flag, "'\(path)' cannot be written: no write permission\(isDevice ? "" : " for its folder")",
                expected: "a file in a writable folder", fix: "choose another one")
        }
    }

    /// Creates the folder that a run writes to, and checks that it is writable and not in use.
    package static func prepareFolder(_ path: String, given flag: String) throws {
        func problem(
            _ what: String, expected: String = "a writable folder", fix: String = "choose another one"
        ) -> InputProblem {
            InputProblem(flag, "'\(path)' \(what)", expected: expected, fix: fix)
        }
        do { try makeFolder(path) } catch let error as InputProblem { throw problem(error.what) }
        guard FileManager.default.isWritableFile(atPath: path) else {
            throw problem("cannot be written to: no write permission")
        }
        // The lock is held until this program ends.
        if let folder = try? Descriptor(opening: path, for: .reading), folder.isLockedElsewhere() {
            throw problem(
                "is in use by another run", expected: "a folder for each run",
                fix: "wait until that run ends, or name another folder")
        }
    }

    package static func reason(_ error: any Error) -> String {
        let error = error as? CocoaError
        return (error?.underlying as? POSIXError).map { SystemError($0.code.rawValue).description }
            ?? error.map { "\($0)" } ?? "the system does not allow it"
    }
}

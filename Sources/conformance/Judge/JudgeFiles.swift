import Foundation
import Holdfast

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Finds the captures that the arguments name.
enum JudgeFiles {
    private static let endings = [".ndjson", ".jsonl", ".har", ".txt"]
    /// The most files that a folder is taken apart into.
    private static let most = 100_000

    /// Every file in question; a folder stands for the captures below it, in the order of their names.
    static func paths(_ arguments: [String]) throws -> [String] {
        var paths: [String] = []
        for argument in arguments {
            guard argument != "-" else {
                if paths.contains("-") {
                    throw Tool.refuse(
                        "-", "standard input is named twice", expected: "it once", fix: "leave one of them out")
                }
                paths.append(argument)
                continue
            }
            var status = stat()
            guard stat(argument, &status) == 0 else {
                throw Tool.refuse(
                    argument, "cannot be read: \(String(cString: strerror(errno)))", expected: "a capture or a folder",
                    fix: "check the name and the permissions")
            }
            guard status.st_mode & S_IFMT == S_IFDIR else {
                paths.append(argument)
                continue
            }
            let inside = captures(in: argument)
            guard !inside.isEmpty else {
                throw Tool.refuse(
                    argument, "the folder holds no capture",
                    expected: "report.json, or \(endings.joined(separator: ", "))",
                    fix: "name the captures themselves")
            }
            paths += inside
        }
        return paths
    }

    /// The report carries its transcripts, so a run's folder stands for its report alone.
    private static func captures(in folder: String) -> [String] {
        let base = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        var found: [String] = []
        let walker = FileManager.default.enumerator(atPath: folder)
        while let path = walker?.nextObject() as? String, found.count < most {
            if path.split(separator: "/").last == "report.json" || endings.contains(where: path.hasSuffix) {
                found.append(path)
            }
        }
        let copies = found.filter { $0.hasSuffix("report.json") }
            .map { $0.dropLast("report.json".count) + "transcripts/" }
        return found.filter { path in !copies.contains { path.hasPrefix($0) } }.sorted().map { "\(base)/\($0)" }
    }
}

/// Reads a file or a pipe in chunks; a pipe that brings nothing for too long is given up.
final class JudgeInput {
    /// Why there is no more to read.
    enum Problem: Error {
        case unreadable(String)
        case stalled(seconds: Int)
    }

    private let descriptor: Int32
    private let patience: Int
    private var ahead: [UInt8]?
    /// How many bytes were read.
    private(set) var position = 0
    /// The bytes a regular file had when it was opened; nil for pipes.
    let size: Int?

    init(_ path: String, patience: Int) throws(Problem) {
        // A FIFO that nobody writes to would hold up whoever opens it.
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unreadable(String(cString: strerror(errno))) }
        self.descriptor = descriptor
        self.patience = patience
        var status = stat()
        let isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        size = isRegular ? Int(status.st_size) : nil
    }

    deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

    /// The beginning, without taking it: enough to tell what the file is, or all of a shorter one.
    func opening(_ count: Int) throws(Problem) -> [UInt8] {
        var opening: [UInt8] = []
        while opening.count < count {
            let more = try read(64 << 10)
            if more.isEmpty { break }
            opening += more
        }
        ahead = opening
        return opening
    }

    /// The next bytes; none at the end.
    func next() throws(Problem) -> [UInt8] {
        if let ahead {
            self.ahead = nil
            if !ahead.isEmpty { return ahead }
        }
        return try read(256 << 10)
    }

    private func read(_ most: Int) throws(Problem) -> [UInt8] {
        while true {
            if size == nil {
                var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                let ready = poll(&wanted, 1, patience == 0 ? -1 : Int32(clamping: patience * 1000))
                if ready == 0 { throw .stalled(seconds: patience) }
                if ready < 0, errno == EINTR { continue }
            }
            var failure: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
                #if canImport(Glibc)
                let read = Glibc.read(descriptor, buffer.baseAddress, most)
                #else
                let read = Darwin.read(descriptor, buffer.baseAddress, most)
                #endif
                if read < 0 { failure = errno }
                count = max(0, read)
            }
            if failure == EINTR { continue }
            if failure == EAGAIN {
                // Nothing can be read though something was announced: another reader took it.
                var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                if poll(&wanted, 1, patience == 0 ? -1 : Int32(clamping: patience * 1000)) == 0 {
                    throw .stalled(seconds: patience)
                }
                continue
            }
            if failure != 0 { throw .unreadable(String(cString: strerror(failure))) }
            position += bytes.count
            return bytes
        }
    }
}

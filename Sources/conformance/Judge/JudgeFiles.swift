import Foundation
import Holdfast
import Platform

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
            let status: FileStatus
            do throws(SystemError) {
                status = try FileStatus(of: argument)
            } catch {
                throw Tool.refuse(
                    argument, "cannot be read: \(error)", expected: "a capture or a folder",
                    fix: "check the name and the permissions")
            }
            guard status.kind == .folder else {
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

    private let descriptor: Descriptor
    private let patience: Int
    private var ahead: [UInt8]?
    /// How many bytes were read.
    private(set) var position = 0
    /// The bytes a regular file had when it was opened; nil for pipes.
    let size: Int?

    init(_ path: String, patience: Int) throws(Problem) {
        do throws(SystemError) {
            // A FIFO that nobody writes to would hold up whoever opens it.
            descriptor = path == "-" ? .standardInput : try Descriptor(opening: path, for: .readingAtOnce)
        } catch {
            throw .unreadable("\(error)")
        }
        self.patience = patience
        let status = try? FileStatus(of: descriptor)
        size = status.flatMap { $0.kind == .regular ? $0.size : nil }
    }

    deinit { if descriptor != .standardInput { descriptor.close() } }

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
            if size == nil { try wait() }
            do throws(SystemError) {
                let bytes = try descriptor.read(atMost: most)
                position += bytes.count
                return bytes
            } catch {
                if error != .wouldWait { throw .unreadable("\(error)") }
                // Nothing can be read though something was announced: another reader took it.
                try wait()
            }
        }
    }

    private func wait() throws(Problem) {
        if !descriptor.waitUntilReadable(seconds: patience == 0 ? nil : patience) { throw .stalled(seconds: patience) }
    }
}

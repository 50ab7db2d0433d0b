import Foundation
import Holdfast
import Report

/// Reading and writing whole files, with errors a person can act on.
enum Files {
    /// The bytes of a file, or of standard input for `-`.
    static func bytes(of path: String) throws -> [UInt8] {
        if path == "-" { return [UInt8](FileHandle.standardInput.readDataToEndOfFile()) }
        do {
            return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw Tool.refuse(
                path, "cannot be read: \(reason(error))", expected: "a readable file",
                fix: "check the name and the permissions")
        }
    }

    /// Writes a file whole or not at all.
    static func write(_ text: String, to path: String) throws {
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw Tool.refuse(
                path, "cannot be written: \(reason(error))", expected: "a writable place",
                fix: "check that the folder exists and may be written to")
        }
    }

    /// Makes a folder with everything above it.
    static func makeFolder(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw Tool.refuse(
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

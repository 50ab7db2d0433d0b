import Foundation
import Gate
import Holdfast
import Report

/// Reads states of a protocol from folders and from revisions of a repository.
struct StateReader {
    /// The most bytes of one state; what is larger is no specification.
    static let largest = 256 << 20

    /// The folder of the repository that revisions belong to.
    let repository: String

    /// The state that a name stands for: the folder of that name, or else the revision.
    func state(_ name: String) async throws -> ProtocolState {
        let folder = name.hasPrefix("/") || repository == "." ? name : "\(repository)/\(name)"
        let files: [String: [UInt8]]
        if isFolder("\(folder)/Spec") {
            files = try read(folder)
        } else if isFolder(folder), name.hasPrefix(".") || name.hasPrefix("/") {
            throw Tool.refuse(
                name, "the folder holds no Spec", expected: "a folder with Spec/ and Fixtures/",
                fix: "name the folder above Spec")
        } else {
            files = try await GitRevision(name, repository: repository).files(below: ProtocolState.parts)
        }
        do {
            return try ProtocolState(name: name, files: files)
        } catch {
            throw Tool.refuse(error.problems)
        }
    }

    private func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    private func read(_ folder: String) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        var total = 0
        for part in ProtocolState.parts {
            let path = "\(folder)/\(part)"
            guard FileManager.default.fileExists(atPath: path) else { continue }
            var names = [part]
            if isFolder(path) {
                names = []
                let walker = FileManager.default.enumerator(atPath: path)
                while let name = walker?.nextObject() as? String {
                    if walker?.fileAttributes?[.type] as? FileAttributeType == .typeRegular {
                        names.append("\(part)/\(name)")
                    }
                }
            }
            for name in names {
                let bytes = try Files.bytes(of: "\(folder)/\(name)")
                total += bytes.count
                guard total <= Self.largest else {
                    throw Tool.refuse(
                        folder, "Spec and Fixtures have more than \(Self.largest >> 20) MiB",
                        expected: "a specification with its fixtures", fix: "keep other files elsewhere")
                }
                files[name] = bytes
            }
        }
        return files
    }
}

import Holdfast
import HoldfastPlatform
import HoldfastSmallFoundation
import HoldfastSuite
import HoldfastTranscript

/// Reads states of a protocol from folders and from revisions of a repository.
package struct StateReader {
    /// The most bytes of one state; anything larger is not a specification.
    static let largest = 256 << 20

    private let repository: String

    /// Reads folders relative to a given one, and revisions of its repository.
    package init(repository: String) { self.repository = repository }

    /// The state with a name: the folder of that name, or else the revision.
    package func state(_ name: String) async throws -> ProtocolState {
        let folder = name.hasPrefix("/") || repository == "." ? name : "\(repository)/\(name)"
        if Files.isFolder("\(folder)/Spec") { return try ProtocolState(name: name, files: read(folder)) }
        guard !Files.isFolder(folder) || !(name.hasPrefix(".") || name.hasPrefix("/")) else {
            throw InputProblem(
                name, "the folder contains no Spec", expected: "a folder with Spec/ and Fixtures/",
                fix: "name the folder above Spec")
        }
        let files = try await GitRevision(name, repository: repository).files(below: ProtocolState.parts)
        return try ProtocolState(name: name, files: files)
    }

    private func read(_ folder: String) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        var total = 0
        for part in ProtocolState.parts where FileManager.default.fileExists(atPath: "\(folder)/\(part)") {
            let names = Files.isFolder("\(folder)/\(part)") ? Self.files(in: "\(folder)/\(part)") : [""]
            for name in names.map({ $0.isEmpty ? part : "\(part)/\($0)" }) {
                let bytes = try Files.bytes(of: "\(folder)/\(name)")
                total += bytes.count
                guard total <= Self.largest else {
                    throw InputProblem(
                        folder, "Spec and Fixtures have more than \(Self.largest >> 20) MiB",
                        expected: "a specification with its fixtures", fix: "keep other files elsewhere")
                }
                files[name] = bytes
            }
        }
        return files
    }

    /// The regular files in a folder and its subfolders, by their path in it.
    private static func files(in folder: String) -> [String] {
        ((try? HoldfastPlatform.files(below: folder)) ?? []).filter {
            (try? FileStatus(of: "\(folder)/\($0)"))?.kind == .regular
        }
    }

    /// Every transcript in a file, or in all files of a folder such as one from `--out`.
    package static func transcripts(at path: String) throws -> [ArchivedTranscript] {
        guard FileManager.default.fileExists(atPath: path) else {
            throw InputProblem(
                path, "there is no such file or folder", expected: "a transcript, or a folder of transcripts",
                fix: "check the name")
        }
        let ending = ".\(TranscriptFormat.fileExtension)"
        let files =
            Files.isFolder(path) ? files(in: path).filter { $0.hasSuffix(ending) }.map { "\(path)/\($0)" } : [path]
        guard !files.isEmpty else {
            throw InputProblem(
                path, "the folder contains no transcript", expected: "files that end in \(ending)",
                fix: "name the folder that 'conformance server' wrote transcripts to")
        }
        return try files.sorted().map { file in
            var reader = TranscriptReader(file: file)
            try reader.append(Files.bytes(of: file))
            return ArchivedTranscript(name: file, history: try reader.finish())
        }
    }
}

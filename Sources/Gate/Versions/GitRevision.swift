import Holdfast
import HoldfastStage

/// A revision of a git repository, read without checking anything out.
struct GitRevision {
    private let revision: String
    /// The folder in the revision that contains `Spec/`; nil for the folder that `repository` names.
    private let folder: String?
    private let repository: String
    private let name: String

    /// Splits `REVISION` or `REVISION:FOLDER`.
    init(_ name: String, repository: String) {
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        (self.name, self.repository) = (name, repository)
        (revision, folder) = (parts[0], parts.count > 1 ? parts[1] : nil)
    }

    /// The files below some paths of the revision, by their path below its folder.
    func files(below parts: [String]) async throws -> [String: [UInt8]] {
        let commit = try await resolve()
        let prefix = try await prefix()
        let tree = prefix.isEmpty ? commit : "\(commit):\(prefix)"
        let listing = try await git(["ls-tree", "-r", "-z", "--full-tree", tree, "--"] + parts)
        guard listing.exit == .code(0) else {
            throw refuse("has no folder '\(prefix)'", fix: "name the folder that holds Spec, as in \(revision):folder")
        }
        let entries = Self.entries(listing.output)
        guard !entries.isEmpty else {
            throw refuse(
                "contains no Spec\(prefix.isEmpty ? "" : " in '\(prefix)'")",
                fix: "name the folder that holds Spec, as in \(revision):folder")
        }
        let wanted = entries.map(\.object).joined(separator: "\n") + "\n"
        let contents = try await git(["cat-file", "--batch"], input: Array(wanted.utf8))
        guard contents.exit == .code(0), let blobs = Self.blobs(contents.output), blobs.count == entries.count else {
            throw refuse(
                "cannot be read whole: \(contents.complaints.last ?? "git answered with less than was asked for")",
                fix: "run 'git fsck'; a partial clone must fetch missing objects first")
        }
        return Dictionary(zip(entries.map(\.path), blobs).map { ($0, $1) }, uniquingKeysWith: { first, _ in first })
    }

    /// The commit, or the tree, that the revision names.
    private func resolve() async throws -> String {
        guard !revision.isEmpty, !revision.hasPrefix("-") else { throw unknown("'\(revision)' names nothing") }
        let found = try await git(["rev-parse", "--verify", "--quiet", "--end-of-options", "\(revision)^{tree}"])
        let object = String(decoding: found.output, as: UTF8.self).split(whereSeparator: \.isWhitespace).last
        if found.exit == .code(0), let object { return String(object) }
        let inside = try await git(["rev-parse", "--is-inside-work-tree"])
        guard inside.exit == .code(0) else {
            let words = inside.complaints.last.map { ": \($0)" } ?? ""
            throw InputProblem(
                name, "is not a folder with Spec/, and this is not a git repository\(words)",
                expected: "a folder with Spec/ and Fixtures/, or a revision of the current repository",
                fix: "check the name, run it in the repository, or give --repository FOLDER")
        }
        throw unknown("the repository has no revision '\(revision)'")
    }

    /// The path of the given folder from the repository's top: a specification may be in a subfolder.
    private func prefix() async throws -> String {
        if let folder { return Self.trimmed(folder) }
        let found = try await git(["rev-parse", "--show-prefix"])
        let prefix = found.exit == .code(0) ? String(decoding: found.output, as: UTF8.self) : ""
        return Self.trimmed(prefix.split(separator: "\n").first.map(String.init) ?? "")
    }

    private static func trimmed(_ path: String) -> String {
        var path = path[...]
        while path.last == "/" { path = path.dropLast() }
        return path == "." ? "" : String(path)
    }

    // MARK: Reading what git prints

    /// `100644 blob 0123…\tpath`, each ended by a zero byte; links and modules are skipped.
    private static func entries(_ bytes: [UInt8]) -> [(object: String, path: String)] {
        bytes.split(separator: 0).compactMap { line in
            guard let tab = line.firstIndex(of: UInt8(ascii: "\t")) else { return nil }
            let words = String(decoding: line[..<tab], as: UTF8.self).split(separator: " ")
            guard words.count == 3, words[1] == "blob", words[0].hasPrefix("100") else { return nil }
            return (String(words[2]), String(decoding: line[(tab + 1)...], as: UTF8.self))
        }
    }

    /// `<object> blob <size>\n<bytes>\n`, repeated; nil if the bytes have a different format.
    private static func blobs(_ bytes: [UInt8]) -> [[UInt8]]? {
        var blobs: [[UInt8]] = []
        var position = 0
        while position < bytes.count {
            guard let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            let words = String(decoding: bytes[position..<end], as: UTF8.self).split(separator: " ")
            guard words.count == 3, words[1] == "blob", let size = Int(words[2]), end + 1 + size < bytes.count else {
                return nil
            }
            blobs.append(Array(bytes[(end + 1)..<(end + 1 + size)]))
            position = end + 1 + size + 1
        }
        return blobs
    }

    // MARK: Asking git

    private func git(_ arguments: [String], input: [UInt8] = []) async throws -> ProgramRun {
        do {
            return try await ProgramRun(
                ["git", "--no-optional-locks", "--literal-pathspecs", "-C", repository] + arguments, input: input,
                environment: ["GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"], atMost: StateReader.largest)
        } catch {
            switch error {
            case .notStarted(let reason):
                throw InputProblem(
                    name, "is not a folder with Spec/, and git cannot be started to look for a revision: \(reason)",
                    expected: "a folder with Spec/ and Fixtures/, or git on the PATH",
                    fix: "name a folder, or install git")
            case .tooMuch(let bytes):
                throw refuse("has more than \(bytes >> 20) MiB in Spec and Fixtures", fix: "keep other files elsewhere")
            case .late(let limit):
                throw refuse(
                    "cannot be read in \(limit.components.seconds) s", fix: "try 'git ls-tree -r \(revision)' by hand")
            }
        }
    }

    private func refuse(_ what: String, fix: String) -> any Error {
        InputProblem(name, "the revision \(what)", expected: "a revision with Spec/ and Fixtures/", fix: fix)
    }

    private func unknown(_ what: String) -> any Error {
        InputProblem(
            name, what, expected: "a folder with Spec/ and Fixtures/, or a revision such as v1.0.0, HEAD~1 or main",
            fix:
                "check the name with 'git tag' and 'git branch -a'; a shallow clone has to fetch it first, as 'git fetch --depth 1 origin tag \(revision)' does"
        )
    }
}

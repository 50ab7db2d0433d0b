import HoldfastSmallFoundation

package enum GitOrigin {
    /// The `https` URL of `origin` in the clone of Holdfast that contains a file; nil if others could not clone it.
    package static func url(above file: String) -> String? {
        var folder = Files.folder(of: file)
        while !folder.isEmpty, folder != "/" {
            if FileManager.default.fileExists(atPath: folder + "/.git") {
                // The program may lie in a repository that uses Holdfast as a package.
                guard FileManager.default.fileExists(atPath: folder + "/conformance.sh") else { return nil }
                return (try? Files.text(of: folder + "/.git/config")).flatMap(url(in:))
            }
            folder = Files.folder(of: folder)
        }
        return nil
    }

    /// The same URL, from the text of the repository's configuration.
    package static func url(in configuration: String) -> String? {
        var isOrigin = false
        for line in configuration.split(whereSeparator: \.isNewline).map({ $0.trimmed(\.isWhitespace) }) {
            if line.hasPrefix("[") { isOrigin = line == "[remote \"origin\"]" }
            guard isOrigin, let url = line.wholeMatch(of: /url\s*=\s*(.*)/)?.1 else { continue }
            // A host, perhaps a port, and a path: anything else may hold a password, or be special to a shell or to CI.
            let isPlain = url.wholeMatch(of: /https:\/\/[A-Za-z0-9.-]+(:[0-9]+)?\/[A-Za-z0-9._~\/-]+/) != nil
            return isPlain ? String(url) : nil
        }
        return nil
    }
}

import HoldfastSmallFoundation

/// Where a clone was made from.
package enum GitOrigin {
    /// The `https` URL of `origin` in the clone of Holdfast that a file lies in; nil where others could not clone from it.
    package static func url(above file: String) -> String? {
        var folder = Files.folder(of: file)
        while !folder.isEmpty, folder != "/" {
            if FileManager.default.fileExists(atPath: folder + "/.git") {
                // A program may lie in the repository of somebody who uses Holdfast as a package.
                guard FileManager.default.fileExists(atPath: folder + "/conformance.sh") else { return nil }
                return (try? Files.text(of: folder + "/.git/config")).flatMap(url(in:))
            }
            folder = Files.folder(of: folder)
        }
        return nil
    }

    /// The same, from the text of the repository's configuration.
    package static func url(in configuration: String) -> String? {
        var isOrigin = false
        for line in configuration.split(whereSeparator: \.isNewline).map({ $0.trimmed(\.isWhitespace) }) {
            if line.hasPrefix("[") { isOrigin = line == "[remote \"origin\"]" }
            guard isOrigin, line.hasPrefix("url"), let cut = line.firstIndex(of: "=") else { continue }
            let url = String(line[line.index(after: cut)...].trimmed(\.isWhitespace))
            // A user name before the host may come with a password.
            return url.hasPrefix("https://") && !url.contains("@") && !url.contains(" ") ? url : nil
        }
        return nil
    }
}

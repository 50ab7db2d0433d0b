import Foundation
import Holdfast

/// The files of the checkout that the tests were built from.
public enum SourceTree {
    /// The root of the checkout.
    public static let root: String = {
        var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        parts.removeLast(3)
        return parts.joined(separator: "/")
    }()

    /// The specification as it stands in `Spec/`, so that a changed sentence needs no rebuild.
    public static func specification() throws -> Specification { try loaded.get() }

    private static let loaded = Result {
        // A folder behind a link would be seen as empty.
        let folder = URL(fileURLWithPath: root + "/Spec").resolvingSymlinksInPath()
        return try Specification(SpecificationFiles(folder: folder.path))
    }

    /// The text of a file, by its path below the root.
    public static func text(_ path: String) throws -> String {
        try String(contentsOfFile: root + "/" + path, encoding: .utf8)
    }
}

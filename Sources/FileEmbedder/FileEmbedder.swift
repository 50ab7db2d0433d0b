import Foundation

/// Writes files into one Swift source: each resource of a target as a constant, its pages or `Spec/` as a dictionary.
///
/// A picture among the pages becomes a `data:` address.
///
/// Arguments: the source to write, the folder, and for `Spec/` the index of the fixtures. Raw string literals keep the
/// text readable in a debugger and compile far faster than arrays of bytes.
@main
struct FileEmbedder {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard (3...4).contains(arguments.count) else { fail("usage: FileEmbedder OUTPUT.swift FOLDER [INDEX.json]") }
        let folder = URL(fileURLWithPath: arguments[2], isDirectory: true).standardizedFileURL
        let paths = files(below: folder)
        guard !paths.isEmpty else { fail("\(folder.path): no file") }
        let texts = try paths.map { path in
            let file = folder.appendingPathComponent(path)
            if path.hasSuffix(".png") {
                return (path, "data:image/png;base64,\(try Data(contentsOf: file).base64EncodedString())")
            }
            return (path, try String(contentsOf: file, encoding: .utf8))
        }
        let source =
            if arguments.count == 4 {
                specification(texts, index: try String(contentsOfFile: arguments[3], encoding: .utf8))
            } else if folder.pathExtension == "docc" {
                pages(texts)
            } else {
                constants(texts)
            }
        let output = URL(fileURLWithPath: arguments[1])
        if let before = try? String(contentsOf: output, encoding: .utf8), before == source { return }
        try source.write(to: output, atomically: true, encoding: .utf8)
    }

    private static func constants(_ texts: [(path: String, text: String)]) -> String {
        let constants = texts.map { path, text in "    static let \(name(of: path)) = \(literal(text))\n" }
        return "// Generated from the folder Resources. Do not edit.\n\nenum Resources {\n\(constants.joined())}\n"
    }

    private static func pages(_ texts: [(path: String, text: String)]) -> String {
        """
        // Generated from Documentation.docc. Do not edit.

        /// The pages about this program.
        enum ToolPages {
            /// Texts by file name.
            static let texts: [String: String] = [
        \(entries(texts))    ]
        }

        """
    }

    private static func entries(_ texts: [(path: String, text: String)]) -> String {
        texts.map { path, text in "        \"\(path)\": \(literal(text)),\n" }.joined()
    }

    private static func specification(_ texts: [(path: String, text: String)], index: String) -> String {
        """
        // Generated from Spec/ and Fixtures/index.json. Do not edit.

        extension SpecificationFiles {
            /// The specification this binary was built with.
            public static let embedded = SpecificationFiles(texts: [
        \(entries(texts + [("fixtures/index.json", index)]))    ])
        }

        """
    }

    /// `reportCSS` for `report.css`.
    private static func name(of path: String) -> String {
        let words = path.split { !$0.isLetter && !$0.isNumber }
        let middle = words.dropFirst().dropLast().map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return (words.prefix(1).map(String.init) + middle + words.dropFirst().suffix(1).map { $0.uppercased() })
            .joined()
    }

    /// The text between as many `#` as no `"""` or interpolation in it is followed by.
    private static func literal(_ text: String) -> String {
        var fence = "#"
        while text.contains("\"\"\"" + fence) || text.contains("\\" + fence) { fence += "#" }
        return "\(fence)\"\"\"\n\(text)\n\"\"\"\(fence)"
    }

    /// The relative paths of all files but hidden ones, sorted, so that equal folders give equal sources.
    private static func files(below folder: URL) -> [String] {
        let walker = FileManager.default.enumerator(atPath: folder.path)
        var found: [String] = []
        while let path = walker?.nextObject() as? String {
            let isFile = walker?.fileAttributes?[.type] as? FileAttributeType == .typeRegular
            if isFile, !path.split(separator: "/").contains(where: { $0.hasPrefix(".") }) { found.append(path) }
        }
        return found.sorted()
    }

    private static func fail(_ words: String) -> Never {
        FileHandle.standardError.write(Data("\(words)\n".utf8))
        exit(64)
    }
}

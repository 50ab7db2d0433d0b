import Foundation

/// Writes the files of `Spec/` into one Swift source, as a dictionary from relative path to text.
///
/// Arguments: the folder, then the source to write. Raw string literals keep the text readable in a debugger and compile
/// far faster than arrays of bytes.
@main
struct SpecificationEmbedder {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else {
            FileHandle.standardError.write(Data("usage: SpecificationEmbedder FOLDER OUTPUT.swift\n".utf8))
            exit(64)
        }
        let folder = URL(fileURLWithPath: arguments[1], isDirectory: true).standardizedFileURL
        let paths = try files(below: folder)
        guard !paths.isEmpty else {
            FileHandle.standardError.write(Data("\(folder.path): no .md or .json file\n".utf8))
            exit(64)
        }
        var source = "// Generated from Spec/. Do not edit.\n\n"
        source += "extension SpecificationFiles {\n"
        source += "    /// The specification this binary was built with.\n"
        source += "    public static let embedded = SpecificationFiles(texts: [\n"
        for path in paths {
            let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
            let fence = delimiter(for: text)
            source += "        \"\(path)\": \(fence)\"\"\"\n\(text)\n\"\"\"\(fence),\n"
        }
        source += "    ])\n}\n"
        let output = URL(fileURLWithPath: arguments[2])
        if let before = try? String(contentsOf: output, encoding: .utf8), before == source { return }
        try source.write(to: output, atomically: true, encoding: .utf8)
    }

    /// The relative paths of all Markdown and JSON files, sorted, so that equal folders give equal sources.
    static func files(below folder: URL) throws -> [String] {
        let walker = FileManager.default.enumerator(atPath: folder.path)
        var found: [String] = []
        while let path = walker?.nextObject() as? String {
            if path.hasSuffix(".md") || path.hasSuffix(".json") { found.append(path) }
        }
        return found.sorted()
    }

    /// As many `#` as no `"""` or interpolation in the text is followed by.
    static func delimiter(for text: String) -> String {
        var fence = "#"
        while text.contains("\"\"\"" + fence) || text.contains("\\" + fence) { fence += "#" }
        return fence
    }
}

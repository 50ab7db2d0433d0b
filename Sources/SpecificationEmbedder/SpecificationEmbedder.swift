import Foundation

/// Writes the files of `Spec/` and the index of the fixtures into one Swift source, as a dictionary from path to text.
///
/// Arguments: the folder, the index, then the source to write. Raw string literals keep the text readable in a debugger and compile
/// far faster than arrays of bytes.
@main
struct SpecificationEmbedder {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4 else {
            FileHandle.standardError.write(Data("usage: SpecificationEmbedder FOLDER INDEX.json OUTPUT.swift\n".utf8))
            exit(64)
        }
        let folder = URL(fileURLWithPath: arguments[1], isDirectory: true).standardizedFileURL
        let paths = try files(below: folder)
        guard !paths.isEmpty else {
            FileHandle.standardError.write(Data("\(folder.path): no .md or .json file\n".utf8))
            exit(64)
        }
        var texts: [(path: String, text: String)] = []
        for path in paths {
            texts.append((path, try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)))
        }
        texts.append(("fixtures/index.json", try String(contentsOfFile: arguments[2], encoding: .utf8)))
        var source = "// Generated from Spec/ and Fixtures/index.json. Do not edit.\n\n"
        source += "extension SpecificationFiles {\n"
        source += "    /// The specification this binary was built with.\n"
        source += "    public static let embedded = SpecificationFiles(texts: [\n"
        for (path, text) in texts {
            let fence = delimiter(for: text)
            source += "        \"\(path)\": \(fence)\"\"\"\n\(text)\n\"\"\"\(fence),\n"
        }
        source += "    ])\n}\n"
        let output = URL(fileURLWithPath: arguments[3])
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

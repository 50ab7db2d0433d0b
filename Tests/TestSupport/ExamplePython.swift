import Foundation

/// The Python that runs the examples: the one that `HOLDFAST_PYTHON` names, that of the project's own environment
/// (`Tests/Examples/python/setup.sh`), or the first on the path.
public enum ExamplePython {
    /// Where it is; nil when there is none.
    public static let path: String? = {
        var candidates = [ProcessInfo.processInfo.environment["HOLDFAST_PYTHON"]].compactMap(\.self)
        if candidates.isEmpty {
            candidates.append(SourceTree.root + "/.build/python/bin/python")
            let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            candidates += folders.map { $0 + "/python3" }
        }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// Whether it has these packages.
    public static func has(_ packages: String...) -> Bool {
        guard let path else { return false }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = ["-c", "import " + packages.joined(separator: ", ")]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// Runs a program to its end.
    /// - Returns: Its exit code, and what it printed to both outputs.
    public static func run(_ arguments: [String]) async throws -> (status: Int32, output: String) {
        try await ExampleTool.run(path ?? "/usr/bin/python3", ["-B"] + arguments)
    }
}

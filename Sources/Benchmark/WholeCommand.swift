import Foundation

/// Measures whole commands, and `jq` on the same capture: only their ratio can be compared across machines.
enum WholeCommand {
    static func run() throws {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("conformance").path
        print("whole commands, seconds, medians of 3; the capture has 16 MB\n")
        print("| command | wall | processor | jq |\n|---|---:|---:|---:|")
        try onFile(DrawnCapture.bytes(texts: 50...900, size: 16 << 20)) { file in
            let commands: [(name: String, words: [String])] = [
                ("jq -c . CAPTURE", ["jq", "-c", ".", file]), ("judge CAPTURE", [program, "judge", file]),
                ("server --reference", [program, "server", "--reference"]),
                ("client --reference", [program, "client", "--reference"]),
            ]
            var jq: Double?
            for command in commands {
                let runs = try (0..<3).map { _ in try measure(command.words) }
                let wall = Stopwatch.median(runs.map(\.wall))
                let processor = Stopwatch.median(runs.map(\.processor))
                let unit = jq ?? processor
                jq = unit
                let cells = [wall, processor, processor / unit].map { String(format: "%.2f", $0) }
                print("| \(command.name) | \(cells.joined(separator: " | ")) |")
            }
        }
    }

    static func onFile<Result>(_ capture: [UInt8], _ body: (String) throws -> Result) throws -> Result {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("capture-\(UUID()).ndjson")
        try Data(capture).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try body(file.path)
    }

    /// Runs a command that must succeed; both times are seconds.
    static func measure(_ command: [String]) throws -> (wall: Double, processor: Double) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let (start, spent) = (ContinuousClock.now, childSeconds)
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkProblem(
                description: """
                    '\(command.joined(separator: " "))' failed
                      expected: exit code 0
                      fix: run 'swift build -c release --product conformance', install jq, then run the command alone
                    """)
        }
        return ((ContinuousClock.now - start) / .seconds(1), childSeconds - spent)
    }

    /// The processor time of all children that have ended, and of theirs.
    private static var childSeconds: Double {
        var spent = tms()
        times(&spent)
        return Double(spent.tms_cutime + spent.tms_cstime) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}

import Foundation
import HoldfastJSON

/// Measures whole commands, each in turn with `jq` on one capture: only their ratio can be compared across machines.
enum WholeCommand {
    static func run(_ program: String?) throws {
        let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let program = program ?? folder.appendingPathComponent("conformance").path
        print("whole commands in seconds, medians of 5 runs, each after one of 'jq -c .' on a capture of 26 MB\n")
        print("| command | wall | processor | jq beside it | processor / jq |\n|---|---:|---:|---:|---:|")
        let capture = DrawnCapture.bytes(texts: 50...900, size: 26_000_000)
        let messages = capture.split(separator: UInt8(ascii: "\n")).compactMap { line in
            (try? JSONParser.value(bytes: Array(line)))?["text"]?.stringValue
        }
        let load = ["--reference", "--devices", "2000", "--for", "20s", "--ramp", "5s"]
        try onFile(Array(messages.joined(separator: "\n").utf8)) { lines in
            try onFile(capture) { file in
                let commands: [(name: String, words: [String])] = [
                    ("judge CAPTURE", [program, "judge", file]),
                    ("validate its messages", [program, "validate", "--profile", "sync", lines]),
                    ("server --reference", [program, "server", "--reference"]),
                    ("client --reference", [program, "client", "--reference"]),
                    ("load, 2,000 devices for 20 s", [program, "load"] + load),
                ]
                for command in commands {
                    let runs = try (0..<5).map { _ in
                        (jq: try measure(["jq", "-c", ".", file]).processor, own: try measure(command.words))
                    }
                    let (jq, own) = (Stopwatch.median(runs.map(\.jq)), Stopwatch.median(runs.map(\.own.processor)))
                    let cells = [Stopwatch.median(runs.map(\.own.wall)), own, jq, own / jq]
                    print("| \(command.name) | \(cells.map { String(format: "%.2f", $0) }.joined(separator: " | ")) |")
                }
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

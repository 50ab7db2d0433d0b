import Foundation
import HoldfastJSON
import HoldfastPlatform
import TestSupport
import Testing

/// Reports as files: parts that become a whole, formats, baselines.
@Suite struct ReportCommandTests {
    private let only = ["--only", "ENV", "--only", "ID"]

    @Test func `parts are merged into what one run says`() async throws {
        let folder = try TemporaryDirectory()
        let whole = try await BuiltBinary.run(
            ["server", "--reference", "--skip-crashes", "--out", folder.path + "/whole"] + only)
        #expect(whole.status == 0, "\(whole.out)\n\(whole.err)")
        var parts: [String] = []
        for index in 1...3 {
            parts.append(folder.path + "/part-\(index)")
            let part = try await BuiltBinary.run(
                ["server", "--reference", "--skip-crashes", "--shard", "\(index)/3", "--out", parts[index - 1]] + only)
            #expect(part.status == 0, "\(part.out)\n\(part.err)")
            #expect(part.out.hasPrefix("shard \(index) of 3, conforms so far: "))
        }
        let missing = try await BuiltBinary.run(["report", "merge"] + parts.dropLast())
        #expect(missing.status == 64)
        #expect(missing.err.hasPrefix("report merge: a shard is missing: 3/3\n"))
        let junit = folder.path + "/junit.xml"
        let merged = try await BuiltBinary.run(
            ["report", "merge", "--out", folder.path + "/merged", "--format", "junit=\(junit)"] + parts)
        #expect(merged.status == 0, "\(merged.out)\n\(merged.err)")
        let before = try JSONParser.value(folder.text(of: "whole/report.json"))
        let after = try JSONParser.value(folder.text(of: "merged/report.json"))
        #expect(outcomes(before) == outcomes(after))
        #expect(after["headline"] == before["headline"])
        let diff = try await BuiltBinary.run(["report", "diff", folder.path + "/whole", folder.path + "/merged"])
        #expect(diff.status == 0, "\(diff.out)")
        let shown = try await BuiltBinary.run(["report", "show", folder.path + "/merged/report.json"])
        #expect(shown.out == merged.out)
        try await expectSideBySide(folder, "whole", "merged")
        try await expectHistory(folder)
        try await expectCounts(junit, tests: outcomes(after).count)
    }

    @Test func `a run that fails fast stops, says so in one line, and its page opens in a browser`() async throws {
        let folder = try TemporaryDirectory()
        let out = folder.path + "/results"
        let run = try await BuiltBinary.run([
            "server", "--reference", "--defect", "env-ignores-unknown-types", "--only", "ENV-3", "--only", "LIVE-1",
            "--jobs", "1",
            "--fail-fast", "--quiet", "--out", out,
        ])
        #expect(run.status == 1 && run.err.isEmpty, "\(run.out)\(run.err)")
        #expect(run.out.hasPrefix("violation (stopped after 1 scenario with a violation): "), "\(run.out)")
        #expect(run.out.split(separator: "\n").count == 1, "\(run.out)")
        let report = try JSONParser.value(folder.text(of: "results/report.json"))
        #expect(report["stoppedAfter"] == 1 && report["interrupted"] == false)
        let opened = try await BuiltBinary.run(["report", "open", out], environment: ["BROWSER": "true"])
        #expect(opened.status == 0 && opened.out == "\(out)/report.html\n", "\(opened.err)")
        #expect(try folder.text(of: "results/report.html").contains("</html>"))
    }

    @Test func `two runs do not write to one folder`() async throws {
        let folder = try TemporaryDirectory()
        let held = try Descriptor(opening: folder.path, for: .reading)
        defer { held.close() }
        #expect(held.tryLock())
        let run = try await BuiltBinary.run(["server", "--reference", "--only", "ENV-4", "--out", folder.path])
        #expect(run.status == 64 && run.err.contains("is in use by another run"), "\(run.err)")
    }

    /// Two reports make one page, and no other form.
    private func expectSideBySide(_ folder: TemporaryDirectory, _ first: String, _ second: String) async throws {
        let reports = [first, second].map { "\(folder.path)/\($0)" }
        let page = folder.path + "/both.html"
        let both = try await BuiltBinary.run(["report", "show", "--format", "html=\(page)"] + reports)
        #expect(both.status == 0 && both.out.split(separator: "\n").count == 2, "\(both.out)\n\(both.err)")
        #expect(try folder.text(of: "both.html").contains("2 of 2 conform</h1>"))
        let other = try await BuiltBinary.run(["report", "show", "--format", "tap=-"] + reports)
        #expect(other.status == 64 && other.err.hasPrefix("--format: 'tap' shows one report, and these are several\n"))
    }

    /// A folder with reports of several runs makes a page with a column for each, and parts of runs do not count.
    private func expectHistory(_ folder: TemporaryDirectory) async throws {
        let (page, badge) = (folder.path + "/history.html", folder.path + "/badge.svg")
        let shown = try await BuiltBinary.run(
            ["report", "show", folder.path, "--format", "html=\(page)", "--format", "badge=\(badge)"])
        #expect(shown.status == 0 && shown.out.contains(": 2 runs, "), "\(shown.out)\n\(shown.err)")
        #expect(shown.err == "skipped 3 shards: merge them with conformance report merge\n")
        #expect(try folder.text(of: "history.html").contains(", 2 runs"))
        #expect(try folder.text(of: "badge.svg").contains("clauses passed"))
        let empty = try TemporaryDirectory()
        let none = try await BuiltBinary.run(["report", "show", empty.path])
        #expect(none.status == 64 && none.err.contains("the folder contains no report"), "\(none.err)")
    }

    /// The outcome of each clause.
    private func outcomes(_ report: JSONValue) -> [String] {
        (report["clauses"]?.arrayValue ?? []).map { clause in
            "\(clause["id"]?.stringValue ?? "") \(clause["outcome"]?.stringValue ?? "")"
        }
    }

    /// Reads the counts back as the programs of others do.
    private func expectCounts(_ junit: String, tests: Int) async throws {
        guard ExamplePython.has("xml.etree") else { return }
        let script = """
            import sys, xml.etree.ElementTree as tree
            root = tree.parse(sys.argv[1]).getroot()
            cases = root.findall('testsuite/testcase')
            print(root.get('tests'), len(cases), len(root.findall('testsuite/testcase/failure')), root.get('name'))
            """
        let text = try await ExamplePython.run(["-c", script, junit]).output
        #expect(text.hasPrefix("\(tests) \(tests) 0 conforms: "), "\(text)")
    }

    @Test func `what a baseline expects lets a run conform, and what holds makes it stale`() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.path + "/baseline.json"
        let broken = ["server", "--reference", "--skip-crashes", "--only", "ENV-2"]
        let first = try await BuiltBinary.run(
            broken + ["--defect", "env-numbers-copies", "--write-baseline", file])
        #expect(first.status == 1, "\(first.out)\n\(first.err)")
        let empty = try await BuiltBinary.run(broken + ["--baseline", file])
        #expect(empty.status == 64)
        #expect(empty.err.contains("the reason is not filled in"))
        let filled = try folder.text(of: "baseline.json")
            .replacing("FILL IN: why this violation is expected", with: "known since spring")
        try Data(filled.utf8).write(to: URL(fileURLWithPath: file))
        let again = try await BuiltBinary.run(
            broken + ["--defect", "env-numbers-copies", "--baseline", file, "--format", "tap=-"])
        #expect(again.status == 0, "\(again.out)\n\(again.err)")
        #expect(again.out.hasPrefix("TAP version 14\n# conforms except for expected violations: "), "\(again.out)")
        #expect(again.err.hasPrefix("conforms except for expected violations: "))
        let mended = try await BuiltBinary.run(broken + ["--baseline", file])
        #expect(mended.status == 3, "\(mended.out)\n\(mended.err)")
        #expect(mended.out.contains("delete the entry"))
    }

    @Test(arguments: [
        (["--format", "junti=x"], "--format: there is no format 'junti'", "did you mean 'junit'?"),
        (["--format", "junit"], "--format: 'junit' names no file", "NAME=FILE"),
        (
            ["--format", "tap=-", "--format", "json=-"], "--format: 'tap' and 'json' both go to '-'",
            "a different file"
        ),
        (["--shard", "4/3"], "--shard: there is no shard '4' of 3", "from 1 to 3"),
        (["--repeat", "0"], "--repeat: '0' is out of range", "from 1 to 100"),
        (["--baseline", "/nowhere.json"], "/nowhere.json: cannot be read", "a readable file"),
    ])
    func `flags that cannot be used end with 64 before anything runs`(
        flags: [String], problem: String, help: String
    ) async throws {
        let run = try await BuiltBinary.run(["server", "ws://127.0.0.1:9/ws"] + flags)
        #expect(run.status == 64, "\(run.out)\n\(run.err)")
        #expect(run.err.contains(problem) && run.err.contains(help), "\(run.err)")
    }

    @Test func `what never ends is refused before it is read`() async throws {
        let run = try await BuiltBinary.run(["report", "show", "/dev/zero"])
        #expect(run.status == 64)
        #expect(run.err.contains("/dev/zero: cannot be read: it is a pipe or a device"), "\(run.err)")
    }
}

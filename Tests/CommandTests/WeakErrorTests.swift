import TestSupport
import Testing

/// Mistakes that once ended in silence, or in the words of a library: each names the place, what is wrong, and the fix.
@Suite struct WeakErrorTests {
    @Test(arguments: [
        (["server", "ws://no-such-host.invalid/ws"], 69, "no host has that name"),
        (["server", "ws://no-such-host.invalid/ws"], 69, "fix: correct the name, or check the network"),
        (["chat", "ws://127.0.0.1:1/ws"], 69, "ws: connection refused"), (["chat"], 64, "no server URL given"),
        (["server", "--subject", "/tmp"], 64, "/tmp: it is a folder"),
        (["server", "--reference", "--kills=-1", "--dry-run"], 64, "'-1' is out of range"),
        (["server", "--reference", "--kills", "-1"], 64, "'-1' is out of range"),
        (["server", "--reference", "--kills=5", "-3"], 64, "unknown option '-3'"),
        (["server", "--reference", "--only", "CLIENT-1"], 64, "conformance client --only CLIENT-1"),
        (["client", "./driver"], 64, "fix: put '--' before the command: conformance client -- ./driver"),
        (["client", "python3", "d.py"], 64, "fix: put '--' before the command: conformance client -- python3 d.py"),
        (["client", "--only", "CLIENT-99", "--reference"], 64, "expected: CLIENT-1 to CLIENT-41"),
        (["client", "--only", "CLIENT-99", "--reference"], 64, "did you mean 'CLIENT-41' or 'CLIENT-40'?"),
        (["server", "mine.json"], 64, "fix: did you mean --subject mine.json?"),
        (["server", "--start", "./it --port {prot}"], 64, "fix: did you mean '{port}'?"),
        (["judge", "--foo", "x"], 64, "conformance judge: unknown option '--foo'\n  expected: "),
        (["judge", "/bin/true"], 64, "the file is not text"),
        (["serve", "--port", "abc"], 64, "--port: 'abc' is not a number\n  expected: a number, as in --port=5\n"),
        (["server", "--reference", "--jobs", "-1"], 64, "--jobs: '-1' is out of range\n  expected: a number from 1\n"),
        (["server", "--reference", "--life", "25h"], 64, "--life: '25h' is not a time from a second to a day\n"),
        (["validate", #"{"type":"done"}"#], 64, "is JSON and not the name of a file\n"),
    ])
    func `a mistake is told in three lines`(arguments: [String], status: Int32, words: String) async throws {
        let run = try await BuiltBinary.run(arguments)
        #expect(run.status == status, "\(run.out)\(run.err)")
        #expect(run.err.contains(words), "\(run.err)")
        #expect(run.err.contains("  expected: ") && run.err.contains("  fix: "), "\(run.err)")
        #expect(!run.out.contains("nothing could be judged"), "\(run.out)")
    }

    @Test func `a HAR file without entries is none that conforms`() async throws {
        let run = try await BuiltBinary.run(["judge", "-"], input: #"{"log":{"entries":[]}}"#)
        #expect(run.status == 64)
        #expect(run.err.contains("the HAR file contains no entries"), "\(run.err)")
    }

    @Test func `a proxy says at once that nothing listens behind it`() async throws {
        let run = try await BuiltBinary.run(
            ["proxy", "--listen", ":0", "--upstream", "ws://127.0.0.1:1/ws", "--for", "0.2", "--quiet"])
        #expect(run.status == 2)
        #expect(run.err.contains("--upstream: ") && run.err.contains("connection refused"), "\(run.err)")
        #expect(!run.out.contains("passed: "), "\(run.out)")
    }
}

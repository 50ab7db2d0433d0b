import Foundation
import TestSupport
import Testing

@Suite struct ValidateTests {
    @Test func `a valid message on standard input ends with 0`() async throws {
        let done = #"{"type":"done","text":"hi","sessionId":"s1","turnId":"t1","messageId":"a1"}"#
        let run = try await BuiltBinary.run(["validate", "-"], input: done)
        #expect(run.status == 0)
        #expect(run.out == "valid  standard input: done\n")
    }

    @Test func `a missing session names type, place and clause`() async throws {
        let run = try await BuiltBinary.run(["validate", "-"], input: #"{"type":"done","text":"hi"}"#)
        #expect(run.status == 1)
        #expect(run.out.contains("done"))
        #expect(run.out.contains("missing 'sessionId'"))
        #expect(run.out.contains("clause: ID-3"))
    }

    @Test(arguments: ["", "{", "[1,", "\u{0}", "{\"type\":\"done\",\"type\":\"done\"}", "null", "{\"type\":\"dome\"}"])
    func `what is no message is told, never a crash`(text: String) async throws {
        let run = try await BuiltBinary.run(["validate", "-"], input: text)
        #expect(run.status == 1, "\(run.err)")
        #expect(run.out.hasPrefix("NOT valid  standard input:"))
    }

    @Test(arguments: [
        (#"{"conn":"A","dir":">","frame":{"type":"ping"}}"#, true), (#"A -> {"type":"ping"}"#, true),
        (#"{"log":{"entries":[]}}"#, true), ("12:03 sent {\"type\":\"ping\"}\n", true),
        (#"{"typ":"done"}"#, false), ("{\n  \"type\": \"dome\"\n}", false), ("{\n  \"type\": \"done\"", false),
    ])
    func `a capture is told apart from a message that is not valid`(text: String, isCapture: Bool) async throws {
        let folder = try TemporaryDirectory()
        let file = folder.path + "/frames"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let run = try await BuiltBinary.run(["validate", file])
        #expect(run.status == 1)
        #expect(run.out.hasSuffix("): conformance judge \(file)\n") == isCapture, "\(run.out)")
    }

    @Test func `a file that is not there ends with 64`() async throws {
        let run = try await BuiltBinary.run(["validate", "no-such-file.json"])
        #expect(run.status == 64)
        #expect(run.err.contains("no-such-file.json: cannot be read"))
    }

    @Test func `an unknown name for --as is corrected`() async throws {
        let run = try await BuiltBinary.run(["validate", "--as", "sesion", "-"])
        #expect(run.status == 64)
        #expect(run.err.contains("did you mean 'session'?"))
    }

    @Test func `a schema of one's own judges line by line`() async throws {
        let folder = try TemporaryDirectory()
        let schema = folder.path + "/schema.json"
        let lines = folder.path + "/messages.jsonl"
        try Data(#"{"type":"object","required":["id"],"properties":{"id":{"type":"integer"}}}"#.utf8)
            .write(to: URL(fileURLWithPath: schema))
        try Data("{\"id\":1}\n{\"id\":\"x\"}\n\n{}\n".utf8).write(to: URL(fileURLWithPath: lines))
        let run = try await BuiltBinary.run(["validate", "--schema", schema, lines])
        #expect(run.status == 1)
        #expect(run.out.contains("messages.jsonl:2:"), "\(run.out)")
        #expect(run.out.contains("messages.jsonl:4:"), "\(run.out)")
        #expect(!run.out.contains("messages.jsonl:1:"), "\(run.out)")
    }

    @Test func `a schema that is none is refused`() async throws {
        let folder = try TemporaryDirectory()
        let schema = folder.path + "/schema.json"
        try Data(#"{"type":"strin"}"#.utf8).write(to: URL(fileURLWithPath: schema))
        let run = try await BuiltBinary.run(["validate", "--schema", schema, "-"])
        #expect(run.status == 64, "\(run.out)")
        #expect(run.err.contains("schema.json"))
    }

    // MARK: Line by line

    @Test func `lines are judged by the protocol, each by its own type`() async throws {
        let lines = [
            #"{"type":"done","text":"hi","sessionId":"s1","turnId":"t1","messageId":"a1"}"#,
            #"{"type":"\u0064one","text":"hi","sessionId":"s1","turnId":"t1","messageId":"a1"}"#,
            #"{"type":"done","text":"hi","turnId":"t1","messageId":"a1"}"#,
            "",
            #"{"type":"done","text":"hi","sessionId":"s1","turnId":"t1","messageId":"a1","seq":1}"#,
            #"{"type":"done","text":"hi","sessionId":"s1","turnId":"t1","messageId":"a1","seq":1.0}"#,
            #"{"type":"dome","text":"hi","sessionId":"s1","turnId":"t1","messageId":"a1"}"#,
            #"{"type":"done","text":"hi","sessionId":"s1","turnId":"t1","messageId":"a1","text":"hi"}"#,
            #"{"session":{"id":"s1"}"#,
            #"{"ok":true}"#,
        ]
        let run = try await BuiltBinary.run(["validate", "--lines", "-"], input: lines.joined(separator: "\n"))
        #expect(run.status == 1)
        let told = run.out.split(separator: "\n").filter { $0.hasPrefix("NOT valid") }.map(String.init)
        #expect(told.count == 5, "\(run.out)")
        for (fault, words) in zip(
            told,
            [
                "3:1: done", "6:82: done /seq: '1.0' is written as a fraction", "7:9: dome",
                "8:76: done /text: 'text' comes twice", "9:23: ",
            ])
        {
            #expect(fault.hasPrefix("NOT valid  standard input:\(words)"), "\(fault)")
        }
        #expect(run.out.hasSuffix("4 valid, 5 not valid\n"), "\(run.out)")
    }

    @Test func `a line that never ends is refused`() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.path + "/endless.jsonl"
        try Data("{}\n".utf8).write(to: URL(fileURLWithPath: file))
        // Zeros that take no place on the disk, and hold no line end.
        let handle = try #require(FileHandle(forWritingAtPath: file))
        try handle.truncate(atOffset: 70 << 20)
        try handle.close()
        let run = try await BuiltBinary.run(["validate", "--lines", file])
        #expect(run.status == 64, "\(run.out)")
        #expect(run.err.contains("endless.jsonl:2: the line has more than 67108864 bytes"), "\(run.err)")
    }

    @Test func `a folder in place of lines is refused`() async throws {
        let folder = try TemporaryDirectory()
        let run = try await BuiltBinary.run(["validate", "--lines", folder.path])
        #expect(run.status == 64)
        #expect(run.err.contains("\(folder.path):1: cannot be read: "), "\(run.err)")
    }

    @Test func `a file that is cut while it is read ends with 64, not with a signal`() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.path + "/shrinking.jsonl"
        try Data(String(repeating: "[]\n", count: 2_000_000).utf8).write(to: URL(fileURLWithPath: file))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: BuiltBinary.path)
        process.arguments = ["validate", "--lines", file]
        let (out, err) = (Pipe(), Pipe())
        process.standardOutput = out
        process.standardError = err
        try process.run()
        // Once it tells of faults it has read some lines; it cannot read all, because nobody takes what it tells.
        let first = try #require(try out.fileHandleForReading.read(upToCount: 1))
        #expect(first == Data("N".utf8))
        let handle = try #require(FileHandle(forWritingAtPath: file))
        try handle.truncate(atOffset: 0)
        try handle.close()
        let rest = try #require(try out.fileHandleForReading.readToEnd())
        let words = String(decoding: try #require(try err.fileHandleForReading.readToEnd()), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 64)
        #expect(!rest.isEmpty)
        #expect(words.contains("the file shrank from 6000000 to "), "\(words)")
    }

    @Test func `lines may come out of a pipe with a name, as they are written`() async throws {
        let folder = try TemporaryDirectory()
        let pipe = folder.path + "/lines"
        #expect(mkfifo(pipe, 0o600) == 0)
        let writing = Task.detached {
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: pipe))
            for part in [#"{"type":"done","#, #""text":"hi"}"# + "\n\n" + #"{"type""#, #":"done"}"#] {
                try handle.write(contentsOf: Data(part.utf8))
            }
            try handle.close()
        }
        let run = try await BuiltBinary.run(["validate", "--lines", pipe])
        try await writing.value
        #expect(run.status == 1)
        #expect(run.out.contains("\(pipe):1:1: done as a whole: missing 'sessionId'"), "\(run.out)")
        #expect(run.out.contains("\(pipe):3:1: done"), "\(run.out)")
        #expect(run.out.hasSuffix("0 valid, 2 not valid\n"), "\(run.out)")
    }
}

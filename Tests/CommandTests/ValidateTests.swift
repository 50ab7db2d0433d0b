import Foundation
import TestSupport
import Testing

@Suite struct ValidateTests {
    @Test func `a valid message on standard input ends with 0`() async throws {
        let run = try await BuiltBinary.run(["validate", "-"], input: #"{"type":"done","text":"hi","sessionId":"s1"}"#)
        #expect(run.status == 0)
        #expect(run.out == "valid  standard input: done\n")
    }

    @Test func `a missing session names type, place and clause`() async throws {
        let run = try await BuiltBinary.run(["validate", "-"], input: #"{"type":"done","text":"hi"}"#)
        #expect(run.status == 1)
        #expect(run.out.contains("done"))
        #expect(run.out.contains("missing 'sessionId'"))
        #expect(run.out.contains("clause: ID-5"))
    }

    @Test(arguments: ["", "{", "[1,", "\u{0}", "{\"type\":\"done\",\"type\":\"done\"}", "null", "{\"type\":\"dome\"}"])
    func `what is no message is told, never a crash`(text: String) async throws {
        let run = try await BuiltBinary.run(["validate", "-"], input: text)
        #expect(run.status == 1, "\(run.err)")
        #expect(run.out.hasPrefix("NOT valid  standard input:"))
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
}

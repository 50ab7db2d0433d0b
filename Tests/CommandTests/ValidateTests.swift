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
        let run = try await BuiltBinary.run(["validate", "--as", "sesion", "-"], input: "{}")
        #expect(run.status == 64)
        #expect(run.err.contains("did you mean 'session'?"))
    }
}

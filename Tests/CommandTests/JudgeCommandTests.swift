import Foundation
import HoldfastJSON
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct JudgeCommandTests {
    private let turn = """
        {"type":"connected","protocol":1,"connectionId":"x1","serverTime":"2026-03-01T08:30:00Z","capabilities":[],\
        "limits":{"maxFrameBytes":1048576}}
        {"type":"chat","clientMessageId":"c1","messages":[{"role":"user","content":"hello"}]}
        {"type":"ack","clientMessageId":"c1","sessionId":"s1","turnId":"t1","messageId":"u1"}
        {"type":"done","text":"hi","sessionId":"s1","turnId":"t1","messageId":"a1"}

        """

    @Test func `frames that keep every clause they show end with 0`() async throws {
        let run = try await BuiltBinary.run(["judge", "-"], input: turn)
        #expect(run.status == 0, "\(run.out)\(run.err)")
        #expect(run.out.hasPrefix("no violations; "))
        #expect(run.out.contains("not covered by this capture"))
        #expect(run.out.contains("clauses can be checked from a capture; "))
        #expect(run.out.contains("not from a capture: "))
        #expect(run.out.contains("bytes/s") || run.out.contains("KB/s"))
    }

    @Test func `a transcript is judged by the profiles that are named`() async throws {
        let header = #"""
            {"format":"holdfast-transcript","version":1,"specification":"1.0","scenario":"x","subject":{"name":"x",\#
            "role":"server","profiles":["core","auth"],"agent":"any","limits":{}},"startedAt":"2026-01-01T00:00:00Z"}
            {"at":0,"lane":"A","kind":"open","principal":"p1","path":"/ws"}

            """#
        let own = try await BuiltBinary.run(["judge", "-"], input: header)
        #expect(own.out.contains(", profiles core, auth\n"), "\(own.out)\(own.err)")
        let named = try await BuiltBinary.run(["judge", "--profile", "core", "-"], input: header)
        #expect(named.out.contains(", profiles core\n"), "\(named.out)\(named.err)")
    }

    @Test func `a violation shows the frame as it was and where it stands`() async throws {
        let lost = #"{"type":"done","text":"lost","turnId":"t2","messageId":"a2"}"#
        let run = try await BuiltBinary.run(["judge", "-"], input: turn + lost + "\n")
        #expect(run.status == 1, "\(run.out)")
        #expect(run.out.contains("violation ID-3"))
        #expect(run.out.contains(#"A <- {"type":"done","text":"lost","#))
        #expect(run.out.contains("standard input line 5, byte"))
    }

    @Test func `a capture without anything to judge ends with 2`() async throws {
        let run = try await BuiltBinary.run(["judge", "-"], input: #"{"type":"typing","state":"started"}"# + "\n")
        #expect(run.status == 2, "\(run.out)")
        #expect(run.out.contains("nothing could be judged"))
        #expect(run.out.contains("skipped in standard input: 1×"))
    }

    @Test(arguments: [
        ("", "it ended before anything came"), ("\u{0}\u{1}", "NUL byte"), ("just words\n", "not a capture"),
        ("{\"type\":\"done\"", "byte 14"),
        ("{\"format\":\"holdfast-transcript\",\"version\":9}\n", "version 9"), ("{\"log\":[]}", "/log/entries"),
        ("{\"type\":\"x\",\"a\":" + String(repeating: "[", count: 5000), "more than 512"),
    ])
    func `what is no capture is told and ends with 64`(input: String, words: String) async throws {
        let run = try await BuiltBinary.run(["judge", "-"], input: input)
        #expect(run.status == 64, "\(run.out)\(run.err)")
        #expect(run.err.contains(words), "\(run.err)")
    }

    // MARK: Forms

    @Test func `what a reader made of a file stands in the first lines`() async throws {
        let log = turn.split(separator: "\n").map { line in
            let isClients = line.contains("\"type\":\"chat\"")
            return #"{"level":20,"dir":"\#(isClients ? "in" : "out")","payload":\#(line)}"#
        }.joined(separator: "\n")
        let run = try await BuiltBinary.run(["judge", "-"], input: log)
        #expect(run.status == 0, "\(run.out)\(run.err)")
        let words = run.out.replacing("\n    ", with: " ")
        #expect(
            words.contains("directions reversed: by their types, 4 of 4 messages")
                && words.contains("found in 'payload'"))
    }

    @Test func `a HAR file without messages ends with 2 and says how to record some`() async throws {
        let har = """
            {"log":{"entries":[{"startedDateTime":"2026-03-01T08:30:00Z","request":{"method":"GET","url":"wss://x/ws"},\
            "response":{"status":101}}]}}
            """
        let run = try await BuiltBinary.run(["judge", "-"], input: har)
        #expect(run.status == 2 && run.out.contains("no WebSocket message"), "\(run.out)\(run.err)")
        #expect(run.out.replacing("\n    ", with: " ").contains("choose 'Export HAR'"))
    }

    @Test func `a packet capture is read by tshark where there is one`() async throws {
        let folder = try TemporaryDirectory()
        let (capture, tool) = ("\(folder.path)/night.pcap", "\(folder.path)/tshark")
        try Data([0xD4, 0xC3, 0xB2, 0xA1, 2, 0]).write(to: URL(fileURLWithPath: capture))
        let frames = turn.split(separator: "\n").map { line in
            let mask = line.contains("\"type\":\"chat\"") ? "1" : "0"
            let text = JSONValue.string(String(line)).text()
            return #"{"_source":{"layers":{"websocket.mask":["\#(mask)"],"websocket.payload.text":[\#(text)]}}}"#
        }
        try "#!/bin/sh\ncat <<'E'\n[\n\(frames.joined(separator: ",\n"))\n]\nE\n".write(
            toFile: tool, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: tool)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let run = try await BuiltBinary.run(["judge", capture], environment: ["PATH": "\(folder.path):\(path)"])
        #expect(run.status == 0 && run.out.contains("clauses passed"), "\(run.out)\(run.err)")
        let without = try await BuiltBinary.run(["judge", capture], environment: ["PATH": "/nowhere"])
        #expect(without.status == 64 && without.err.contains("fix: tshark -r"), "\(without.out)\(without.err)")
    }

    // MARK: Observations

    /// Everything that is observed, and no clause that is broken.
    private let symptoms = """
        A -> {"type":"auth","protocol":1}
        A <- {"type":"connected","protocol":1,"connectionId":"x1","serverTime":"2026-03-01T08:30:00Z",\
        "capabilities":[],"limits":{"maxFrameBytes":983040}}
        A -> {"type":"chat","messages":[{"role":"user","content":"hello"}],"clientMessageId":"c1"}
        A <- {"type":"done","text":"hi","sessionId":"s1","turnId":"t1","messageId":"a1"}
        A -> {"type":"chat","messages":[{"role":"user","content":"hello"}],"clientMessageId":"c2"}
        A CLOSED None None
        HTTP GET /api/sessions/s9 -> 404 {"error":"none","code":"session_not_found"}

        """

    @Test func `what nobody forbids is told without a verdict`() async throws {
        let run = try await BuiltBinary.run(["judge", "-"], input: symptoms)
        #expect(run.status == 0, "\(run.out)\(run.err)")
        for words in [
            "observations: not verdicts", "'hello' was sent twice, under 'c1' and 'c2'", "standard input line 5, byte",
            "A ended without a close frame before the answer to 'hello'", "found no conversation (404)",
            "(conformance explain duplicate)", "what happened", "was asked on A and never answered",
        ] {
            #expect(run.out.contains(words), "\(words) in \(run.out)")
        }
    }

    @Test func `the judgment for machines and the page tell the same`() async throws {
        let folder = try TemporaryDirectory()
        let page = "\(folder.path)/page.html"
        let run = try await BuiltBinary.run(["judge", "--json", "--format", "html=\(page)", "-"], input: symptoms)
        #expect(run.status == 0, "\(run.out)\(run.err)")
        let value = try JSONParser.value(run.out)
        let file = "\(folder.path)/judgement.json"
        try run.out.write(toFile: file, atomically: true, encoding: .utf8)
        let schema = SourceTree.root + "/Spec/schemas/files/judgement.json"
        let valid = try await BuiltBinary.run(["validate", "--schema", schema, file])
        #expect(valid.status == 0, "\(valid.out)\(valid.err)")
        let kinds = (value["observations"]?.arrayValue ?? []).compactMap { $0["kind"]?.stringValue }
        #expect(kinds == ["unanswered", "repeated", "emptyRead", "brokenOff"])
        let first = value["observations"]?[1]?["first"]?[0]
        #expect(first?["events"]?.arrayValue?.count == 2)
        #expect((first?["chart"]?.arrayValue?.count ?? 0) > 3)
        let html = try String(contentsOfFile: page, encoding: .utf8)
        #expect(value["headline"]?.stringValue?.hasPrefix("no violations, 4 observations; ") == true, "\(run.out)")
        #expect(html.contains(#"<div class="verdict neutral">"#) && !html.contains(#"<div class="verdict good">"#))
        for words in [
            "No violations, 4 observations; ", "What happened", "Repeated texts", "see here", "Message-sequence chart",
            "never answered",
        ] {
            #expect(html.contains(words), "\(words)")
        }
    }

    @Test func `observations make a judgment fail where that is asked for`() async throws {
        let folder = try TemporaryDirectory()
        let page = "\(folder.path)/page.html"
        let flags = ["--fail-on", "observation", "--format", "html=\(page)"]
        let run = try await BuiltBinary.run(["judge", "--json"] + flags + ["-"], input: symptoms)
        #expect(run.status == 1, "\(run.out)\(run.err)")
        let value = try JSONParser.value(run.out)
        #expect(value["failOn"] == "observation")
        #expect(value["exit"]?["code"] == 1 && value["exit"]?["meaning"] == "observation")
        #expect(try String(contentsOfFile: page, encoding: .utf8).contains(#"<div class="verdict bad">"#))
        let clean = try await BuiltBinary.run(["judge", "--fail-on", "observation", "-"], input: turn)
        #expect(clean.status == 0 && clean.out.hasPrefix("no violations; "), "\(clean.out)")
        let asUsual = try await BuiltBinary.run(["judge", "--fail-on", "violation", "-"], input: symptoms)
        #expect(asUsual.status == 0, "\(asUsual.out)")
    }

    @Test func `an unknown kind of failure is corrected`() async throws {
        let run = try await BuiltBinary.run(["judge", "--fail-on", "observations", "-"], input: turn)
        #expect(run.status == 64, "\(run.out)")
        for words in ["--fail-on", "observations", "violation"] { #expect(run.err.contains(words), "\(run.err)") }
    }

    // MARK: Other protocols

    @Test(arguments: [
        ("0{\"sid\":\"a\",\"upgrades\":[]}\n42[\"message\",\"hello\"]\n", "Socket.IO", "a dialect cannot unwrap"),
        (
            "A -> {\"type\":\"connection_init\"}\nA <- {\"type\":\"connection_ack\"}\n", "GraphQL over WebSocket",
            "dialect new"
        ),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}\n", "MCP", "dialect new"),
        ("{\"event\":\"message\",\"data\":{\"text\":\"hello\"}}\n", "JSON with 'event'", "dialect new"),
        (
            "A <- {\"type\":\"auth_challenge\"}\n", "the dialect 'adjutant' or 'syl'",
            "--dialect adjutant or --dialect syl"
        ),
        (
            "{\"type\":\"connected\",\"protocol\":2,\"connectionId\":\"x\"}\n", "version 2 of the Holdfast protocol",
            "version 1"
        ),
    ])
    func `another protocol is named and not judged`(input: String, name: String, fix: String) async throws {
        let run = try await BuiltBinary.run(["judge", "-"], input: input)
        #expect(run.status == 64, "\(run.out)\(run.err)")
        #expect(
            run.err.contains("this is not the Holdfast protocol; it looks like \(name)")
                || run.err.contains("this is \(name), which this program does not test"), "\(run.err)")
        #expect(run.err.contains(fix), "\(run.err)")
        #expect(!run.out.contains("violation"), "\(run.out)")
    }

    @Test func `unknown names and files are corrected`() async throws {
        for (arguments, words) in [
            (["--as", "hra", "-"], "did you mean 'har'?"), (["--dialect", "namo", "-"], "did you mean 'nami'?"),
            (["no-such-file"], "no-such-file: cannot be read"), (["--profile", "cor", "-"], "did you mean 'core'?"),
        ] {
            let run = try await BuiltBinary.run(["judge"] + arguments)
            #expect(run.status == 64)
            #expect(run.err.contains(words), "\(run.err)")
        }
    }

    @Test func `a pipe that nobody writes to is given up`() async throws {
        let folder = try TemporaryDirectory()
        let pipe = "\(folder.path)/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        // Held open, so that it does not end.
        let writer = open(pipe, O_RDWR)
        defer { close(writer) }
        let run = try await BuiltBinary.run(["judge", "--pipe-timeout", "1", pipe])
        #expect(run.status == 64)
        #expect(run.err.contains("no data for 1 s"))
    }

    @Test func `a report is recomputed and a changed byte is named`() async throws {
        let folder = try TemporaryDirectory()
        let made = try await BuiltBinary.run(
            [
                "server", "--reference", "--only", "server/ENV/not-an-object", "--out", folder.path, "--format",
                "json=\(folder.path)/one/report.json",
            ])
        let path = "\(folder.path)/report.json"
        let same = try await BuiltBinary.run(["judge", path])
        // What the run came to, its report comes to wherever it is judged; so does its folder, whose transcripts it carries.
        #expect(same.status == made.status, "\(made.status) \(same.out)\(same.err)")
        #expect(same.out.contains("recomputed and match"))
        let whole = try await BuiltBinary.run(["judge", folder.path])
        let words = whole.out.replacing("\n  ", with: " ")
        #expect(words.contains("report.json: a report, ") && !words.contains("a transcript, "), "\(whole.out)")
        let file = "\(folder.path)/one/report.json"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(made.status != 64 && text.contains("parse_error"), "\(made.out)\(made.err)")
        let older = text.replacing(#""specification": "1.0""#, with: #""specification": "1.9""#)
            .replacing(#""specification":"1.0""#, with: #""specification":"1.9""#)
        try older.write(toFile: file, atomically: true, encoding: .utf8)
        let told = try await BuiltBinary.run(["judge", file])
        #expect(
            told.out.replacing("\n  ", with: " ").contains("recorded under specification 1.9, judged under 1.0"),
            "\(told.out)")
        for (changed, report) in [
            (file, file), ("\(folder.path)/transcripts/server/ENV/not-an-object.ndjson", path),
        ] {
            let bytes = try changed == file ? text : String(contentsOfFile: changed, encoding: .utf8)
            try bytes.replacing(#"\"parse_error\""#, with: #"\"parse_errox\""#, maxReplacements: 1)
                .write(toFile: changed, atomically: true, encoding: .utf8)
            let other = try await BuiltBinary.run(["judge", report])
            #expect(other.status == 1, "\(other.out)\(other.err)")
            #expect(other.out.contains("differs server/ENV/not-an-object ENV-"), "\(other.out)")
        }
        try FileManager.default.removeItem(atPath: "\(folder.path)/transcripts")
        let alone = try await BuiltBinary.run(["judge", path])
        #expect(alone.status == 64 && alone.err.contains("not-an-object.ndjson: cannot be read"), "\(alone.err)")
        let piped = try await BuiltBinary.run(["judge", "-"], input: String(contentsOfFile: path, encoding: .utf8))
        #expect(piped.status == 64 && piped.err.contains("the transcripts are in files next to the report"))
    }

    @Test func `the findings are written for machines`() async throws {
        let folder = try TemporaryDirectory()
        let capture = "\(folder.path)/notes.txt"
        try "A -> {\"type\":\"ping\"}\nA <- {\"type\":\"done\"}\n".write(
            toFile: capture, atomically: true, encoding: .utf8)
        let run = try await BuiltBinary.run(["judge", "--json", "--out", "\(folder.path)/out", folder.path])
        #expect(run.status == 1, "\(run.out)\(run.err)")
        #expect(run.out.contains(#""form": "notes""#))
        let part = try String(contentsOfFile: "\(folder.path)/out/transcripts/file-1-part-1.ndjson", encoding: .utf8)
        #expect(part.contains("\"capture\""))
        let again = try await BuiltBinary.run(["judge", "\(folder.path)/out/transcripts"])
        #expect(again.status == 1)
    }

    // MARK: Real systems

    @Test func `what real systems did wrong is found in notes`() async throws {
        let notes = #"""
            A -> {"type":"auth","protocol":1}
            A <- {"type":"connected","protocol":1,"connectionId":"x","serverTime":"2026-03-01T08:30:00Z","capabilities":[],"limits":{"maxFrameBytes":1048576}}
            A -> {"type":"chat","sessionId":"ffffffff","messages":[{"role":"user","content":"hi"}]}
            A <- {"type":"toolUse","tool":"webFetch"}
            A <- {"type":"done","text":"echo: hi","sessionId":"ffffffff"}
            HTTP GET /api/sessions/ffffffff -> 404 {"error":"Session not found","code":"session_not_found"}
            A -> {"type":"ping"}
            A <- {"type":"pong"}
            A -> null
            A CLOSED None None
            """#
        let run = try await BuiltBinary.run(["judge", "-"], input: notes + "\n")
        #expect(run.status == 1, "\(run.err)")
        for line in ["violation ENV-3", "violation PERSIST-2", "violation ID-3"] {
            #expect(run.out.contains(line), "\(line)\n\(run.out)")
        }
    }

    /// A folder of captures of real systems, where there is one.
    private static let captures = ProcessInfo.processInfo.environment["HOLDFAST_CAPTURES"]

    @Test(.enabled(if: captures != nil)) func `captures of real systems show that a null ends the process`()
        async throws
    {
        for (dialect, name) in [("nami", "nami.txt"), ("adjutant", "adjutant-open-mode.txt")] {
            let run = try await BuiltBinary.run(["judge", "--dialect", dialect, "\(Self.captures ?? "")/\(name)"])
            #expect(run.status == 1)
            #expect(run.out.contains("violation ENV-3"), "\(run.out)")
        }
    }
}

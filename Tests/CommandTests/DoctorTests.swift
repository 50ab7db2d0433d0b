import Foundation
import HoldfastJSON
import TestSupport
import Testing

@testable import HoldfastTransport

@Suite struct DoctorTests {
    @Test func `a good set-up is ready, down to crashes and refused writes`() async throws {
        let run = try await BuiltBinary.run(["doctor", "--reference"])
        #expect(run.status == 0, "\(run.out)\(run.err)")
        #expect(run.out.hasPrefix("ready: the suite can test every clause\n"))
        for check in ["start", "auth", "connected", "rest", "agent", "restart", "scenarios"] {
            #expect(run.out.contains("ok    \(check) "), "\(check)\n\(run.out)")
        }
        #expect(run.out.contains("the agent follows a script exactly"))
        #expect(run.out.contains("next: conformance server --reference"))
        #expect(run.err.isEmpty)
    }

    @Test func `what no server with a wire format can keep is no fault of this one`() async throws {
        let run = try await BuiltBinary.run(["doctor", "--reference", "--dialect", "adjutant"])
        #expect(run.status == 0, "\(run.out)\(run.err)")
        let words = run.out.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("note dialect no server with the wire format of adjutant can keep ENV-2, SYNC-1,"))
    }

    @Test func `what a dialect without a greeting cannot show is foretold`() async throws {
        let run = try await BuiltBinary.run(["doctor", "--reference", "--dialect", "nami", "--json"])
        let open = try JSONParser.value(run.out)["open"]?.arrayValue ?? []
        let untested = open.filter { $0["outcome"] == "untested" }.flatMap { $0["clauses"]?.arrayValue ?? [] }
        let lacking = ["AUTH-1", "AUTH-4", "AUTH-12", "ID-1", "LIVE-6", "LIVE-8", "ENV-8"]
        // An error there is only a text.
        for clause in lacking + ["ENV-14", "TURN-14"] {
            #expect(untested.contains(.string(clause)), "\(clause)\n\(run.out)")
        }
        for clause in ["AUTH-3", "AUTH-8", "ENV-3", "TURN-10", "LIVE-1"] {
            #expect(!untested.contains(.string(clause)))
        }
        #expect(run.status == 2 && !run.out.contains("the greeting is valid"), "\(run.out)")
    }

    @Test func `a request is named by its path on the wire`() async throws {
        let run = try await BuiltBinary.run(["doctor", "--reference", "--dialect", "syl"])
        #expect(run.status == 0, "\(run.out)\(run.err)")
        let words = run.out.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("ok rest /api/v1/conversations accepts the same credentials"), "\(run.out)")
    }

    @Test func `what was left out on request is no hindrance`() async throws {
        let folder = try TemporaryDirectory()
        let (run, _) = try await Serving.run(in: folder) { serving in
            try await BuiltBinary.run([
                "doctor", serving.url(), "--token", serving.token(), "--tier", "1", "--skip-crashes", "--silence", "0",
                "--json",
            ])
        }
        let open = try JSONParser.value(run.out)["open"]?.arrayValue ?? []
        #expect(open.contains { $0["outcome"]?.stringValue == "set aside" }, "\(run.out)")
        #expect(!open.contains { $0["reason"]?.stringValue?.contains("scripted agent") == true })
    }

    @Test func `a wrong token of a core server is named as the likely typing mistake`() async throws {
        let folder = try TemporaryDirectory()
        let (run, _) = try await Serving.run(in: folder) { serving in
            try await BuiltBinary.run(["doctor", serving.url(), "--token", "secret-with-a-typing-mistake"])
        }
        #expect(run.status == 2)
        let words = run.out.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("fault auth ‹token of p1›: the server answers error{auth_failed}"), "\(run.out)")
        #expect(words.contains("although the profile 'auth' is not declared"))
        #expect(words.contains("most likely a typo"))
        #expect(!run.out.contains("secret-with-a-typing-mistake"))
    }

    @Test func `a run with a wrong token says so before anything else`() async throws {
        let folder = try TemporaryDirectory()
        let (run, _) = try await Serving.run(in: folder) { serving in
            try await BuiltBinary.run([
                "server", serving.url(), "--token", "mistyped", "--profile", "core", "--profile", "auth", "--only",
                "AUTH-1",
            ])
        }
        #expect(run.status == 1)
        #expect(
            run.err.hasPrefix("‹token of p1›: the server answers error{auth_failed}\n  fix: correct the token of p1"))
        let words = run.out.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("the server refuses the given token of p1"), "\(run.out)")
    }

    @Test func `a balancer that cuts silent connections is told with its time`() async throws {
        let listener = try await RawListener.start { connection in
            guard (try? await connection.acceptWebSocket()) != nil, await connection.next() != nil else { return }
            let greeting = WebSocketFrame(.text, Array(Chatterbox.greeting.utf8)).bytes(mask: nil)
            guard (try? await connection.send(greeting)) != nil else { return }
            // It ends what is silent, as a balancer does.
            try? await Task.sleep(for: .milliseconds(1500))
        }
        let run = try await BuiltBinary.run(["doctor", "ws://127.0.0.1:\(listener.port)/ws", "--silence", "12"])
        await listener.stop()
        let words = run.out.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(
            words.contains(/fault idle a silent connection was cut after \d+\.\d s without traffic/),
            "\(run.out)\(run.err)")
    }

    @Test func `nobody there ends with 69`() async throws {
        let run = try await BuiltBinary.run(["doctor", "ws://127.0.0.1:1/ws"])
        #expect(run.status == 69)
        #expect(run.out.hasPrefix("not ready: nothing can be tested"))
        #expect(run.out.contains("connection refused") || run.out.contains("no answer"), "\(run.out)")
        #expect(!run.out.contains("next: "))
    }

    @Test func `an agent that does not obey is told with what it said`() async throws {
        let listener = try await RawListener.start { await Chatterbox.serve($0) }
        let arguments = [
            "doctor", "ws://127.0.0.1:\(listener.port)/ws", "--scripted-agent", "--silence", "0",
        ]
        var run = try await BuiltBinary.run(arguments)
        // The peer shares this process with all other tests, and may not be given a turn for ten seconds.
        for _ in 1...3 where run.out.contains("is not greeted") { run = try await BuiltBinary.run(arguments) }
        await listener.stop()
        #expect(run.status == 2, "\(run.err)")
        let words = run.out.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("fault agent asked to answer exactly 'examined "), "\(run.out)")
        #expect(words.contains("the agent says 'whatever I like'"))
        #expect(words.contains("turn on the server's test mode"))
        #expect(words.contains("fault rest"), "there is no REST either")
        #expect(words.contains("ended early, at /steps/0: connected has no /limits/maxFrameBytes"))
    }

    @Test func `a server that closes in place of an answer is told as one`() async throws {
        let listener = try await RawListener.start { connection in
            guard (try? await connection.acceptWebSocket()) != nil, await connection.next() != nil,
                (try? await connection.send(WebSocketFrame(.text, Array(Chatterbox.greeting.utf8)).bytes(mask: nil)))
                    != nil, await connection.next() != nil
            else { return }
            _ = try? await connection.send(WebSocketFrame(.close, [0x03, 0xf3]).bytes(mask: nil))
        }
        let arguments = [
            "doctor", "ws://127.0.0.1:\(listener.port)/ws", "--scripted-agent", "--silence", "0",
        ]
        var run = try await BuiltBinary.run(arguments)
        for _ in 1...3 where run.out.contains("is not greeted") { run = try await BuiltBinary.run(arguments) }
        await listener.stop()
        let words = run.out.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("the agent says nothing: the server closes with 1011"), "\(run.out)\(run.err)")
    }

    @Test func `a start command that dies ends with 69 and what it said last`() async throws {
        let run = try await BuiltBinary.run(["doctor", "--start", "sh -c 'echo no licence found; exit 3'"])
        #expect(run.status == 69)
        let words = run.out.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.hasPrefix("not ready: nothing can be tested"), "\(run.out)")
        #expect(words.contains("fault start"))
        #expect(words.contains("exit code 3"))
        #expect(words.contains("no licence found"))
    }

    @Test func `another server beside --reference is refused`() async throws {
        let run = try await BuiltBinary.run(["doctor", "--reference", "--token", "x", "ws://127.0.0.1:1/ws"])
        #expect(run.status == 64)
        #expect(run.err.contains("url: conflicts with --reference"))
        #expect(run.err.contains("--token: conflicts with --reference"))
    }

    @Test func `a run finds the clauses out of reach that the doctor lists`() async throws {
        let folder = try TemporaryDirectory()
        let (runs, _) = try await Serving.run(in: folder) { serving in
            let server = try [serving.url(), "--token", serving.token()]
            return try (
                await BuiltBinary.run(["doctor", "--silence", "0"] + server + ["--json"]),
                await BuiltBinary.run(["doctor", "--silence", "0"] + server),
                await BuiltBinary.run(["server"] + server + ["--format", "json=-"])
            )
        }
        func clauses(_ gaps: [JSONValue]) -> [String] {
            gaps.flatMap { $0["clauses"]?.arrayValue ?? [] }.compactMap(\.stringValue).sorted()
        }
        let foretold = try JSONParser.value(runs.0.out)["open"]?.arrayValue ?? []
        let listed = clauses(foretold.filter { $0["outcome"]?.stringValue == "out of reach" })
        #expect(listed.count > 20, "\(runs.0.out)")
        #expect(clauses(try JSONParser.value(runs.2.out)["outOfReach"]?.arrayValue ?? []) == listed, "\(runs.2.err)")
        #expect(runs.1.out.contains("ready: \(listed.count) clauses out of reach"), "\(runs.1.out)")
        // What it found out about the agent is part of the command it recommends.
        #expect(runs.1.out.hasSuffix(" --token … --scripted-agent\n"), "\(runs.1.out)")
    }

    @Test func `the diagnosis for machines holds every finding and what stays open`() async throws {
        let folder = try TemporaryDirectory()
        let (run, _) = try await Serving.run(in: folder) { serving in
            try await BuiltBinary.run(["doctor", serving.url(), "--token", serving.token(), "--silence", "0", "--json"])
        }
        let value = try JSONParser.value(run.out)
        #expect(value["format"]?.stringValue == "holdfast-diagnosis")
        #expect(value["exit"]?["code"]?.intValue == Int(run.status))
        #expect(value["findings"]?.arrayValue?.contains { $0["check"]?.stringValue == "reach" } == true)
        let open = value["open"]?.arrayValue ?? []
        #expect(open.contains { $0["reason"]?.stringValue?.contains("scripted agent") == true })
        // A start command is enough for these, whatever the agent does.
        for clause in ["PERSIST-6", "TURN-8", "LIVE-5"] {
            let entry = open.first { $0["clauses"]?.arrayValue?.contains(.string(clause)) == true }
            #expect(entry?["reason"] == "it needs --start", "\(clause)")
            #expect(entry?["fix"]?.stringValue?.hasPrefix("give --start 'COMMAND', or skip") == true, "\(clause)")
        }
        for entry in open { #expect(entry["clauses"]?.arrayValue?.isEmpty == false) }
        let file = folder.path + "/diagnosis.json"
        try Data(run.out.utf8).write(to: URL(fileURLWithPath: file))
        let schema = SourceTree.root + "/Spec/schemas/files/diagnosis.json"
        let judged = try await BuiltBinary.run(["validate", "--schema", schema, file])
        #expect(judged.status == 0, "\(judged.out)\(judged.err)")
    }
}

/// A server that greets and then answers every question as it likes; it has no REST.
private enum Chatterbox {
    static let greeting =
        #"{"type":"connected","protocol":1,"connectionId":"con_1","serverTime":"2026-01-01T00:00:00Z","#
        + #""capabilities":[],"limits":{}}"#

    static func serve(_ connection: RawConnection) async {
        guard (try? await connection.acceptWebSocket()) != nil else { return }
        let answer = #"{"type":"done","text":"whatever I like","sessionId":"ses_1"}"#
        let texts = [greeting, answer]
        for text in texts {
            guard await connection.next() != nil else { return }
            guard (try? await connection.send(WebSocketFrame(.text, Array(text.utf8)).bytes(mask: nil))) != nil else {
                return
            }
        }
        while await connection.next() != nil {}
    }
}

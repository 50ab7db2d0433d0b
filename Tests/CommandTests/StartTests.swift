import Foundation
import HoldfastJSON
import TestSupport
import Testing

@Suite struct StartTests {
    /// The reference server as a command line.
    private static var reference: String { "'\(BuiltBinary.path)' serve --port {port} --data {data} --end-with-input" }

    /// A server that never listens and says who it is, by number.
    private static func silent(_ folder: TemporaryDirectory) -> String {
        "sh -c 'echo $$ > \(folder.path)/new; mv \(folder.path)/new \(folder.path)/process; exec sleep 600'"
    }

    private static func process(_ folder: TemporaryDirectory) throws -> Int32 {
        try #require(Int32(folder.text(of: "process").trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    @Test func `a server is started, killed, started again, and leaves nothing behind`() async throws {
        let folder = try TemporaryDirectory()
        let run = try await BuiltBinary.run(
            [
                "server", "--start",
                "sh -c 'echo $$ >> \(folder.path)/processes; exec \"$0\" \"$@\"' \(Self.reference)",
                "--data", folder.path + "/data", "--scripted-agent", "--kills", "3", "--out", folder.path + "/out",
                "--only", "server/PERSIST/killed-as-it-says-done", "--only", "server/PERSIST/post-then-read",
            ])
        #expect([0, 2].contains(run.status), "\(run.out)\(run.err)")
        let report = try JSONParser.value(folder.text(of: "out/report.json"))
        #expect(report["subject"] != nil)
        let transcript = try folder.text(of: "out/transcripts/server/PERSIST/killed-as-it-says-done.ndjson")
        let kills = transcript.split(separator: "\n").count { $0.contains(#""act":"kill","details":{"on""#) }
        #expect(kills >= 3, "\(run.out)")
        let processes = try folder.text(of: "processes").split(separator: "\n").compactMap { Int32($0) }
        // The shared one, and the one of the scenario before and after each kill.
        #expect(processes.count >= 5)
        for process in processes { #expect(!Processes.isAlive(process)) }
        let folders = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/data").sorted()
        #expect(folders == ["server-PERSIST-killed-as-it-says-done", "shared"])
    }

    @Test func `what only scripts can show is out of reach of a start command, and no gap`() async throws {
        let clauses = ["LIVE-1", "PERSIST-1", "TURN-4"].flatMap { ["--only", $0] }
        let run = try await BuiltBinary.run(["server", "--start", Self.reference, "--kills", "2"] + clauses)
        #expect(run.status == 0, "\(run.out)\(run.err)")
        #expect(run.out.contains("out of reach: 2 clauses need a scripted agent"), "\(run.out)")
    }

    /// The server never listens, so that only the interrupt ends the wait of 30 s.
    @Test(arguments: ["server", "doctor"])
    func `a run that is interrupted takes its server along`(_ command: String) async throws {
        let folder = try TemporaryDirectory()
        let arguments = [command, "--start", Self.silent(folder)]
        let (process, run) = try await BuiltBinary.run(arguments, within: .seconds(25), endsByItself: true) { running in
            try await Serving.appears(folder.path + "/process")
            // Two that come together, as from 'timeout', are one.
            try running.interrupt()
            try running.terminate()
            return try Self.process(folder)
        }
        #expect(run.status == 2, "\(run.err)")
        #expect(run.err.contains("interrupted while waiting for the server; nothing was tested"), "\(run.err)")
        #expect(try await Processes.ends(process))
    }

    @Test func `a run that is killed takes its server along`() async throws {
        let folder = try TemporaryDirectory()
        let (process, run) = try await BuiltBinary.run(["server", "--start", Self.silent(folder)]) { running in
            try await Serving.appears(folder.path + "/process")
            try running.kill()
            return try Self.process(folder)
        }
        #expect(run.status == 128 + SIGKILL)
        #expect(try await Processes.ends(process))
    }

    @Test(arguments: [[], ["--only", "PERSIST-1"]])
    func `a server that does not start is unreachable`(_ selection: [String]) async throws {
        let run = try await BuiltBinary.run(["server", "--start", "sh -c 'echo no licence; exit 4'"] + selection)
        #expect(run.status == 69)
        #expect(
            run.err.hasPrefix(
                """
                starting the server; waiting up to 30 s for a connection
                the start command has no {port}, so the server must listen on the port in HOLDFAST_PORT
                sh -c echo no licence; exit 4: it ended with exit code 4 before it accepted connections on\u{20}
                """), "\(run.err)")
        #expect(run.err.contains("\n    no licence\n  expected: a command that stays in the foreground"))
    }

    @Test func `no token is printed, wherever it was given`() async throws {
        let folder = try TemporaryDirectory()
        let subject = """
            {"name":"x","url":"ws://127.0.0.1:{port}/ws?token=s3cret-zero",
             "profiles":["core"],"principals":[{"name":"p1","token":"s3cret-one"}],
             "start":{"command":["sh","-c","echo I know $0; exit 4","s3cret-one"]}}
            """
        try subject.write(toFile: folder.path + "/subject.json", atomically: true, encoding: .utf8)
        for command in ["server", "doctor"] {
            let run = try await BuiltBinary.run([command, "--subject", folder.path + "/subject.json"])
            #expect(run.status != 0)
            #expect((run.out + run.err).contains("I know ‹token"), "\(run.out)\(run.err)")
            #expect(!(run.out + run.err).contains("s3cret"), "\(run.out)\(run.err)")
        }
        let token = try await BuiltBinary.run(
            [
                "doctor", "--start", "sh -c 'exit 4' s3cret-two s3cret-two-more", "--token", "s3cret-two", "--token",
                "s3cret-two-more",
            ])
        #expect(!(token.out + token.err).contains("s3cret"), "\(token.out)\(token.err)")
    }

    @Test func `data of somebody is refused and left alone`() async throws {
        let folder = try TemporaryDirectory()
        try "mine".write(toFile: folder.path + "/letters", atomically: true, encoding: .utf8)
        let run = try await BuiltBinary.run(["server", "--start", Self.reference, "--data", folder.path])
        #expect(run.status == 64)
        #expect(
            run.err == """
                --data: '\(folder.path)' is not empty: it holds 'letters'
                  expected: a new or empty folder; the suite never deletes data
                  fix: empty it yourself, choose another one, or remove it for a temporary one

                """)
        #expect(try folder.text(of: "letters") == "mine")
    }

    @Test(arguments: [
        (["--start", "run 'it"], "--start: a quote ' that never ends in 'run 'it'"),
        (["--start", "  "], "--start: no program in '  '"),
        (["--start", "run", "--env", "1X=y"], "--env: '…' is not NAME=VALUE"),
        (["--start", "run", "--env", "LEVEL"], "--env: 'LEVEL' is not NAME=VALUE"),
        (["--start", "run", "--kills", "0"], "--kills: '0' is out of range"),
        (["ws://127.0.0.1:1/ws", "--header", "no value"], "--header: '…' is not a header with a value"),
        (["ws://127.0.0.1:1/ws", "--header", "sesame"], "--header: '…' is not a header with a value"),
        (["ws://127.0.0.1:1/ws", "--wait", "90000"], "--wait: '90000' is out of range"),
        (["ws://127.0.0.1:1/ws", "--ca", "/nowhere.pem"], "/nowhere.pem: cannot be read: No such file"),
        (["ws://127.0.0.1:1/ws", "--client-key", "Package.swift"], "--client-key: one needs the other"),
        (["ws://127.0.0.1:1/ws", "--ca", "Package.swift"], "--ca: 'Package.swift' contains no PEM certificate"),
        (["ws://127.0.0.1:1/ws", "--ready", "go"], "--ready: no start command given"),
        (["ws://127.0.0.1:1/ws", "--data", "x"], "--data: no start command given"),
        (
            ["ws://127.0.0.1:{port}/ws"],
            "url: {port} needs a server that the suite starts, and there is no start command"
        ),
        (["ws://127.0.0.1:1/ws", "--push-sink", "nonsense"], "--push-sink: 'nonsense' is not an address"),
        (["ws://127.0.0.1:1/ws", "--push-sink", "203.0.113.7:9"], "--push-sink: cannot listen on "),
    ])
    func `bad input is refused with its place`(_ arguments: [String], _ start: String) async throws {
        let run = try await BuiltBinary.run(["server"] + arguments)
        #expect(run.status == 64)
        #expect(run.err.hasPrefix(start), "\(run.err)")
        #expect(run.err.contains("\n  expected: ") && run.err.contains("\n  fix: "), "\(run.err)")
    }
}

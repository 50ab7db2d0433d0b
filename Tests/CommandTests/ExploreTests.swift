import Foundation
import TestSupport
import Testing

@testable import HoldfastTransport

/// What `explore` says where nothing can be found, or was asked to end.
@Suite struct ExploreTests {
    private static let plan = """
        {
          "title": "Two devices", "summary": "One waits for what never comes.", "role": "server", "clauses": ["TURN-1"],
          "needs": { "agent": "scripted" }, "steps": [{ "do": "connect", "on": "A" }]
        }
        """

    @Test func `an interrupt ends the performance of a plan`() async throws {
        let folder = try TemporaryDirectory()
        try folder.write(Self.plan, to: "plan.json")
        let (connected, signal) = AsyncStream.makeStream(of: Void.self)
        let listener = try await RawListener.start { connection in
            guard (try? await connection.acceptWebSocket()) != nil else { return }
            signal.yield()
            while await connection.next() != nil {}
        }
        let url = "ws://127.0.0.1:\(listener.port)/ws"
        let began = ContinuousClock.now
        let (_, run) = try await BuiltBinary.run(
            ["explore", url, "--scripted-agent", "--plan", folder.path + "/plan.json"], endsByItself: true
        ) { running in
            var connections = connected.makeAsyncIterator()
            // The first ones ask whether anybody is there, and for a greeting.
            for _ in 0..<3 { _ = await connections.next() }
            try running.interrupt()
        }
        await listener.stop()
        #expect(run.status == 2, "\(run.out)\(run.err)")
        #expect(run.out == "interrupted\n", "\(run.err)")
        #expect(ContinuousClock.now - began < .seconds(25))
    }

    @Test(arguments: [["--runs", "5"], ["--plan", "plan.json"]])
    func `a server that does not start is told`(what: [String]) async throws {
        let folder = try TemporaryDirectory()
        try folder.write(Self.plan, to: "plan.json")
        let run = try await BuiltBinary.run(
            ["explore", "--start", "false --port {port}"]
                + what.map { $0.hasSuffix(".json") ? "\(folder.path)/\($0)" : $0 })
        #expect(run.status == 69, "\(run.out)\(run.err)")
        #expect(!run.err.isEmpty)
        #expect(!run.out.contains("nothing broken"), "\(run.out)")
    }

    @Test(arguments: [["--runs", "5"], ["--plan", "plan.json"]])
    func `another protocol is recognized`(what: [String]) async throws {
        let folder = try TemporaryDirectory()
        try folder.write(Self.plan, to: "plan.json")
        let listener = try await RawListener.start { connection in
            guard (try? await connection.acceptWebSocket()) != nil else { return }
            let text = Array(
                #"0{"sid":"lv_VI97HAXpY6yYWAAAC","upgrades":[],"pingInterval":25000,"pingTimeout":5000}"#.utf8)
            try? await connection.send(WebSocketFrame(.text, text).bytes(mask: nil))
            while await connection.next() != nil {}
        }
        let url = "ws://127.0.0.1:\(listener.port)/ws"
        let run = try await BuiltBinary.run(
            ["explore", url, "--scripted-agent"] + what.map { $0.hasSuffix(".json") ? "\(folder.path)/\($0)" : $0 })
        await listener.stop()
        #expect(run.status == 69, "\(run.out)\(run.err)")
        #expect(run.err.contains("this is not the Holdfast protocol; it looks like Socket.IO"), "\(run.out)\(run.err)")
    }

    @Test func `what cannot be written is found again by its seed`() async throws {
        // Every connection breaks the same clause at once, so that nothing has to be waited for while it is made small.
        let listener = try await RawListener.start { connection in
            guard (try? await connection.acceptWebSocket()) != nil else { return }
            try? await connection.send(WebSocketFrame(.text, Array("{}".utf8)).bytes(mask: nil))
            try? await connection.send(WebSocketFrame.close(code: 1000).bytes(mask: nil))
            while await connection.next() != nil {}
        }
        let url = "ws://127.0.0.1:\(listener.port)/ws"
        let run = try await BuiltBinary.run([
            "explore", url, "--scripted-agent", "--seed", "2", "--runs", "1", "--out", "/dev/null/explored",
        ])
        await listener.stop()
        // What was found counts, although the server greeted nobody in the end.
        #expect(run.status == 1, "\(run.out)\(run.err)")
        #expect(run.err.contains("no connection accepted in 1 plan in a row"), "\(run.err)")
        #expect(run.out.contains(/again: .* --seed 2 --runs 1\n/), "\(run.out)")
        #expect(!run.out.contains("--plan"))
    }

    // MARK: clients

    private static let clientPlan = """
        {
          "title": "A conversation is opened", "summary": "Twice.", "role": "client", "clauses": ["CLIENT-36"],
          "needs": {}, "world": { "sessions": [{ "id": "s1", "messages": ["u1", "a1"] }], "profiles": ["core"] },
          "steps": [
            { "do": "launch" }, { "do": "await", "comes": "connection", "optional": true },
            { "do": "select", "session": "s1" }, { "do": "awaitState", "shows": ["a1"] },
            { "do": "networkDown" }, { "do": "networkUp" }, { "do": "await", "comes": "connection" },
            { "do": "watch", "for": 600 }
          ]
        }
        """

    @Test func `a healthy client breaks nothing in plans that nobody wrote`() async throws {
        let run = try await BuiltBinary.run(["explore", "client", "--reference", "--seed", "1", "--runs", "2"])
        #expect(run.status == 0, "\(run.out)\(run.err)")
        #expect(run.out == "2 plans from seed 1: nothing found\n")
    }

    @Test func `what breaks a client is made small, and its file breaks the same clause`() async throws {
        let folder = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: folder.path + "/plans", withIntermediateDirectories: false)
        try folder.write(Self.clientPlan, to: "plans/one.json")
        let broken = ["explore", "client", "--reference", "--defect", "client-appends-whatever-comes"]
        let run = try await BuiltBinary.run(
            broken + [
                "--corpus", folder.path + "/plans", "--seed", "1", "--runs", "1", "--out", folder.path + "/out",
                "--format", "junit=\(folder.path)/junit.xml", "--write-baseline", folder.path + "/expected.json",
            ])
        #expect(run.status == 1, "\(run.out)\(run.err)")
        let line = try #require(
            run.out.firstMatch(of: /violation (CLIENT-[0-9]+) \(seed 1, [1-4] steps?, .*\)\n/), "\(run.out)")
        let file = "\(folder.path)/out/\(line.1)-1.json"
        #expect(run.out.contains("again: conformance \(broken.joined(separator: " ")) --plan \(file)\n"), "\(run.out)")
        #expect(try folder.text(of: "out/\(line.1)-1.ndjson").hasPrefix("{"))

        // What hangs on times may need a second try beside busy neighbors.
        var again = try await BuiltBinary.run(broken + ["--plan", file])
        for _ in 0..<3 where again.status == 0 { again = try await BuiltBinary.run(broken + ["--plan", file]) }
        #expect(again.status == 1)
        #expect(again.out.contains("violation \(line.1) in client/explored/\(line.1)-1\n"), "\(again.out)")
        let healthy = try await BuiltBinary.run(["explore", "client", "--reference", "--plan", file])
        #expect(healthy.status == 0, "\(healthy.out)")

        // A report and a baseline hold it as those of a suite do; whatever file it comes from next time.
        let name = "client/explored/\(line.1)"
        #expect(try folder.text(of: "junit.xml").contains("in scenario \(name)"))
        let entries = try folder.text(of: "expected.json")
        #expect(entries.contains("\"\(name)\""), "\(entries)")
        try folder.write(
            entries.replacing(name, with: "client/explored/*").replacing("FILL IN: why", with: "Known;"),
            to: "expected.json")
        let command = broken + ["--plan", file, "--baseline", folder.path + "/expected.json", "--format", "json=-"]
        var expected = try await BuiltBinary.run(command)
        for _ in 0..<3 where expected.status == 3 { expected = try await BuiltBinary.run(command) }
        #expect(expected.status == 0, "\(expected.out)\(expected.err)")
        #expect(expected.out.hasPrefix("{"), "\(expected.out)")
    }

    @Test func `a search that cannot begin leaves no report of another, and an annotation`() async throws {
        let folder = try TemporaryDirectory()
        for file in ["a.json", "a.txt"] { try folder.write("of another search", to: file) }
        let run = try await BuiltBinary.run([
            "explore", "--reference", "--runs", "0", "--format", "json=\(folder.path)/a.json", "--format",
            "github=\(folder.path)/a.txt",
        ])
        #expect(run.status == 64, "\(run.out)\(run.err)")
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/a.json"))
        #expect(try folder.text(of: "a.txt").hasPrefix("::error title=conformance explore ended with 64::--runs: '0'"))
    }

    @Test func `a driver that dies in the middle of every plan is told with the seeds`() async throws {
        let script = #""$0" chat --driver | { for i in 1 2 3; do read -r line; echo "$line"; done; }"#
        let run = try await BuiltBinary.run(
            ["explore", "client", "--seed", "5", "--runs", "2", "--", "/bin/sh", "-c", script, BuiltBinary.path])
        #expect(run.status == 2, "\(run.out)\(run.err)")
        #expect(run.out.hasSuffix("2 plans from seed 5: nothing found, 2 driver failures\n"), "\(run.out)")
        #expect(run.err.contains("seed 5: ") && run.err.contains("seed 6: "), "\(run.err)")
    }

    @Test func `a server that goes away ends the search`() async throws {
        let folder = try TemporaryDirectory()
        let corpus = folder.path + "/corpus"
        let explored = try await Serving.run(in: folder) { serving in
            let arguments = [
                "explore", "--subject", serving.subjectFile, "--minutes", "10", "--corpus", corpus, "--seed", "1",
                "--out", folder.path + "/out",
            ]
            return try await BuiltBinary.run(arguments, endsByItself: true) { _ in
                while (try? FileManager.default.contentsOfDirectory(atPath: corpus))?.isEmpty ?? true {
                    try await Task.sleep(for: .milliseconds(20))
                }
                try serving.running.interrupt()
            }.1
        }.result
        // What broke because the server ended was not found in it.
        #expect(explored.status == 69, "\(explored.out)\(explored.err)")
        #expect(!explored.out.contains("violation"), "\(explored.out)")
        #expect(explored.err.contains("no connection accepted in "), "\(explored.err)")
    }

    @Test func `an interrupt ends the performance of a client's plan`() async throws {
        let folder = try TemporaryDirectory()
        try folder.write(Self.clientPlan.replacing("600", with: "60000"), to: "plan.json")
        // The driver is started once to be greeted, and then for the plan.
        let script = #"if [ -e "$1/once" ]; then touch "$1/twice"; else touch "$1/once"; fi; exec "$0" chat --driver"#
        let path = folder.path
        let (_, run) = try await BuiltBinary.run(
            [
                "explore", "client", "--plan", path + "/plan.json", "--", "/bin/sh", "-c", script, BuiltBinary.path,
                path,
            ],
            endsByItself: true
        ) { running in
            try await Serving.appears(path + "/twice")
            try running.interrupt()
        }
        #expect(run.status == 2, "\(run.out)\(run.err)")
        #expect(run.out == "interrupted\n", "\(run.err)")
    }

    @Test(arguments: [["--runs", "1"], ["--plan", "plan.json"]])
    func `a driver that does not start is told`(what: [String]) async throws {
        let folder = try TemporaryDirectory()
        try folder.write(Self.clientPlan, to: "plan.json")
        let run = try await BuiltBinary.run(
            ["explore", "client"] + what.map { $0.hasSuffix(".json") ? "\(folder.path)/\($0)" : $0 }
                + ["--", "/nonexistent/driver"])
        #expect(run.status == 69, "\(run.out)\(run.err)")
        #expect(run.err.hasPrefix("/nonexistent/driver: the driver cannot be started, "), "\(run.err)")
    }

    @Test func `a plan for the other side is refused, and so is a word that is no flag`() async throws {
        let folder = try TemporaryDirectory()
        try folder.write(Self.plan, to: "plan.json")
        let run = try await BuiltBinary.run(["explore", "client", "--reference", "--plan", folder.path + "/plan.json"])
        #expect(run.status == 64, "\(run.out)\(run.err)")
        #expect(run.err.contains("plan.json"), "\(run.err)")
        let typo = try await BuiltBinary.run(["explore", "ws://127.0.0.1:1/ws", "--sed", "7"])
        #expect(typo.status == 64)
        #expect(typo.err.contains("conformance explore server --help"), "\(typo.err)")
    }
}

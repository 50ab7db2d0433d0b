import Foundation
import Holdfast
import HoldfastJSON
import HoldfastTransport
import TestSupport
import Testing

/// A server of which only the address is known.
@Suite struct AddressTests {
    /// Runs the reference server while a body uses its address.
    private func serving<Result: Sendable>(
        _ arguments: [String] = [], _ body: @escaping @Sendable (String) async throws -> Result
    ) async throws -> (result: Result, output: BuiltBinary.Output) {
        let folder = try TemporaryDirectory()
        // Without tokens everybody is one person.
        let open = arguments.isEmpty ? ["--profile", "core,sync"] : arguments
        return try await Serving.run(open, in: folder) { try await body($0.url()) }
    }

    @Test func `the reference client takes roots and headers of its own`() async throws {
        let folder = try TemporaryDirectory()
        let roots = folder.path + "/roots.pem"
        let (runs, _) = try await serving { url in
            let upstream = url.replacing("/ws", with: "")
            let port = try #require(upstream.split(separator: ":").last.flatMap { Int($0) })
            let front = port < 60_000 ? port + 1_000 : port - 1_000
            let arguments = [
                "proxy", "--listen", "127.0.0.1:\(front)", "--upstream", upstream, "--tls", "--tls-certificate-out",
                roots,
            ]
            return try await BuiltBinary.run(arguments) { _ in
                try await Serving.appears(roots)
                let chat = ["chat", "wss://127.0.0.1:\(front)/ws"]
                let known = try await BuiltBinary.run(
                    chat + ["--ca", roots, "--header", "X-Tenant: one"], input: "hello\n")
                return [known, try await BuiltBinary.run(chat, input: "hello\n")]
            }.result
        }
        #expect(runs[0].status == 0 && runs[0].out.contains("agent: You said: hello"), "\(runs[0])")
        #expect(runs[1].status == 69, "\(runs[1])")
        let odd = try await BuiltBinary.run([
            "chat", "ws://127.0.0.1:9/ws", "--header", "secret", "--ca", folder.path + "/no",
        ])
        #expect(
            odd.status == 64 && odd.err.contains("--header: '…'") && odd.err.contains("/no: cannot be read"),
            "\(odd.err)")
    }

    private func clauses(_ gaps: JSONValue?) -> Set<String> {
        Set((gaps?.arrayValue ?? []).flatMap { ($0["clauses"]?.arrayValue ?? []).compactMap(\.stringValue) })
    }

    private func report(in folder: String) throws -> JSONValue {
        try JSONParser.value(String(contentsOfFile: "\(folder)/report.json", encoding: .utf8))
    }

    private func performed(_ report: JSONValue) -> [String] {
        (report["scenarios"]?.arrayValue ?? []).filter { $0["skipped"] == nil }.compactMap { $0["name"]?.stringValue }
    }

    /// The scenarios that a plan names.
    private func planned(_ text: String) -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("server/") || $0.hasPrefix("client/") }.map { line in
            String(line.prefix { $0 != " " })
        }
    }

    @Test func `doctor and dry run foretell what a run does, and a healthy server ends with 0`() async throws {
        let folder = try TemporaryDirectory()
        let (runs, _) = try await serving([]) { url in
            (
                try await BuiltBinary.run(["doctor", url, "--silence", "0", "--json"]),
                try await BuiltBinary.run(["server", url, "--dry-run"]),
                try await BuiltBinary.run(["server", url, "--out", folder.path])
            )
        }
        #expect(runs.2.status == 0, "\(runs.2.out)\(runs.2.err)")
        let report = try report(in: folder.path)
        let foretold = try JSONParser.value(runs.0.out)["open"]?.arrayValue ?? []
        #expect(foretold.allSatisfy { $0["outcome"] == "out of reach" })
        // Others may be exercised by the way; nothing else is out of reach.
        let told = clauses(report["outOfReach"])
        #expect(!told.isEmpty && told.isSubset(of: clauses(.array(foretold))), "\(runs.0.out)")
        #expect(clauses(.array(foretold)).subtracting(told).count <= 4)
        #expect(planned(runs.1.out) == performed(report))
        #expect(runs.1.out.contains("skipped: "))
    }

    @Test func `what asks more than the rate limit allows is planned away`() async throws {
        let plan = try await BuiltBinary.run([
            "server", "--reference", "--dry-run", "--only", "server/SYNC/evicted-by-questions",
        ])
        #expect(plan.status == 0 && planned(plan.out).isEmpty, "\(plan.out)\(plan.err)")
        #expect(
            plan.out.contains("it asks 512 questions, and the rate limit is 60"), "\(plan.out)")
    }

    @Test func `what is excluded is planned away, set aside and told`() async throws {
        let folder = try TemporaryDirectory()
        let arguments = ["--only", "SYNC", "--exclude", "SYNC-3", "--exclude", "server/SYNC/from-the-*"]
        let (runs, _) = try await serving([]) { url in
            (
                try await BuiltBinary.run(["server", url, "--dry-run"] + arguments),
                try await BuiltBinary.run(["server", url, "--out", folder.path] + arguments)
            )
        }
        let report = try report(in: folder.path)
        #expect(planned(runs.0.out) == performed(report))
        #expect(report["leftOut"] == ["SYNC-3"])
        #expect(report["setAside"]?.arrayValue?.contains("SYNC-3") == true)
        #expect(
            runs.1.out.contains("skipped: 2 scenarios, because --exclude server/SYNC/from-the-* was given"),
            "\(runs.1.out)")
        let nothing = try await BuiltBinary.run([
            "server", "ws://127.0.0.1:1/", "--only", "SYNC-3", "--exclude", "SYNC-3",
        ])
        #expect(nothing.status == 64 && nothing.err.contains("nothing is left to run"), "\(nothing.err)")
        let unknown = try await BuiltBinary.run(["server", "ws://127.0.0.1:1/", "--exclude", "SYNK"])
        #expect(unknown.status == 64 && unknown.err.contains("--exclude: 'SYNK' matches no clause or scenario"))
    }

    @Test func `a scenario that is chosen by name is told whole`() async throws {
        let server = ["server", "--reference", "--defect", "env-calls-the-connection-a-session"]
        let whole = try await BuiltBinary.run(server + ["--only", "server/ENV/unknown-members"])
        #expect(whole.status == 1 && whole.out.contains("violation ENV-2 "), "\(whole.out)")
        let one = try await BuiltBinary.run(server + ["--only", "ENV-4"])
        #expect(one.status == 0 && !one.out.contains("ENV-2"), "\(one.out)")
        let less = try await BuiltBinary.run(
            server + ["--only", "server/ENV/unknown-members", "--exclude", "ENV-2"])
        #expect(!less.out.contains("violation ENV-2 "), "\(less.out)")
    }

    @Test func `a client is planned by what its driver can`() async throws {
        let folder = try TemporaryDirectory()
        let arguments = [
            "client", "--reference", "--only", "CLIENT-36", "--only", "CLIENT-37", "--exclude", "CLIENT-37",
        ]
        let plan = try await BuiltBinary.run(arguments + ["--dry-run"])
        let run = try await BuiltBinary.run(arguments + ["--out", folder.path])
        #expect(run.status == 0, "\(run.out)\(run.err)")
        let report = try report(in: folder.path)
        #expect(planned(plan.out) == performed(report))
        let again = report["again"]?["command"]?.stringValue
        #expect(again?.hasSuffix("client --reference --exclude CLIENT-37") == true, "\(again ?? "none")")
    }

    @Test func `the server is asked for its greeting once before the run`() async throws {
        let greeted = try await counting { url in
            _ = try await BuiltBinary.run(["server", url, "--only", "server/PERSIST/post-then-read"])
        }
        // The last two are those of the audit that ends the scenario.
        #expect(greeted == 3)
    }

    /// How many connections authenticate while a body runs, as the transcript of a proxy tells.
    private func counting(_ body: @escaping @Sendable (String) async throws -> Void) async throws -> Int {
        let folder = try TemporaryDirectory()
        let file = folder.path + "/proxy.ndjson"
        _ = try await serving([]) { url in
            let upstream = String(url.prefix { $0 != "?" }.dropLast("/ws".count))
            let port = try await MockServerTests.freePort()
            _ = try await BuiltBinary.run(
                ["proxy", "--listen", "127.0.0.1:\(port)", "--upstream", upstream, "--out", file]
            ) { _ in
                try await Serving.appears(file)
                try await body("ws://127.0.0.1:\(port)/ws")
            }
        }
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        return lines.count { $0.contains(#"\"type\":\"auth\""#) }
    }

    // MARK: credentials

    @Test(arguments: [
        (["--header", "Sec-WebSocket-Key: x"], "'Sec-WebSocket-Key' is a header that the suite sets itself"),
        (["--header", "content-length: 5"], "'content-length' is a header that the suite sets itself"),
        (["--header", "X-A: secret\nX-B: 1"], "the value of 'X-A' contains a line break"),
        (["--cookie", ""], "--cookie: its value is empty"), (["--origin", " "], "--origin: its value is empty"),
        (["--cookie", "a=secret\r\n"], "--cookie: the value of 'Cookie' contains a line break"),
        (["--tier", "9"], "--tier: there is no tier 9"),
        (["--token-env", "HOLDFAST_NO_SUCH"], "the environment variable is not set"),
        (["--token-file", "/nowhere/token"], "/nowhere/token: cannot be read"),
        (["--token-command", "sh -c 'echo secret-in-vain; exit 3'"], "'sh' ends with exit code 3"),
        (["--token-command", "true"], "has no token in its first line"),
        (["--header", "Authorization: Basic secret", "--token", "secret"], "the suite sets 'Authorization'"),
    ])
    func `input that cannot be used is refused, and shows no secret`(arguments: [String], words: String) async throws {
        let run = try await BuiltBinary.run(["server", "ws://127.0.0.1:1/ws"] + arguments)
        #expect(run.status == 64, "\(run.out)\(run.err)")
        #expect(run.err.contains(words), "\(run.err)")
        #expect(!run.err.contains("secret\n") && !run.err.contains("secret-in-vain") && !run.err.contains("Basic"))
    }

    @Test func `tokens come from a variable, a file and a command, in this order`() async throws {
        let folder = try TemporaryDirectory()
        let tokens = ["p1=token-of-the-first", "p2=token-of-the-second", "p3=token-of-the-third"]
        try "token-of-the-second\n".write(toFile: folder.path + "/token", atomically: true, encoding: .utf8)
        let (run, _) = try await serving(tokens.flatMap { ["--token", $0] }) { url in
            try await BuiltBinary.run(
                [
                    "server", url, "--token-command", "echo token-of-the-third", "--token-file", folder.path + "/token",
                    "--token-env", "HOLDFAST_TEST_TOKEN", "--only", "AUTH-1", "--out", folder.path + "/out",
                ], environment: ["HOLDFAST_TEST_TOKEN": "token-of-the-first"])
        }
        #expect(run.status == 0, "\(run.out)\(run.err)")
        let files = FileManager.default.enumerator(atPath: folder.path + "/out")?.compactMap { $0 as? String } ?? []
        for file in files where file.hasSuffix("json") {
            let text = try String(contentsOfFile: "\(folder.path)/out/\(file)", encoding: .utf8)
            #expect(!text.contains("token-of-the-"), "\(file)")
        }
        #expect(!run.out.contains("token-of-the-second"))
    }

    @Test func `a subject file needs an address and no more, and carries headers`() async throws {
        let folder = try TemporaryDirectory()
        let (runs, _) = try await serving([]) { url in
            let file = folder.path + "/subject.json"
            try #"{"url": "\#(url)", "headers": {"X-Tenant": "one"}}"#.write(
                toFile: file, atomically: true, encoding: .utf8)
            let good = try await BuiltBinary.run(["server", "--subject", file, "--only", "SYNC-2"])
            try #"{"url": "\#(url)", "headers": {"Upgrade": "h2c"}}"#.write(
                toFile: file, atomically: true, encoding: .utf8)
            return (good, try await BuiltBinary.run(["server", "--subject", file, "--only", "SYNC-2"]))
        }
        #expect(runs.0.status == 0, "\(runs.0.out)\(runs.0.err)")
        let words = runs.0.out.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("127.0.0.1:") && words.contains("profiles from 'connected'"), "\(words)")
        #expect(runs.1.status == 64 && runs.1.err.contains("--subject /headers: 'Upgrade'"), "\(runs.1.err)")
    }

    @Test func `in a dialect too, the greeting states the profiles`() async throws {
        let postal = SourceTree.root + "/Tests/Examples/dialects/postal.json"
        let (run, _) = try await serving(["--dialect", postal, "--profile", "core,sync"]) { url in
            try await BuiltBinary.run(["server", url, "--dialect", postal, "--only", "AUTH-12"])
        }
        #expect(run.status == 0 && run.out.contains("profiles core, sync · any agent"), "\(run.out)\(run.err)")
    }

    @Test func `waiting ends in time, and says what it waited for`() async throws {
        let began = ContinuousClock.now
        let run = try await BuiltBinary.run(["server", "ws://127.0.0.1:1/ws", "--wait", "3"])
        #expect(run.status == 69)
        #expect(run.err.contains("connection refused, ") && run.err.contains(" attempts in "), "\(run.err)")
        #expect(.now - began < .seconds(30))
        let unwaited = try await BuiltBinary.run(["server", "ws://127.0.0.1:1/ws"])
        #expect(unwaited.err.contains("add --wait 60 if it starts slowly"), "\(unwaited.err)")
    }

    @Test func `a program without TLS says how to get one with it`() async throws {
        let without = ["/bin/sh", "-c", #"exec "${0%/*}/conformance-without-tls" "$@""#]
        let run = try await BuiltBinary.run(["server", "wss://127.0.0.1:1/ws"], by: without)
        #expect(run.status == 69)
        #expect(
            run.err == """
                wss://127.0.0.1:1/ws: this program was built without TLS
                  expected: a program with TLS, or an address without it
                  fix: run HOLDFAST_TLS=1 ./conformance.sh; in a package, add the product HoldfastTLS and call installTLS()

                """)
    }
}

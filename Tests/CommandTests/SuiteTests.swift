import Foundation
import Holdfast
import HoldfastJSON
import TestSupport
import Testing

@Suite struct SuiteTests {
    @Test func `the reference server conforms, and the report carries its proof`() async throws {
        let folder = try TemporaryDirectory()
        let out = folder.path + "/out"
        let run = try await BuiltBinary.run(["server", "--reference", "--out", out])
        #expect(run.status == 0, "\(run.out)\n\(run.err)")
        #expect(run.out.hasPrefix("conforms: "))
        #expect(!run.out.contains(" pending"))
        #expect(run.out.contains("20 kills on the bytes of `done`, none lost"))
        #expect(!run.out.contains("tier 1 (any agent)"))
        #expect(!run.out.contains("untested"))
        #expect(!run.out.contains("\u{1B}"))
        #expect(run.err.isEmpty)
        let report = try JSONParser.value(folder.text(of: "out/report.json"))
        #expect(report["exit"]?["code"]?.intValue == 0)
        let clauses = report["clauses"]?.arrayValue ?? []
        #expect(clauses.count > 90)
        for clause in clauses where clause["outcome"]?.stringValue == "pass" {
            #expect((clause["exercised"]?.intValue ?? 0) > 0, "\(clause["id"]?.stringValue ?? "")")
        }
        #expect(try folder.text(of: "out/transcripts/server/SYNC/replay-after-cut.ndjson").contains("syncResult"))
        try expectCoverage(report)
        try ReachTests.check(report, of: "server")
    }

    /// A clause that a scenario names and never puts to the test would be coverage in name only.
    ///
    /// Scenarios share people, so that the flood of one may push out of the replay what another asks for; that is rare.
    private func expectCoverage(_ report: JSONValue) throws {
        var missing: [String] = []
        let specification = try Specification(.embedded)
        let results = report["scenarios"]?.arrayValue ?? []
        let byName = Dictionary(results.map { ($0["name"]?.stringValue ?? "", $0) }, uniquingKeysWith: { $1 })
        for scenario in try specification.scenarios() where scenario.role == .server {
            let result = try #require(byName[scenario.name])
            let skipped = result["skipped"]?.stringValue
            // More questions than the budget of the reference server, which fills its buffer with tools elsewhere.
            let isTooMuch = scenario.name == "server/SYNC/evicted-by-questions"
            if isTooMuch, skipped?.contains("the rate limit is") == true { continue }
            #expect(skipped == nil, "\(scenario.name)")
            #expect(result["stoppedAt"] == nil, "\(scenario.name)")
            let exercised = (result["verdicts"]?.arrayValue ?? []).filter { ($0["exercised"]?.intValue ?? 0) > 0 }
            let names = exercised.compactMap { $0["clause"]?.stringValue }
            for clause in scenario.clauses {
                if !names.contains(clause.description) { missing.append("\(scenario.name) names \(clause)") }
            }
        }
        #expect(missing.count < 3, "\(missing)")
    }

    @Test func `no token reaches the report`() async throws {
        let folder = try TemporaryDirectory()
        let out = folder.path + "/out"
        let (token, _) = try await Serving.run(in: folder) { serving in
            _ = try await BuiltBinary.run(
                ["server", "--subject", serving.subjectFile, "--only", "server/TURN/*", "--out", out])
            return try serving.token()
        }
        #expect(!token.isEmpty)
        #expect(try !folder.text(of: "out/report.json").contains(token))
    }

    @Test func `an address alone shows what it can, and says what is out of reach`() async throws {
        let folder = try TemporaryDirectory()
        let out = folder.path + "/out"
        let runs = try await Serving.run(in: folder) { serving in
            let only = ["--only", "PERSIST-*", "--only", "TURN-4", "--only", "AUTH-6", "--only", "SYNC-2"]
            let arguments = ["server", try serving.url(), "--token", try serving.token()] + only
            return (
                try await BuiltBinary.run(arguments + ["--out", out]),
                try await BuiltBinary.run(arguments + ["--strict"])
            )
        }.result
        #expect(runs.0.status == 0, "\(runs.0.out)\n\(runs.0.err)")
        #expect(runs.0.out.hasPrefix("conforms, as far as this setup can test: "), "\(runs.0.out)")
        for line in ["need --start: ", "a scripted agent (tier 2)", "it needs 2 principals"] {
            let told = runs.0.out.split(separator: "\n").joined(separator: " ")
            #expect(told.contains(line.replacing("it needs ", with: "")), "\(line) in \(runs.0.out)")
        }
        #expect(runs.0.out.contains("profiles from 'connected'"), "\(runs.0.out)")
        let report = try JSONParser.value(folder.text(of: "out/report.json"))
        let unreached = (report["outOfReach"]?.arrayValue ?? []).flatMap { $0["clauses"]?.arrayValue ?? [] }
        #expect(unreached.contains("PERSIST-1") && unreached.contains("TURN-4") && unreached.contains("AUTH-6"))
        #expect(report["summary"]?["outOfReach"]?.intValue == unreached.count)
        #expect(runs.1.status == 2, "\(runs.1.out)")
        #expect(runs.1.out.contains("untested: "), "\(runs.1.out)")
    }

    @Test func `a broken server ends with 1 and the sentence it broke`() async throws {
        let folder = try TemporaryDirectory()
        let (run, _) = try await Serving.run(["--defect", "sync-claims-complete-after-eviction"], in: folder) {
            serving in
            try await BuiltBinary.run(["server", "--subject", serving.subjectFile, "--only", "SYNC-6"])
        }
        #expect(run.status == 1)
        #expect(run.out.hasPrefix("violation: 1 violated"))
        #expect(run.out.contains("violation SYNC-6 (MUST, server) in scenario server/SYNC/"))
        #expect(run.out.contains("A server MUST answer a `sync` from a position that it"))
        #expect(run.out.contains("--only SYNC-6"))
    }

    @Test func `a core server without tokens is judged by core alone`() async throws {
        let folder = try TemporaryDirectory()
        let (run, _) = try await Serving.run(in: folder) { serving in
            try await BuiltBinary.run([
                "server", serving.url(), "--token", serving.token(), "--scripted-agent", "--profile", "core", "--only",
                "server/TURN/*",
            ])
        }
        #expect(run.out.contains("not applicable: "))
        #expect(run.out.contains("profiles core · scripted agent"))
        #expect(!run.out.contains("\nviolation"), "\(run.out)")
    }

    @Test func `a defect of the reference server is shown with one command`() async throws {
        let run = try await BuiltBinary.run([
            "server", "--reference", "--defect", "turn-ends-twice", "--only", "TURN-3", "--skip-crashes",
        ])
        #expect(run.status == 1, "\(run.out)\n\(run.err)")
        #expect(run.out.contains("again: conformance server --reference --defect turn-ends-twice"))
    }

    @Test func `what to type next is said as the reader calls the program`() async throws {
        let here = ["HOLDFAST_COMMAND": "./conformance.sh"]
        let broken = ["server", "--reference", "--defect", "turn-ends-twice", "--only", "TURN-3", "--skip-crashes"]
        let run = try await BuiltBinary.run(broken, environment: here)
        #expect(
            run.out.contains(
                "again: ./conformance.sh server --reference --defect turn-ends-twice --skip-crashes --only TURN-3"))
        let page = try await BuiltBinary.run(["explain", "SYNC-3"], environment: here)
        #expect(page.out.contains("Test it alone: ./conformance.sh server URL --only SYNC-3"), "\(page.out)")
        let typo = try await BuiltBinary.run(["list", "NOTHING"], environment: here)
        #expect(typo.status == 64 && !typo.err.contains("'conformance "))
    }

    @Test func `tier 1 alone can conform, and names what it sets aside`() async throws {
        let folder = try TemporaryDirectory()
        let (run, _) = try await Serving.run(in: folder) { serving in
            try await BuiltBinary.run([
                "server", "--subject", serving.subjectFile, "--tier", "1", "--only", "TURN-3", "--only", "TURN-4",
            ])
        }
        #expect(run.status == 0, "\(run.out)")
        #expect(run.out.hasPrefix("conforms: 1 pass, 1 set aside\n"), "\(run.out)")
        #expect(run.out.contains("set aside: 1 clause skipped on request: TURN-4"))
    }

    @Test func `an agent that obeys no scripts leaves clauses untested, and the report says which`() async throws {
        let folder = try TemporaryDirectory()
        let (run, _) = try await Serving.run(in: folder) { serving in
            try await BuiltBinary.run([
                "server", serving.url(), "--token", serving.token(), "--only", "TURN-4", "--only", "TURN-3", "--strict",
            ])
        }
        #expect(run.status == 2, "\(run.out)")
        let words = run.out.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(
            words.contains("untested: 1 clause needs a scripted agent (tier 2) or the model endpoint (tier 3): TURN-4"))
    }

    @Test func `a tier the agent does not allow is refused`() async throws {
        let run = try await BuiltBinary.run(["server", "ws://127.0.0.1:1/ws", "--tier", "2"])
        #expect(run.status == 64)
        #expect(
            run.err == """
                --tier: tier 2 needs an agent that follows scripts, and this one is 'plain'
                  expected: 1
                  fix: choose another tier, or declare the agent: --scripted-agent, or 'agent' in the subject file

                """)
    }
}

import HoldfastSuite
import ReferenceClient
import TestSupport
import Testing

// Names that an app may well have of its own; nothing that the product exports may be mistaken for them.
private struct JSONValue {}
private struct Frame {}
private struct Clause {}
private struct Selection {}
private struct Report {}
private enum Judge {}
private enum Holdfast {}
private enum JSON {}

@Suite struct PublicSurfaceTests {
    @Test func `a broken server is told by its clause, with what was found`() async throws {
        let report = try await HoldfastSuite.server(MyServer.server("--defect turn-ends-twice"), only: ["TURN-3"])
        let clause = try #require(report["TURN-3"])
        #expect(clause.outcome == .violation && !clause.isKept && !report.conforms)
        #expect(clause.profile == "core" && clause.exercised > 0)
        #expect(clause.sentence.hasPrefix("A server MUST"))
        #expect(clause.findings.allSatisfy { $0.contains("\n  expected: ") && $0.contains("\n  actual: ") })
        #expect(clause.description.hasPrefix("TURN-3: violation\n“A server MUST"))
        #expect(report.headline.hasPrefix("violation: 1 violated"))
        #expect(report.text.hasPrefix(report.headline) && report.problems.isEmpty)
        #expect(report["SYNC-1"] == nil)
    }

    @Test func `a report is written for the commands that read reports`() async throws {
        let folder = try TemporaryDirectory()
        let report = try await HoldfastSuite.server(MyServer.server(), only: ["server/TURN/*"])
        try report.write(to: folder.path + "/out")
        let run = try await BuiltBinary.run(["report", "show", folder.path + "/out"])
        #expect(run.out == report.text, "\(run.err)")
    }

    @Test func `a client of this process is judged like any other`() async throws {
        var client = ClientUnderTest { data in ReferenceApp(defects: [], variations: [], storingIn: data) }
        client.profiles = ["client-core"]
        let report = try await HoldfastSuite.client(client, only: ["CLIENT-36"])
        #expect(report["CLIENT-36"]?.outcome == .pass, "\(report.text)")
        #expect(HoldfastSuite.clientClauses().contains("CLIENT-36"))
    }

    @Test func `the clauses to come are known before a run`() {
        let core = HoldfastSuite.serverClauses()
        #expect(core.contains("TURN-3") && !core.contains("SYNC-3"))
        #expect(HoldfastSuite.serverClauses(declaring: ["core", "sync"]).contains("SYNC-3"))
        #expect(HoldfastSuite.serverClauses(declaring: ["nonsense"]).isEmpty)
        // What no black box can judge is no test case.
        #expect(!HoldfastSuite.serverClauses(declaring: ["core"]).contains("PERSIST-8"))
    }

    @Test func `a description that cannot be used is told with its place`() async throws {
        var server = ServerUnderTest(url: "ftp://127.0.0.1:1/ws")
        server.profiles = ["snyc"]
        await #expect {
            _ = try await HoldfastSuite.server(server)
        } throws: { error in
            guard let problem = error as? SuiteProblem, problem.kind == .input else { return false }
            return problem.description == """
                url: ftp://127.0.0.1:1/ws: unknown scheme 'ftp'
                  expected: ws://, wss://, http:// or https://, a host, and optionally a port and a path
                  fix: correct the URL
                --profile: unknown profile 'snyc'
                  expected: auth, core, push, rate-limit, sync
                  fix: did you mean 'sync'?
                """
        }
    }

    @Test func `a server that is not there is unreachable`() async {
        await #expect {
            _ = try await HoldfastSuite.server(ServerUnderTest(start: "sh -c 'exit 4'"), only: ["TURN-3"])
        } throws: { error in
            guard let problem = error as? SuiteProblem else { return false }
            return problem.kind == .unreachable && problem.description.contains("\n  fix: ")
        }
    }
}

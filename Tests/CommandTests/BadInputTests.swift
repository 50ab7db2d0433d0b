import Foundation
import TestSupport
import Testing

@Suite struct BadInputTests {
    @Test func `an unknown --only pattern names the nearest clause`() async throws {
        let run = try await BuiltBinary.run(["server", "ws://127.0.0.1:1", "--only", "SYNK-3"])
        #expect(run.status == 64)
        #expect(
            run.err == """
                --only: 'SYNK-3' matches no clause or scenario
                  expected: a clause id such as SYNC-3, an area such as SYNC-*, or a scenario such as server/SYNC/*
                  fix: did you mean 'SYNC-3'?

                """)
        #expect(run.out.isEmpty)
    }

    @Test func `an HTTP URL is that of the WebSocket there, which is said`() async throws {
        let run = try await BuiltBinary.run(["server", "http://127.0.0.1:1/ws"])
        #expect(run.status == 69)
        #expect(
            run.err.hasPrefix("using the WebSocket at ws://127.0.0.1:1/ws\nws://127.0.0.1:1/ws: connection refused"))
    }

    @Test(arguments: [
        (["serve", "--port", "0", "--profile", "core"], "env-reads-text-as-numbers", "without sync"),
        (["serve", "--port", "0"], "rate-forgets-on-reconnect", "without rate-limit"),
    ])
    func `a defect that cannot show is refused with the profile that it needs`(
        command: [String], defect: String, words: String
    ) async throws {
        let run = try await BuiltBinary.run(command + ["--defect", defect])
        #expect(run.status == 64, "\(run.out)")
        #expect(run.err.hasPrefix("--defect: '\(defect)' does not show on a server \(words)\n"), "\(run.err)")
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "needs /dev/full, which Linux has"))
    func `a report that cannot be written costs no verdict`() async throws {
        let full = ["server", "--reference", "--only", "TURN-3", "--format", "html=/dev/full"]
        for (defect, status) in [([], 70), (["--defect", "turn-ends-twice"], 1)] as [([String], Int32)] {
            let run = try await BuiltBinary.run(full + defect)
            #expect(run.status == status, "\(run.err)")
            #expect(run.out.contains("TURN"), "\(run.out)")
            #expect(run.err.contains("/dev/full: cannot be written"), "\(run.err)")
        }
    }

    @Test(arguments: ["", "ws://", "nonsense", "ws://host:99999/ws", "ws://[::1/ws"])
    func `a bad URL is refused before anything is done`(url: String) async throws {
        let run = try await BuiltBinary.run(["server", url])
        #expect(run.status == 64, "\(run.err)")
        #expect(!run.err.isEmpty)
    }

    @Test func `no URL and no subject file says what to give`() async throws {
        let run = try await BuiltBinary.run(["server"])
        #expect(run.status == 64)
        #expect(run.err.hasPrefix("server: no address\n  expected: a URL such as ws://127.0.0.1:8080/ws"))
    }

    @Test func `a subject file that cannot be read is named`() async throws {
        let run = try await BuiltBinary.run(["server", "--subject", "no-such-file.json"])
        #expect(run.status == 64)
        #expect(run.err.hasPrefix("no-such-file.json: cannot be read"))
    }

    @Test func `every fault of a subject file is told at once`() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.path + "/subject.json"
        try Data(#"{"name":"x","url":"ftp://h/","profiles":["core","synk"]}"#.utf8).write(
            to: URL(fileURLWithPath: file))
        let run = try await BuiltBinary.run(["server", "--subject", file])
        #expect(run.status == 64)
        #expect(run.err.contains("unknown profile 'synk'"))
        #expect(run.err.contains("did you mean 'sync'?"))
        #expect(run.err.contains("/url"))
    }

    @Test func `an unknown profile names the known ones`() async throws {
        let run = try await BuiltBinary.run(["server", "ws://127.0.0.1:1", "--profile", "synk"])
        #expect(run.status == 64)
        #expect(
            run.err == """
                --profile: unknown profile 'synk'
                  expected: auth, core, push, rate-limit, sync
                  fix: did you mean 'sync'?

                """)
    }

    @Test(arguments: [
        "server --jobs 0 ws://127.0.0.1:1", "server --jobs x ws://127.0.0.1:1", "explain NOPE", "frobnicate",
    ])
    func `wrong usage ends with 64 and says something`(line: String) async throws {
        let run = try await BuiltBinary.run(line.split(separator: " ").map(String.init))
        #expect(run.status == 64, "\(run.err)")
        #expect(!run.err.isEmpty)
    }

    @Test func `an unknown defect names the nearest`() async throws {
        let run = try await BuiltBinary.run(["selftest", "--only", "sync-claims-complete-after-evictiom"])
        #expect(run.status == 64)
        #expect(run.err.contains("fix: did you mean 'sync-"))
    }
}

import Foundation
import HoldfastJSON
import HoldfastStage
import TestSupport
import Testing

@testable import HoldfastSuite

@Suite struct LoadTests {
    /// A load under which a defect shows that no scenario meets.
    private let defective = [
        "load", "--reference", "--defect", "order-swaps-frames-in-a-crowd", "--devices", "40", "--for", "8s",
        "--ramp", "0", "--seed", "3",
    ]

    @Test func `the reference server keeps every clause under load`() async throws {
        let folder = try TemporaryDirectory()
        let run = try await BuiltBinary.run(
            ["load", "--reference", "--devices", "20", "--for", "2s", "--seed", "7", "--out", folder.path + "/out"])
        // A busy machine is late, and says so.
        #expect([0, 70].contains(run.status), "\(run.out)\(run.err)")
        #expect(run.out.contains("load: 20 devices of 18 principals, mix phones, seed 7, 2 s"), "\(run.out)")
        #expect(!run.out.contains("violation"), "\(run.out)")
        let report = try JSONParser.value(folder.text(of: "out/report.json"))
        #expect(report["load"]?["devices"]?.intValue == 20)
        let again = try await BuiltBinary.run(["judge", folder.path + "/out/report.json"])
        #expect([0, 2].contains(again.status), "\(again.out)\(again.err)")
        #expect(!again.out.contains("differ "), "\(again.out)")
    }

    @Test func `a defect that a suite never meets is found, and shown by one principal`() async throws {
        let folder = try TemporaryDirectory()
        let run = try await BuiltBinary.run(defective + ["--out", folder.path + "/out"])
        #expect(run.status == 1, "\(run.out)\(run.err)")
        #expect(run.err.contains("violation ORDER-3 (MUST) seen by p"), "\(run.err)")
        #expect(!run.out.contains("--only"), "\(run.out)")
        let again = try await BuiltBinary.run(["judge", folder.path + "/out/report.json"])
        #expect(again.status == 1, "\(again.out)\(again.err)")
    }

    @Test func `only the clauses that are named are judged`() async throws {
        let folder = try TemporaryDirectory()
        let run = try await BuiltBinary.run(
            defective + ["--only", "TURN-1", "--only", "ENV-2", "--out", folder.path + "/out"])
        #expect([0, 70].contains(run.status), "\(run.out)\(run.err)")
        #expect(!run.err.contains("violation"), "\(run.err)")
        let report = try JSONParser.value(folder.text(of: "out/report.json"))
        #expect(report["clauses"]?.arrayValue?.compactMap { $0["id"]?.stringValue } == ["ENV-2", "TURN-1"])
    }

    @Test func `an interrupt ends a load and keeps what was learnt`() async throws {
        let folder = try TemporaryDirectory()
        let page = folder.path + "/load.html"
        let (_, run) = try await BuiltBinary.run(
            ["load", "--reference", "--devices", "5", "--for", "10min", "--ramp", "0", "--format", "html=\(page)"],
            endsByItself: true
        ) { running in
            try await Task.sleep(for: .seconds(4))
            try running.interrupt()
        }
        #expect([2, 70].contains(run.status), "\(run.out)\(run.err)")
        #expect(run.out.contains("(interrupted)"), "\(run.out)")
        #expect(try folder.text(of: "load.html").contains("Latency over time"))
    }

    @Test(arguments: [
        (["--devices", "0"], "--devices: '0' is out of range"),
        (["--for", "soon"], "--for: 'soon' is not a time of 1 s to 24 h"),
        (["--for", "5s", "--ramp", "9s"], "--ramp: '9s' is not shorter than --for"),
        (["--mix", "phone"], "--mix: there is no mix 'phone'"),
        (["--only", "ORDR-4"], "--only: 'ORDR-4' matches no clause"),
        (["--shard", "1/2"], "--shard: the shards of a load need a common seed"),
        (["--tokens", "/nowhere"], "/nowhere"),
        (["--dialect", "nami"], "--dialect: a load test can use only the canonical form"),
    ])
    func `a wrong option is named`(words: [String], what: String) async throws {
        let run = try await BuiltBinary.run(["load", "ws://127.0.0.1:1/ws"] + words)
        #expect(run.status == 64, "\(run.out)\(run.err)")
        #expect(run.err.contains(what), "\(run.err)")
    }

    @Test func `a server that is not there is told`() async throws {
        let run = try await BuiltBinary.run(["load", "ws://127.0.0.1:1/ws", "--token", "user-{n}", "--for", "1s"])
        #expect(run.status == 69, "\(run.out)\(run.err)")
    }

    @Test func `times have units`() throws {
        for (text, expected) in [("5", 5000), ("5s", 5000), ("1.5min", 90_000), ("2m", 120_000), ("1500ms", 1500)] {
            #expect(try LoadPlan.milliseconds(text, "--for", from: 1000) == expected)
        }
        for text in ["", "s", "-5", "1e9s", "999ms", "25h", "5 s"] {
            #expect(throws: (any Error).self) { try LoadPlan.milliseconds(text, "--for", from: 1000) }
        }
    }
}

import Holdfast
import HoldfastJSON
import HoldfastSuite
import ReferenceClient
import TestSupport
import Testing

/// Clients whose wire is not the specification's.
@Suite struct DialectClientTests {
    /// A wire on which everything has another name and nothing is missing.
    private static let postal = SourceTree.root + "/Tests/Examples/dialects/postal.json"

    /// What the suite finds of the reference client on a wire.
    private func report(
        on dialect: String, defects: Set<ClientDefect> = [], only patterns: [String]
    ) async throws -> SuiteReport {
        let spoken = try #require(
            dialect.contains("/")
                ? Dialect(SourceTree.text("Tests/Examples/dialects/postal.json"), file: "postal.json")
                : SourceTree.specification().dialect(named: dialect))
        var client = ClientUnderTest { data in
            ReferenceApp(
                defects: defects, variations: [], storingIn: data, over: NetworkTransport(in: spoken), watcher: nil)
        }
        client.dialect = dialect
        return try await HoldfastSuite.client(client, only: patterns)
    }

    /// A report in one line.
    private func words(_ report: SuiteReport) -> String {
        report.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test func `a client with names of its own is judged by what it means`() async throws {
        let patterns = ["client/CLIENT/foreground-reconnects", "client/CLIENT/stored-question-comes-again"]
        let report = try await report(on: Self.postal, only: patterns)
        for clause in ["CLIENT-36", "CLIENT-6", "CLIENT-7"] {
            #expect(report[clause]?.outcome == .pass, "\(clause)\n\(report.text)")
        }
        #expect(report.conforms, "\(report.text)")
    }

    @Test func `a mistake shows in words of the wire`() async throws {
        let defect = try #require(ClientDefect.all.first { $0.name == "client-draws-a-new-key-for-a-resend" })
        let report = try await report(
            on: Self.postal, defects: [defect], only: ["client/CLIENT/stored-question-comes-again"])
        #expect(report["CLIENT-6"]?.outcome == .violation, "\(report.text)")
        #expect(report.text.contains(#"{"data":{"lines""#), "\(report.text)")
    }

    @Test func `a scenario that the wire cannot express is skipped with the reason`() async throws {
        let report = try await report(on: Self.postal, only: ["client/CLIENT/unknown-type-moves-the-place"])
        #expect(words(report).contains("the dialect postal cannot say 'mood' as an unknown type"), "\(report.text)")
        let silent = try await self.report(on: "nami", only: ["client/CLIENT/greeting-withheld"])
        #expect(words(silent).contains("the dialect nami has no handshake"), "\(silent.text)")
    }

    @Test func `a key in the query is the fault of the wire`() async throws {
        let report = try await report(on: "nami", only: ["client/AUTH/token-stays-out-of-urls"])
        #expect(report["AUTH-11"]?.outcome == .violation && report["ENV-12"]?.outcome == .pass, "\(report.text)")
        #expect(words(report).contains("(0 to repair, "), "\(report.text)")
    }

    @Test func `a pass proves nothing where the wire has no key`() async throws {
        let report = try await report(on: "nami", only: ["CLIENT-5@client/CLIENT/foreground-reconnects"])
        #expect(report["CLIENT-5"]?.outcome == .untested, "\(report.text)")
        let reason = "because of the dialect nami: `chat` has no place for `clientMessageId`"
        #expect(words(report).contains(reason), "\(report.text)")
    }

    @Test func `what a client cannot declare on a wire is told`() async throws {
        var client = ClientUnderTest(driver: ["false"])
        (client.dialect, client.profiles) = ("nami", ["client-sync"])
        await #expect {
            _ = try await HoldfastSuite.client(client)
        } throws: { error in
            "\(error)".hasPrefix("--profile: no client of the dialect 'nami' can declare 'client-sync'\n")
        }
    }
}

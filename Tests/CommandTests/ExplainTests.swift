import Holdfast
import HoldfastReport
import Testing

@testable import HoldfastExplain

@Suite struct ExplainTests {
    private let style = ConsoleStyle(width: 80)

    /// Read once; it is large.
    private static let specification = Result { try Specification(.embedded) }

    private func pages(_ topic: String, width: Int = 80) throws -> String {
        let specification = try Self.specification.get()
        return try TopicBook(specification, ConsoleStyle(width: width)).pages(on: topic).joined(separator: "\n")
    }

    @Test func `alone it prints the protocol on one sheet`() throws {
        let text = ProtocolPage(try Self.specification.get(), style).text
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 96)
        #expect(lines.allSatisfy { $0.count <= 80 })
        for area in Area.allCases { #expect(text.contains(area.rawValue), "\(area)") }
        #expect(lines.first == "The protocol on one sheet" && !text.contains("#"))
    }

    @Test func `a clause is shown kept and broken, with where it comes from`() throws {
        let text = try pages("SYNC-3")
        for part in [
            "SYNC-3 · server · profile sync · MUST", "Why\n", "How it is judged\n", "R24  complete means whole",
            "Kept: ", "Broken: ", "<< SYNC-3", "Defects that break it", "sync-claims-complete-after-eviction",
            "Related\n", "Scenarios\n", "Fixtures\n", "conformance server URL --only SYNC-3",
        ] {
            #expect(text.contains(part), "\(part)")
        }
    }

    @Test(arguments: [40, 80])
    func `pages keep within the console`(width: Int) throws {
        for topic in ["SYNC-3", "PERSIST-1", "CLIENT-36", "ENV-1"] {
            let lines = try pages(topic, width: width).split(separator: "\n")
            // Commands and names of files are not divided.
            for line in lines where line.contains("│") && line.count > width { Issue.record("\(line)") }
        }
    }

    @Test(arguments: [
        ("sync-3", "SYNC-3 · server"), ("SYNC", "replay and explicit gaps"), ("sync", "profile of a server"),
        ("syncResult", "message"), ("epoch", "The name of a stream's numbering"), ("persist_failed", "error code"),
        ("4001", "close code"), ("3", "exit code: the baseline is stale"), ("session read", "GET /api/sessions/{id}"),
        ("server/SYNC/evicted", "scenario"), ("spinner", "The spinner never ends"), ("duplicate", "IDEM-1"),
        ("untested", "did not exercise the clause"), ("turnId", "Which id names what"),
        ("resend", "conformance server URL --only server/IDEM/repeat-after-the-answer"),
        ("sync-claims-complete-after-eviction", "breaks SYNC-3"), ("the answer came twice", "SYNC-8"),
        ("The spinner never ends.", "TURN-3"), ("my question came twice", "The same message came twice"),
        ("same-words-in-another-form", "server/IDEM/same-words-in-another-form"),
        ("IDEM-5", "What IDEM is about"),
    ])
    func `every kind of name is explained`(topic: String, part: String) throws {
        let text = try pages(topic)
        #expect(text.contains(part), "\(text.prefix(300))")
    }

    @Test(arguments: [("SYNK-3", "SYNC-3"), ("syncResutl", "syncResult"), ("presist_failed", "persist_failed")])
    func `a mistyped topic is answered with the nearest`(topic: String, name: String) {
        #expect { try pages(topic) } throws: { ($0 as? InputProblem)?.fix == "did you mean '\(name)'?" }
    }

    @Test func `an excluded clause says why nobody can judge it`() throws {
        let text = try pages("PERSIST-8")
        #expect(text.contains("Excluded\n") && !text.contains("Test it alone"))
    }
}

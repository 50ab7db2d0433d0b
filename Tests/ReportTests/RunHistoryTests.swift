import Holdfast
import HoldfastJudge
import Testing

@testable import HoldfastReport

/// Nightly runs of one subject: a letter for what SYNC-3 came to each night, as the console prints them.
@Suite struct RunHistoryTests {
    private func archive(_ nights: String, isReversed: Bool = false) throws -> RunArchive {
        let entries = try nights.enumerated().map { index, letter in
            let outcome: Outcome = letter == "o" ? .untested : letter == "." ? .pass : .violation
            let report = try States.report(outcome, on: index + 1)
            let isExpected = letter == "x"
            return HTMLReport.Entry(
                "night-\(index + 1)/report.json",
                isExpected ? try States.compared(report, [States.entry()]) : report)
        }
        var archive = RunArchive()
        for entry in isReversed ? entries.reversed() : entries { archive.take(entry) }
        return archive
    }

    private func history(_ nights: String) throws -> RunHistory {
        try #require(try archive(nights).histories.first)
    }

    @Test(arguments: [
        ("....", "no unexpected violation"), ("XXXX", "violated in every run"),
        ("..XX", "violated since 2026-01-03 06:00 UTC"), ("XX..", "fixed on 2026-01-03 06:00 UTC"),
        (".X.X", "flaky: violated in 2 of 4 runs"), ("oooo", "never decided"),
        // A night that decided nothing changes nothing, and one that a baseline expects is no news.
        (".oXo", "violated since 2026-01-03 06:00 UTC"), ("Xo.o", "fixed on 2026-01-03 06:00 UTC"),
        ("oXoX", "violated in every run"), (".x.x", "no unexpected violation"),
    ])
    func `how a clause went`(nights: String, words: String) throws {
        let history = try history(nights)
        #expect(history.words(history.trend(of: States.sync3)) == words)
        #expect(history.words(history.trend(of: States.env1)) == "no unexpected violation")
    }

    @Test func `the order of the files is not that of the runs`() throws {
        let reversed = try archive("..XX", isReversed: true).histories
        #expect(try reversed.map { $0.text() } == archive("..XX").histories.map { $0.text() })
    }

    @Test func `the console names what needs a person, with a letter for each run`() throws {
        let text = try history("..Xo").text()
        #expect(text.hasPrefix("sample (server): 4 runs, 2026-01-01 06:00 UTC to 2026-01-04 06:00 UTC\n"), "\(text)")
        #expect(text.contains("clauses: 1 violated now, 1 clean\n"))
        #expect(text.contains("\nSYNC-3     ..Xo  violated since 2026-01-03 06:00 UTC\n"))
        #expect(!text.contains("\nENV-1 "))
    }

    @Test func `the page has a column for each run and a row for each clause`() throws {
        let page = try archive("..Xo").text(as: .html)
        #expect(page.contains("<em>violated since 2026-01-03 06:00 UTC</em>"))
        for run in 1...4 { #expect(page.contains("<a href=\"#run\(run)\"") && page.contains("<tr id=\"run\(run)\">")) }
        #expect(page.contains("<h1><span class=\"sign\""))
    }

    @Test func `a badge says the verdict in color and in words`() throws {
        for (report, words) in [
            (try States.green(), "2 clauses passed"), (try States.violated(), "1 clause violated"),
            (try States.expected(), "1 clause passed, 1 expected"), (try States.untested(), "incomplete"),
        ] {
            let badge = ReportFormat.badge.text(of: report)
            #expect(badge.hasPrefix("<svg ") && badge.contains(": \(words)\""), "\(badge)")
        }
    }
}

import Holdfast
import HoldfastJSON
import HoldfastJudge
import HoldfastTranscript
import Testing

@testable import HoldfastReport

/// Which violated clauses belong together, and which of them is looked at first.
@Suite struct CauseTests {
    private static let notation =
        "A+ A>chat(c1) A<ack(c1 s1 t1) A>chat(c2) A<ack(c2 s2 t2) server!kill server!start A<eof"

    private func violation(_ area: Area, _ number: Int, at events: [Int]...) -> Verdict {
        Verdict(
            clause: ClauseID(area, number), outcome: .violation, exercised: 1,
            findings: events.map { Finding("wrong", expected: "right", actual: "wrong", at: $0) })
    }

    private func report(_ scenarios: [[Verdict]]) throws -> RunReport {
        try Sample.report(
            scenarios.enumerated().map { .init("server/SYNC/\($0.offset)", $0.element, notation: Self.notation) },
            profiles: Set(Profile.all(of: .server)), selection: Set(scenarios.joined().map(\.clause)))
    }

    private func causes(_ scenarios: [Verdict]...) throws -> [String] {
        try report(scenarios).causes.map { ([$0.head] + $0.followers).map(\.description).joined(separator: " ") }
    }

    private func index(of word: String) throws -> Int {
        let history = try NotationExpansion(
            Self.notation, header: History.Header(scenario: "a", subject: Sample.subject([.core]))
        ).history
        return try #require(
            history.events.firstIndex { event in
                switch event.kind {
                case .text(_, let text):
                    text.contains("\"type\":\"\(word.dropLast())\"") && text.contains("\(word.suffix(1))\"")
                case .act(let act, _): act == word
                default: false
                }
            }, "\(word)")
    }

    @Test func `findings at one event are one group`() throws {
        #expect(try causes([violation(.SYNC, 3, at: [1]), violation(.SYNC, 4, at: [1])]) == ["SYNC-3 SYNC-4"])
        #expect(try causes([violation(.SYNC, 3, at: [1]), violation(.SYNC, 4, at: [0])]) == ["SYNC-3", "SYNC-4"])
        #expect(try causes([violation(.SYNC, 3, at: [1])], [violation(.SYNC, 4, at: [1])]) == ["SYNC-3", "SYNC-4"])
    }

    @Test func `findings about one message are one group`() throws {
        let (asked, heard, other) = try (index(of: "chat1"), index(of: "ack1"), index(of: "ack2"))
        #expect(
            try causes([violation(.SYNC, 3, at: [asked]), violation(.SYNC, 4, at: [heard])]) == ["SYNC-3 SYNC-4"])
        #expect(
            try causes([violation(.SYNC, 3, at: [asked]), violation(.SYNC, 4, at: [other])]) == ["SYNC-3", "SYNC-4"])
    }

    @Test func `an event that only shows that time had passed joins nothing`() throws {
        let (one, other, late) = try (index(of: "chat1"), index(of: "ack2"), index(of: "start") + 1)
        func missing(_ area: Area, _ number: Int, since asked: Int, proof: Int?) -> Verdict {
            let finding = Finding("wrong", expected: "right", actual: "wrong", at: [asked, late], proof: proof)
            return Verdict(clause: ClauseID(area, number), outcome: .violation, exercised: 1, findings: [finding])
        }
        let apart = [missing(.SYNC, 2, since: one, proof: late), missing(.TURN, 1, since: other, proof: late)]
        #expect(try causes(apart) == ["TURN-1", "SYNC-2"])
        let joined = [missing(.SYNC, 2, since: one, proof: nil), missing(.TURN, 1, since: other, proof: nil)]
        #expect(try causes(joined) == ["TURN-1 SYNC-2"], "the event itself is wrong")
        let same = [missing(.SYNC, 2, since: one, proof: late), violation(.TURN, 1, at: [one, other])]
        #expect(try causes(same) == ["TURN-1 SYNC-2"], "the bound ended last")
        let read = try ReportReader.report(Array(JSONReport(report([apart])).text.utf8), file: "report.json")
        #expect(read.causes.map(\.head) == [ClauseID(.TURN, 1), ClauseID(.SYNC, 2)])
    }

    @Test func `two silences of a capture are two causes, though one pong proves both`() throws {
        func causes(_ notation: String) throws -> [String] {
            var header = History.Header(subject: Sample.subject([.core, .sync]))
            header.capture = History.Capture(lacks: [])
            let history = try NotationExpansion(notation, header: header).history
            let found = judge(history, under: try Sample.specification.get()).filter { $0.outcome == .violation }
            return Cause.causes(
                of: found.map { verdict in
                    (verdict.clause, verdict.findings.map { .init(scenario: "", finding: $0) })
                }, in: ["": history]
            ).map { ([$0.head] + $0.followers).map(\.description).joined(separator: " ") }
        }
        let rest = "+10min A>ping(n1) A<pong(n1)"
        #expect(try causes("A+(e1 #0) A>chat(c1) A>sync(e1 #0) \(rest)") == ["TURN-1", "SYNC-2"])
        #expect(try causes("A+(e1 #0) A>chat(c1 mood=7) \(rest)") == ["ENV-4 TURN-1"], "one question")
    }

    @Test func `ends with one code and reason are one group in all scenarios, but not after a stop`() throws {
        func causes(_ first: String, _ second: String) throws -> [String] {
            let scenarios = try [(ClauseID(.LIVE, 10), first), (ClauseID(.LIVE, 3), second)].map { clause, notation in
                let header = History.Header(scenario: "a", subject: Sample.subject([.core]))
                let history = try NotationExpansion(notation, header: header).history
                let verdict = violation(clause.area, clause.number, at: [history.events.indices.last ?? 0])
                return Sample.Scenario("server/LIVE/\(clause.number)", [verdict], notation: notation)
            }
            return try Sample.report(scenarios, selection: [ClauseID(.LIVE, 10), ClauseID(.LIVE, 3)]).causes
                .map { ([$0.head] + $0.followers).map(\.description).joined(separator: " ") }
        }
        #expect(try causes("A+ A<close(1001)", "A+ A>ping(n1) A<close(1001)") == ["LIVE-3 LIVE-10"])
        #expect(try causes("A+ A<close(1001)", "A+ A>ping(n1) A<close(1008)") == ["LIVE-3", "LIVE-10"])
        #expect(try causes("A+ A<close(1001)", "A+ server!stop A<close(1001)") == ["LIVE-3", "LIVE-10"])
    }

    /// The causes of findings in histories of their own; the events of each are counted from the end.
    private func causes(
        of role: Role = .server, _ found: [(clause: ClauseID, notation: String, fromEnd: [Int])]
    ) throws -> [String] {
        let subject = History.Subject(name: "sample", role: role, profiles: Set(Profile.all(of: role)))
        let histories = try found.reduce(into: [String: History]()) { histories, one in
            histories[one.notation] = try NotationExpansion(
                one.notation, header: History.Header(scenario: "a", subject: subject)
            ).history
        }
        let broken = Dictionary(grouping: found, by: \.clause).sorted { $0.key < $1.key }
        let occurrences = broken.map { clause, found in
            let findings = found.map { one in
                let last = (histories[one.notation]?.events.count ?? 0) - 1
                return ClauseResult.Occurrence(
                    scenario: one.notation,
                    finding: Finding("wrong", expected: "", actual: "", at: one.fromEnd.map { last - $0 }))
            }
            return (clause: clause, findings: findings)
        }
        return Cause.causes(of: occurrences, in: histories)
            .map { ([$0.head] + $0.followers).map(\.description).joined(separator: " ") }
    }

    @Test func `what one connection lacks after its last word is one group`() throws {
        let (ping, chat) = (ClauseID(.LIVE, 1), ClauseID(.TURN, 1))
        let silent = "A+ A>chat(c1) A<ack(c1 s1 t1) A>ping(n1) A>chat(c2) A!mute"
        #expect(try causes([(ping, silent, [2]), (chat, silent, [1])]) == ["TURN-1 LIVE-1"])
        let answered = "A+ A>chat(c1) A<ack(c1 s1 t1) A>ping(n1) A<pong(n2) A>chat(c2) A!mute"
        #expect(try causes([(ping, answered, [3]), (chat, answered, [1])]) == ["TURN-1", "LIVE-1"])
        let ended = "A+ A>chat(c1) A<ack(c1 s1 t1) A>ping(n1) A>chat(c2) A<close(1001)"
        #expect(try causes([(ping, ended, [2]), (chat, ended, [1])]) == ["TURN-1", "LIVE-1"])
        let two = "A+ B+ A>ping(n1) A<pong(n1) A>ping(n2) B>chat(c1)"
        #expect(try causes([(ping, two, [1]), (chat, two, [0])]) == ["TURN-1", "LIVE-1"])
    }

    @Test func `a server that only greets has one cause in all scenarios`() throws {
        let (ping, chat) = (ClauseID(.ENV, 4), ClauseID(.TURN, 1))
        let first = (ping, "A+ A>ping(n1)", [0])
        #expect(try causes([first, (chat, "A+ A>chat(c1) A!mute", [1])]) == ["TURN-1 ENV-4"])
        #expect(try causes([first, (chat, "A+ A>chat(c1) A!cut A+", [5])]) == ["TURN-1 ENV-4"], "cut by the suite")
        #expect(
            try causes([first, (chat, "A+ A>chat(c1) A<ack(c1 s1 t1) A>chat(c2)", [0])]) == ["ENV-4", "TURN-1"])
    }

    @Test func `what a server never answers over REST is one cause, with a silent connection if it only greets`() throws
    {
        let (read, asked, chat) = (ClauseID(.PERSIST, 7), ClauseID(.REST, 8), ClauseID(.TURN, 1))
        let silent = [(read, "1>GET(s1) 1<failed('late')", [1, 0]), (asked, "1>POST(c1) 1<failed('late')", [1, 0])]
        #expect(try causes(silent) == ["PERSIST-7 REST-8"])
        #expect(try causes(silent + [(chat, "A+ A>chat(c2)", [0])]) == ["TURN-1 PERSIST-7 REST-8"])
        #expect(
            try causes(silent + [(chat, "A+ A>ping(n1) A<pong(n1) A>chat(c2)", [0])]) == ["PERSIST-7 REST-8", "TURN-1"])
        let answered = "1>GET(s1) 1<failed('late') 2>GET(s1) 2<404"
        #expect(try causes([(read, answered, [3, 2]), silent[1]]) == ["REST-8", "PERSIST-7"])
        let ended = "1>GET(s1) 1<failed('reset')"
        #expect(try causes([(read, ended, [1, 0]), silent[1]]) == ["REST-8", "PERSIST-7"])
    }

    @Test func `the head of a silence does not depend on the scenarios that show it`() throws {
        let (ping, chat) = (ClauseID(.LIVE, 4), ClauseID(.TURN, 1))
        func found(_ pings: Int, _ chats: Int) -> [(clause: ClauseID, notation: String, fromEnd: [Int])] {
            (0..<pings).map { (ping, "A+ A>chat(c\($0)) A>ping", [0]) }
                + (0..<chats).map { (chat, "A+ A>chat(c\($0 + 10))", [0]) }
        }
        #expect(try causes(found(1, 5)) == ["TURN-1 LIVE-4"])
        #expect(try causes(found(5, 1)) == ["TURN-1 LIVE-4"])
    }

    @Test func `of two causes, the one that more scenarios show comes first`() throws {
        let one = "A+ A>chat(c1) A<done(t1)"
        let found = [(ClauseID(.IDEM, 2), one, [1]), (ClauseID(.ENV, 4), one, [1])]
        let wide = (1...2).map { (ClauseID(.TURN, 1), "A+ A>chat(c\($0)) A<pong", [1]) }
        #expect(try causes(found + wide) == ["TURN-1", "ENV-4 IDEM-2"])
    }

    @Test func `what two screens have in common joins nothing`() throws {
        let (early, lost) = (ClauseID(.CLIENT, 23), ClauseID(.CLIENT, 25))
        let notation =
            "client!launch A+ A<message(u1 s1 c1 #1) client=connected(s1 u1) client=connected(s1) client=connected(s1 u1)"
        func causes(_ one: [Int], _ other: [Int]) throws -> [String] {
            try self.causes(of: .client, [(early, notation, one), (lost, notation, other)])
        }
        #expect(try causes([4, 2], [2, 1]) == ["CLIENT-23", "CLIENT-25"], "one screen, or its messages")
        #expect(try causes([4, 2], [3, 0]) == ["CLIENT-23", "CLIENT-25"])
        #expect(try causes([3, 2], [3, 1]) == ["CLIENT-23 CLIENT-25"], "one frame")
        #expect(try causes([2, 1], [2, 1]) == ["CLIENT-23 CLIENT-25"], "the same screens")
    }

    @Test func `ends without a cause head what they cut off, but not those that name one`() throws {
        let ended = "A+ A<close(1001)"
        let found = [(ClauseID(.LIVE, 2), ended, [0])]
        let ends = (1...4).map { (ClauseID(.LIVE, 10), "A+ A>ping(n\($0)) A<pong(n\($0)) A<close(1001)", [0]) }
        #expect(try causes(found + ends.prefix(1)) == ["LIVE-2 LIVE-10"], "by address")
        #expect(try causes(found + ends) == ["LIVE-2 LIVE-10"], "started")
        let cut = [(ClauseID(.ENV, 3), "A+ A>ping(n9) A<close(1001)", [1, 0])]
        #expect(try causes(cut + ends.prefix(1)) == ["LIVE-10 ENV-3"], "an end that also comes without a cause")
        #expect(try causes(cut + ends) == ["LIVE-10 ENV-3"])
    }

    @Test func `a session that is not found is a message that a read lacks`() throws {
        let missing = try [violation(.PERSIST, 7, at: [5, 6]), violation(.PERSIST, 2, at: [index(of: "chat1"), 6])]
        #expect(try causes(missing) == ["PERSIST-2 PERSIST-7"])
        #expect(try causes([violation(.PERSIST, 7, at: [5, 6])]) == ["PERSIST-7"])
    }

    @Test func `a leak between people explains what others were told in any scenario`() throws {
        let (asked, heard) = try (index(of: "chat1"), index(of: "ack1"))
        let many = [violation(.TURN, 10, at: [heard])]
        #expect(try causes([violation(.AUTH, 6, at: [heard])], many, many, many) == ["AUTH-6 TURN-10"])
        #expect(try causes([violation(.AUTH, 7, at: [heard])], many) == ["TURN-10", "AUTH-7"])
        #expect(try causes([violation(.AUTH, 6, at: [heard])], [violation(.TURN, 10, at: [asked])]).count == 2)
    }

    @Test func `who ends the connections of others explains ends in any scenario`() throws {
        let ended = try index(of: "start") + 1
        let many = [violation(.LIVE, 10, at: [ended])]
        #expect(try causes([violation(.ENV, 5, at: [ended])], many, many, many) == ["ENV-5 LIVE-10"])
        #expect(try causes([violation(.ENV, 3, at: [ended])], many, many, many) == ["LIVE-10", "ENV-3"])
    }

    @Test func `numbers that begin again explain what the stream says after the restart`() throws {
        func causes(_ number: Int) throws -> [String] {
            let notation = "A+ A<done(t1 #5) server!kill A<eof server!start A+(e1 #0) A<toolUse(t2 #1) A<done(t2 #2)"
            let header = History.Header(scenario: "a", subject: Sample.subject([.core]))
            let last = try NotationExpansion(notation, header: header).history.events.count - 1
            let broken = [violation(.SYNC, number, at: [last - 2]), violation(.ORDER, 7, at: [last])]
            return try Sample.report(
                [.init("server/SYNC/0", broken, notation: notation)], selection: Set(broken.map(\.clause))
            ).causes.map { ([$0.head] + $0.followers).map(\.description).joined(separator: " ") }
        }
        #expect(try causes(5) == ["SYNC-5 ORDER-7"])
        #expect(try causes(1) == ["ORDER-7", "SYNC-1"])
    }

    @Test func `a finding that stands alone makes a cause of its own`() throws {
        #expect(try causes([violation(.SYNC, 3, at: [1]), violation(.SYNC, 2, at: [1], [0])]) == ["SYNC-2 SYNC-3"])
        #expect(
            try causes([violation(.SYNC, 3, at: [1], [8]), violation(.SYNC, 2, at: [1], [0])])
                == ["SYNC-2", "SYNC-3"])
    }

    @Test func `what nothing was cited for stands alone`() throws {
        #expect(try causes([violation(.SYNC, 3, at: []), violation(.SYNC, 4, at: [])]) == ["SYNC-3", "SYNC-4"])
    }

    @Test func `the head is the earliest, then what goes back least, then the most basic`() throws {
        #expect(
            try causes([violation(.ENV, 6, at: [0, 3]), violation(.PERSIST, 2, at: [0, 2])]) == ["PERSIST-2 ENV-6"])
        #expect(
            try causes([violation(.ENV, 6, at: [0, 3]), violation(.PERSIST, 2, at: [2, 3])]) == ["PERSIST-2 ENV-6"])
        #expect(
            try causes([violation(.ORDER, 4, at: [0, 3]), violation(.ENV, 6, at: [0, 3])]) == ["ENV-6 ORDER-4"])
        #expect(
            try causes([violation(.PERSIST, 1, at: [0, 3]), violation(.PERSIST, 2, at: [0, 3])]) == [
                "PERSIST-2 PERSIST-1"
            ])
    }

    @Test func `what shows in few places explains nothing that shows in many`() throws {
        let wide = violation(.SYNC, 4, at: [1])
        #expect(try causes([wide, violation(.SYNC, 3, at: [1])], [wide], [wide]) == ["SYNC-4 SYNC-3"])
    }

    @Test func `a general clause stands below the one that names the case`() throws {
        #expect(try causes([violation(.REST, 1, at: [1]), violation(.REST, 8, at: [1])]) == ["REST-8 REST-1"])
        #expect(
            try causes([violation(.ORDER, 4, at: [3]), violation(.PERSIST, 5, at: [0, 3])]) == ["PERSIST-5 ORDER-4"])
        // What is not found in an invalid body need not be missing.
        #expect(
            try causes([violation(.REST, 1, at: [2, 3]), violation(.PERSIST, 2, at: [0, 3])]) == ["REST-1 PERSIST-2"])
    }

    @Test func `of two causes that explain as much, the general one comes last`() throws {
        #expect(try causes([violation(.TURN, 7, at: [1]), violation(.ORDER, 2, at: [0])]) == ["ORDER-2", "TURN-7"])
    }

    @Test func `what needs a crash comes last, what explains most comes first`() throws {
        let killed = try index(of: "kill")
        #expect(
            try causes([
                violation(.TURN, 2, at: [killed - 1, killed + 1]), violation(.SYNC, 3, at: [1]),
                violation(.SYNC, 4, at: [0]), violation(.SYNC, 9, at: [0]),
            ]) == ["SYNC-4 SYNC-9", "SYNC-3", "TURN-2"])
    }

    @Test func `the headline counts causes only where clauses follow`() throws {
        let pair = [violation(.SYNC, 3, at: [1]), violation(.SYNC, 4, at: [1])]
        #expect(try report([pair]).headline == "violation: 1 cause, 2 clauses violated")
        #expect(try report([[pair[0]], [pair[1]]]).headline == "violation: 2 violated")
    }

    @Test func `what is expected is in no group`() throws {
        var report = try States.violated()
        #expect(report.causes == [Cause(head: States.sync3, followers: [])])
        report = try States.compared(report, [States.entry()])
        #expect(report.causes.isEmpty)
    }

    @Test func `what is repeated is an intended scenario that shows it often`() throws {
        let few = violation(.SYNC, 4, at: [1])
        let many = violation(.SYNC, 4, at: [0], [1], [2])
        func again(_ scenarios: [Verdict]...) throws -> String? {
            var report = try Sample.report(
                scenarios.enumerated().map { .init("\($0.offset)", $0.element, notation: Self.notation) },
                selection: [ClauseID(.SYNC, 4)], intended: ["1": [ClauseID(.SYNC, 4)], "2": [ClauseID(.SYNC, 4)]])
            report.rerun = RunReport.Rerun("run")
            return try report.rerun(of: #require(report.clauses.first))
        }
        #expect(try again([many], [few], [few]) == "run --only SYNC-4@1")
        #expect(try again([few], [few], [many]) == "run --only SYNC-4@2")
    }

    @Test func `the heading names the scenario that is repeated`() throws {
        let few = violation(.SYNC, 4, at: [1])
        var report = try report([[few], [violation(.SYNC, 4, at: [0], [1], [2])]])
        report.rerun = RunReport.Rerun("run")
        let text = ConsoleReport(report).text
        #expect(text.contains("in scenario server/SYNC/1\n") && text.contains("SYNC-4@server/SYNC/1\n"), "\(text)")
        let page = HTMLReport(report).text
        #expect(page.contains("SYNC-4@server/SYNC/1"))
        #expect(JUnitReport(report: report).text.contains("wrong in scenario server/SYNC/1"))
        let repeated = report.clauses.first?.ordered.map(\.scenario)
        #expect(repeated == Array(repeating: "server/SYNC/1", count: 3) + ["server/SYNC/0"])
        #expect(report.clauses.first?.findings.first?.scenario == "server/SYNC/0", "a stored report keeps their order")
    }

    @Test func `each format shows what follows below its head`() throws {
        var report = try report([[violation(.SYNC, 3, at: [1]), violation(.SYNC, 4, at: [1])]])
        report.rerun = RunReport.Rerun("conformance server URL")
        let text = ConsoleReport(report).text
        #expect(
            text.contains("\n  SYNC-4 follows from SYNC-3: “A server MUST put into `missed` only frames whos…\n"),
            "\(text)")
        let again = text.split(separator: "\n").filter { $0.contains("again: ") }
        #expect(again == ["  again: conformance server URL --only SYNC-3@server/SYNC/0"], "one cause, one rerun")
        #expect(text.contains("\nviolation SYNC-3 ") && !text.contains("\nviolation SYNC-4 "))
        #expect(text.split(separator: "\n").filter { !$0.contains("again: ") }.allSatisfy { $0.count <= 80 })
        #expect(JSONReport(report).value["causes"] == [["head": "SYNC-3", "followers": ["SYNC-4"]]])
        let junit = JUnitReport(report: report).text
        #expect(
            junit.contains("failures=\"1\"") && junit.contains("<skipped message=\"follows from SYNC-3: wrong"),
            "\(junit)")
        let github = GitHubReport(report: report).text
        #expect(
            github.contains("::error title=SYNC-3 violation::") && github.contains("::notice title=SYNC-4 violation::"))
        #expect(TAPReport(report: report).text.contains(" # TODO follows from SYNC-3: wrong"))
        #expect(
            MarkdownReport(report: report).text.contains("| SYNC-4 | violation | follows from SYNC-3: wrong"),
            "\(MarkdownReport(report: report).text)")
        let results = SARIFLog(report).value["runs"]?[0]?["results"]?.arrayValue ?? []
        #expect(results.map { $0["level"] } == ["error", "note"])
        #expect(results.last?["properties"]?["followsFrom"] == "SYNC-3")
        let page = HTMLReport(report).text
        #expect(page.contains("1 clause follows from SYNC-3: SYNC-4</summary>"))
        #expect(page.contains("<span class=\"count\">1 cause, 2 clauses</span>"))
    }

    @Test func `a stored report has the same causes`() throws {
        let report = try report([[violation(.SYNC, 3, at: [1]), violation(.SYNC, 4, at: [1])]])
        let text = JSONReport(report).text
        let read = try ReportReader.report(Array(text.utf8), file: "report.json")
        #expect(read.causes == report.causes && JSONReport(read).text == text)
        #expect(try Sample.reportSchema().violations(in: JSONReport(report).value).isEmpty)
    }
}

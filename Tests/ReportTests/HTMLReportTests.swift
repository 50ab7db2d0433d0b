import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastTranscript
import Testing

@testable import HoldfastReport

/// The page for a browser: whole by itself, and nothing a subject said is more than text in it.
@Suite struct HTMLReportTests {
    private static let evil = "</script><img src=x onerror=alert(1)>\"'><!--]]>&lt;\u{2028}\u{202E}\u{0}\u{1B}[2J`x`"

    private func states() throws -> [(String, RunReport)] {
        [
            ("green", try States.green()), ("violated", try States.violated()), ("untested", try States.untested()),
            ("broken", try States.broken()), ("stale", try States.stale()), ("expected", try States.expected()),
            ("hostile", try hostile()),
        ]
    }

    private func pages() throws -> [(String, HTMLPageReader)] {
        var pages = try states().map { ($0, HTMLPageReader(HTMLReport($1).text)) }
        pages.append(("several", HTMLPageReader(try several())))
        return pages
    }

    private func several() throws -> String {
        HTMLReport(comparing: [
            .init("old/report.json", try States.green()), .init("new", try States.violated()),
            .init(Self.evil, try hostile()),
        ]).text
    }

    /// A run in which every text is as bad as it can be.
    private func hostile() throws -> RunReport {
        let evil = Self.evil
        let subject = History.Subject(name: evil, role: .server, profiles: [.core, .sync])
        let finding = Finding(evil, expected: evil, actual: evil, at: [1, 2])
        let events: [Event] = [
            .init(at: 0, lane: .connection("A"), kind: .opening(.init(principal: evil, path: evil))),
            .init(at: 1, lane: .connection("A"), kind: .text(.fromServer, "{\"type\":\"\(evil)\"}")),
            .init(at: 2, lane: .connection("A"), kind: .text(.fromServer, String(repeating: evil, count: 1_500))),
            .init(at: 3, lane: .connection("A"), kind: .close(.fromServer, code: 1, reason: evil)),
            .init(at: 4, lane: .exchange(1), kind: .request(.init(method: evil, path: evil, body: evil))),
            .init(
                at: 5, lane: .exchange(1),
                kind: .response(.init(status: 200, headers: [.init(name: evil, value: evil)], body: evil))),
            .init(at: 6, lane: .server, kind: .act(evil, ["x": .string(evil)])),
            .init(at: 7, lane: .server, kind: .wait(awaited: evil, met: false)),
            .init(at: 8, lane: .server, kind: .state(.string(evil))),
        ]
        let scenario = ScenarioResult(
            name: "server/SYNC/\(evil)",
            history: History(header: History.Header(subject: subject), events: events),
            verdicts: [
                Verdict(
                    clause: States.sync3, outcome: .violation, exercised: 1, findings: [finding, finding],
                    remarks: [evil])
            ], problems: [evil], stoppedAt: evil, failure: evil)
        let skipped = ScenarioResult(
            name: evil, history: History(header: History.Header(subject: subject), events: []), verdicts: [],
            skipped: evil)
        var report = RunReport(
            [scenario, skipped], of: subject, at: evil, under: try Sample.specification.get(),
            selection: [States.sync3, States.env1], intended: [scenario.name: [States.sync3]], startedAt: evil,
            duration: .seconds(1))
        report.rerun = RunReport.Rerun(evil, driver: evil)
        report.tool = evil
        report.diagnostics = [evil]
        return report
    }

    @Test func `what a subject says is text and nothing else`() throws {
        for (name, page) in try pages() {
            #expect(page.problems.isEmpty, "\(name): \(page.problems.prefix(3))")
            #expect(
                !page.source.unicodeScalars.contains {
                    $0.value < 0x20 && $0 != "\n" || (0x7F...0x9F).contains($0.value) || $0.value == 0x2028
                        || $0.value == 0x202E
                }, "\(name)")
            #expect(page.elements.count { $0.name == "script" } == 1, "\(name)")
            #expect(page.elements.count { $0.name == "style" } == 1, "\(name)")
            #expect(!page.elements.contains { ["img", "iframe", "link", "object"].contains($0.name) }, "\(name)")
            for element in page.elements {
                #expect(
                    !element.attributes.keys.contains { $0.hasPrefix("on") || ["style", "src"].contains($0) }, "\(name)"
                )
            }
        }
    }

    @Test func `the policy names the style and the script and allows nothing else`() throws {
        for (name, page) in try pages() {
            let policy = try #require(
                page.elements.first { $0.attributes["http-equiv"] == "Content-Security-Policy" }?.attributes["content"])
            #expect(policy.hasPrefix("default-src 'none'; "), "\(name)")
            #expect(!policy.contains("unsafe") && !policy.contains("*") && !policy.contains("http"), "\(name)")
            #expect(policy.contains("script-src '\(SHA256.source(of: page.raw("script")))'"), "\(name)")
            #expect(policy.contains("style-src '\(SHA256.source(of: page.raw("style")))'"), "\(name)")
        }
    }

    @Test func `every link leads to a place, and no place has two`() throws {
        for (name, page) in try pages() {
            let ids = page.elements.compactMap { $0.attributes["id"] }
            #expect(Set(ids).count == ids.count, "\(name): \(ids.filter { id in ids.count { $0 == id } > 1 })")
            for element in page.elements {
                if let link = element.attributes["href"] {
                    #expect(link.hasPrefix("#") && ids.contains(String(link.dropFirst())), "\(name): \(link)")
                }
                if let label = element.attributes["aria-labelledby"] {
                    #expect(ids.contains(label), "\(name): \(label)")
                }
            }
        }
    }

    @Test func `headings go down one step at a time, from one on top`() throws {
        for (name, page) in try pages() {
            let levels = page.elements.compactMap { element in
                element.name.count == 2 && element.name.hasPrefix("h") ? element.name.last?.wholeNumberValue : nil
            }
            #expect(levels.first == 1 && levels.count { $0 == 1 } == 1, "\(name)")
            #expect(zip(levels, levels.dropFirst()).allSatisfy { $1 <= $0 + 1 }, "\(name): \(levels)")
            for landmark in ["header", "nav", "main", "footer", "title"] {
                #expect(page.elements.count { $0.name == landmark } == 1, "\(name): \(landmark)")
            }
        }
    }

    @Test func `the verdict and the first violation stand on top, in words`() throws {
        let text = HTMLReport(try States.violated()).text
        let start = try #require(text.firstRange(of: "<body>"))
        let body = text[start.upperBound...]
        let verdict = try #require(body.firstRange(of: "Does not conform</h1>"))
        #expect(body.contains("1 of 2 applicable clauses is violated."))
        let card = try #require(body.firstRange(of: "id=\"SYNC-3\""))
        #expect(verdict.upperBound < card.lowerBound)
        for words in [
            "<dt>Expected</dt><dd>seq 1, 2 | all</dd>", "<dt>Actual</dt><dd>seq 2 ```</dd>",
            "✕ SYNC-3 is violated here",
            "<strong>MUST</strong>", "in <a class=\"name\" href=\"#scenario/server/SYNC/replay-after-cut\">",
        ] {
            #expect(body.contains(words), "\(words)")
        }
        #expect(HTMLReport(try States.green()).text.contains("Conforms</h1>"))
        #expect(!HTMLReport(try States.green()).text.contains("Findings"))
        #expect(HTMLReport(try States.untested()).text.contains("Incomplete</h1>"))
        #expect(HTMLReport(try States.broken()).text.contains("The suite failed</h1>"))
        #expect(HTMLReport(try States.stale()).text.contains("The baseline is stale</h1>"))
        #expect(HTMLReport(try States.expected()).text.contains("Conforms except for expected violations</h1>"))
    }

    @Test func `an expected violation says why, and until when`() throws {
        let text = HTMLReport(try States.expected()).text
        #expect(text.contains("Expected until 2026-12-31: the buffer is cut by count (https://tracker.example/412)"))
        #expect(text.contains("Violated as expected (baseline)"))
        #expect(!text.contains(">Violated <span"))
    }

    @Test func `the strength of the persistence proof is told, whatever it is`() throws {
        let persist = ClauseID(.PERSIST, 1)
        func report(_ verdict: Verdict) throws -> String {
            HTMLReport(
                try Sample.report([.init("server/PERSIST/x", [verdict])], profiles: [.core], selection: [persist])
            ).text
        }
        let proved = Verdict(
            clause: persist, outcome: .pass, exercised: 20, remarks: ["20 kills on the bytes of `done`"])
        #expect(try report(proved).contains("pass</span> 20 kills on the bytes of <code class=\"prose\">done</code>"))
        let none = Verdict(clause: persist, outcome: .untested, exercised: 0)
        #expect(try report(none).contains("no proof: "))
        #expect(!HTMLReport(try States.green()).text.contains("Persistence proof"))
    }

    @Test func `several reports stand side by side, and what differs is told`() throws {
        let page = HTMLPageReader(try several())
        #expect(page.source.contains("1 of 3 conform</h1>"))
        #expect(page.source.contains(">old</a></th>"))
        let row = try #require(page.elements.first { $0.attributes["id"] == "SYNC-3" })
        #expect(row.attributes["class"] == "item differs")
        #expect(page.elements.contains { $0.attributes["id"] == "r2.SYNC-3" })
        #expect(page.source.contains("<a href=\"#r2.SYNC-3\">"))
        let same = HTMLReport(comparing: [.init("a", try States.green()), .init("b", try States.green())]).text
        #expect(same.contains("2 of 2 conform</h1>") && same.contains("They agree on every clause."))
        #expect(HTMLReport(comparing: [.init("a", try States.green())]).text == HTMLReport(try States.green()).text)
    }

    @Test func `a doubt that another scenario removes alarms nobody`() throws {
        let doubt = States.verdict(States.sync3, .inconclusive)
        let proved = try Sample.report(
            [.init("server/SYNC/a", [doubt]), .init("server/SYNC/b", [States.verdict(States.sync3, .pass)])],
            selection: [States.sync3])
        let page = HTMLPageReader(HTMLReport(proved).text)
        let scenarios = page.elements.filter { $0.attributes["class"] == "item scenario" }
        #expect(scenarios.map { $0.attributes["data-v"] } == ["untested", "pass"])
        #expect(page.source.contains("It proves nothing for <a href=\"#SYNC-3\">SYNC-3</a>"))
        #expect(!page.source.contains("is inconclusive here"))
        let open = try Sample.report([.init("server/SYNC/a", [doubt])], selection: [States.sync3])
        #expect(HTMLReport(open).text.contains("? SYNC-3 is inconclusive here"))
    }

    @Test func `a violation of what is not applicable is none of this run`() throws {
        let report = try Sample.report(
            [.init("server/SYNC/a", [States.verdict(States.env1, .violation), States.verdict(States.sync3, .pass)])],
            selection: [States.sync3])
        let text = HTMLReport(report).text
        #expect(text.contains("Conforms</h1>") && !text.contains("is violated here"))
    }

    @Test func `long frames and long runs keep within bounds`() throws {
        let frame = "\"" + String(repeating: "x", count: 65_536) + "\""
        let events = (0..<300).map { Event(at: $0, lane: .connection("A"), kind: .text(.fromServer, frame)) }
        let header = History.Header(subject: Sample.subject([.core]))
        let scenario = ScenarioResult(
            name: "server/ENV/large", history: History(header: header, events: events),
            verdicts: [States.verdict(States.env1, .pass)])
        let report = RunReport(
            [scenario], of: Sample.subject([.core]), at: "", under: try Sample.specification.get(),
            selection: [States.env1], startedAt: "", duration: .zero)
        let text = HTMLReport(report).text
        #expect(text.utf8.count < 400_000)
        #expect(text.contains("cut: 600 characters of 65,538 bytes"))
    }

    @Test func `digests are those of the standard`() {
        #expect(SHA256.source(of: "") == "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
        #expect(SHA256.source(of: "abc") == "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
        // One block more than the padding of the first one leaves room for.
        #expect(
            SHA256.source(of: "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
                == "sha256-JI1qYdIGOLjlwCaTDD5gOaM85Flk/yFn9uzt1BnbBsE=")
    }

    @Test func `words between backticks are code, and one alone stays`() {
        #expect(Markup.prose("send `a<b` now") == "send <code class=\"prose\">a&lt;b</code> now")
        #expect(Markup.prose("one ` alone") == "one ` alone")
        #expect(Markup.prose("`a` and `") == "`a` and `")
    }
}

/// A page taken apart; strict, because what made it is ours.
private struct HTMLPageReader {
    struct Element {
        let name: String
        let attributes: [String: String]
    }

    let source: String
    private(set) var elements: [Element] = []
    private(set) var problems: [String] = []

    init(_ source: String) {
        self.source = source
        var rest = source[...]
        while let start = rest.firstIndex(of: "<") {
            rest = rest[rest.index(after: start)...]
            guard let end = rest.firstIndex(of: ">") else {
                problems.append("a tag does not end")
                break
            }
            let tag = rest[..<end]
            rest = rest[rest.index(after: end)...]
            if tag == "!doctype html" { continue }
            if tag.hasPrefix("/") {
                if !tag.dropFirst().allSatisfy({ $0.isLetter || $0.isNumber }) { problems.append("odd end tag \(tag)") }
                continue
            }
            guard let element = element(tag) else { continue }
            elements.append(element)
            // Style and script are no HTML; each ends at its end tag.
            if element.name == "style" || element.name == "script",
                let close = rest.firstRange(of: "</\(element.name)>")
            {
                rest = rest[close.upperBound...]
            }
        }
    }

    private mutating func element(_ tag: Substring) -> Element? {
        let name = String(tag.prefix { $0.isLetter || $0.isNumber })
        guard !name.isEmpty else {
            problems.append("odd tag \(tag.prefix(60))")
            return nil
        }
        var attributes: [String: String] = [:]
        var rest = tag.dropFirst(name.count)
        while !rest.isEmpty {
            rest = rest.drop { $0 == " " || $0 == "\n" }
            let key = String(rest.prefix { $0.isLetter || $0 == "-" })
            guard !key.isEmpty else {
                if !rest.isEmpty { problems.append("odd attribute in \(tag.prefix(100))") }
                break
            }
            rest = rest.dropFirst(key.count)
            guard rest.hasPrefix("=\"") else {
                attributes[key] = ""
                continue
            }
            rest = rest.dropFirst(2)
            guard let end = rest.firstIndex(of: "\"") else {
                problems.append("a value does not end in \(tag.prefix(100))")
                break
            }
            attributes[key] = String(rest[..<end])
            rest = rest[rest.index(after: end)...]
        }
        return Element(name: name, attributes: attributes)
    }

    /// What stands between the first start tag of a name and its end tag.
    func raw(_ name: String) -> String {
        guard let start = source.firstRange(of: "<\(name)>"),
            let end = source[start.upperBound...].firstRange(of: "</\(name)>")
        else { return "" }
        return String(source[start.upperBound..<end.lowerBound])
    }
}

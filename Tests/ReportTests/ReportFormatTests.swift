import Foundation
import Holdfast
import HoldfastJSON
import HoldfastJSONSchema
import HoldfastJudge
import HoldfastReport
import TestSupport
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Each format for each kind of run: the verdict first, then what nobody expects.
@Suite struct ReportFormatTests {
    private func text(_ format: ReportFormat, _ report: RunReport) -> String { format.text(of: report) }

    private func all() throws -> [(String, RunReport)] {
        [
            ("green", try States.green()), ("violated", try States.violated()), ("untested", try States.untested()),
            ("broken", try States.broken()), ("stale", try States.stale()), ("expected", try States.expected()),
        ]
    }

    // Of SARIF the members that come first are given.
    @Test(arguments: ReportFormat.allCases.filter { $0 != .sarif })
    func `the verdict stands in the first lines, and no control character anywhere`(format: ReportFormat) throws {
        for (name, report) in try all() {
            let text = text(format, report)
            let start = text.split(separator: "\n").prefix(4).joined(separator: "\n")
            #expect(start.contains(report.headline), "\(name)\n\(text)")
            #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x7F }, "\(name)")
            #expect(text.hasSuffix("\n"))
        }
    }

    @Test func `SARIF of each kind`() throws {
        for (name, report) in try all() {
            let run = try #require(try JSONParser.value(text(.sarif, report))["runs"]?[0], "\(name)")
            #expect(run["invocations"]?[0]?["exitCode"]?.intValue == Int(report.exit.rawValue), "\(name)")
            let rules = try #require(run["tool"]?["driver"]?["rules"]?.arrayValue)
            let results = run["results"]?.arrayValue ?? []
            #expect(results.isEmpty == (name == "green"), "\(name)")
            for result in results {
                #expect(rules[try #require(result["ruleIndex"]?.intValue)]["id"] == result["ruleId"])
                #expect(result["locations"]?[0]?["logicalLocations"]?[0]?["fullyQualifiedName"] != nil)
            }
            #expect((results.first?["suppressions"] != nil) == (name == "expected"), "\(name)")
        }
    }

    @Test func `TAP of each kind`() throws {
        #expect(
            text(.tap, try States.green()).hasPrefix("TAP version 14\n# conforms: 2 pass\n1..2\nok 1 - ENV-1 "))
        let violated = text(.tap, try States.violated())
        #expect(violated.contains("1..2\nnot ok 1 - SYNC-3 "))
        #expect(
            violated.contains("\n  ---\n  message: \"violated: complete is true, but ]]> & <b>\\\\u{1b}[2J"),
            "\(violated)")
        #expect(violated.contains("\nok 2 - ENV-1 "))
        #expect(text(.tap, try States.untested()).contains("not ok 1 - SYNC-3 "))
        #expect(text(.tap, try States.broken()).contains("message: \"suite failure: lost a frame\""))
        let stale = text(.tap, try States.stale())
        #expect(stale.contains("1..3\nnot ok 1 - baseline.json:4\n"), "\(stale)")
        #expect(
            text(.tap, try States.expected()).contains(" # TODO expected: the buffer is cut by count (until 2026-12-31")
        )
    }

    @Test func `annotations of each kind`() throws {
        #expect(text(.github, try States.green()) == "::notice title=Holdfast::conforms: 2 pass\n")
        let lines = text(.github, try States.violated()).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0] == "::error title=Holdfast::violation: 1 pass, 1 violated")
        #expect(lines[1].hasPrefix("::error title=SYNC-3 violation::violation SYNC-3 (MUST"), "\(lines)")
        #expect(lines[1].contains("%0A"))
        #expect(
            text(.github, try States.stale()).contains(
                "\n::error file=baseline.json,line=4,title=baseline.json%3A4 stale baseline::SYNC-3 in "))
        #expect(text(.github, try States.expected()).split(separator: "\n").count == 1)
        #expect(
            text(.github, try States.broken()).contains("::error title=server/SYNC/replay-after-cut suite failure::"))
    }

    @Test func `annotations keep within what is shown`() throws {
        let clauses = try Sample.specification.get().clauses.filter { $0.role == .server && $0.keyword == .must }.map(
            \.id)
        let report = try Sample.report(
            clauses.map { .init("a/\($0)", [States.verdict($0, .violation, repeated: 40)]) },
            profiles: Set(Profile.all(of: .server)))
        let lines = text(.github, report).split(separator: "\n")
        #expect(lines.count <= 20)
        #expect(lines.filter { $0.hasPrefix("::error") }.count == 10)
        #expect(lines.contains { $0.contains("title=and ") })
        #expect(text(.markdown, report).utf8.count <= 60_000)
        #expect(text(.markdown, report).contains("more in detail"))
    }

    @Test func `Markdown of each kind`() throws {
        #expect(
            text(.markdown, try States.green()).hasPrefix(
                "**conforms: 2 pass**\n\nsample at `ws://127.0.0.1:8080/ws`, "))
        let violated = text(.markdown, try States.violated())
        #expect(
            violated.contains("| **SYNC-3** | violation | complete is true, but \\]\\]&gt; &amp; &lt;b&gt;"),
            "\(violated)")
        #expect(violated.contains("<details><summary>SYNC-3 violation</summary>\n\n````text\n"), "\(violated)")
        let rows = violated.split(separator: "\n").filter { $0.hasPrefix("|") }
        #expect(!rows.contains { $0.contains("<b>") })
        #expect(violated.contains("| SYNC | 0 | 1 |"))
        #expect(text(.markdown, try States.untested()).contains("### Untested\n\n- 1 clause, although "))
        let expected = text(.markdown, try States.expected())
        #expect(
            expected.contains(
                "| SYNC-3 | `server/SYNC/replay-after-cut` | 1 of 1 | the buffer is cut by count https://tracker.example/412 | 2026-12-31 |"
            ),
            "\(expected)")
        #expect(text(.markdown, try States.stale()).contains("| **baseline.json:4** | stale baseline | "))
    }

    @Test func `every kind is a valid report for programs`() throws {
        let schema = try Sample.reportSchema()
        for (name, report) in try all() {
            let value = JSONReport(report).value
            #expect(schema.violations(in: value).map(\.description) == [], "\(name)")
            let text = text(.json, report)
            let read = try ReportReader.report(Array(text.utf8), file: "report.json")
            #expect(self.text(.json, read) == text, "\(name)")
            #expect(ConsoleReport(read).text == ConsoleReport(report).text, "\(name)")
        }
    }

    // MARK: JUnit

    @Test func `no JUnit suite takes longer than its run, whatever overlaps in it`() throws {
        let many = (0..<200).map { Sample.Scenario("\(States.null)-\($0)", [States.verdict(States.env1, .pass)]) }
        let text = text(.junit, try Sample.report(many, selection: [States.env1]))
        #expect(text.matches(of: /<testsuite .*time="(\d+\.\d+)"/).map(\.1) == ["1.234"], "\(text)")
    }

    @Test func `JUnit of each kind is read back with its counts`() throws {
        func read(_ report: RunReport, as format: ReportFormat = .junit) throws -> JUnit {
            let junit = JUnit()
            let parser = XMLParser(data: Data(text(format, report).utf8))
            parser.delegate = junit
            #expect(parser.parse(), "\(String(describing: parser.parserError))")
            #expect(junit.root["name"] == report.headline)
            // What the attributes say is what is there.
            for (attribute, element) in [("failures", "failure"), ("errors", "error"), ("skipped", "skipped")] {
                let count = junit.cases.count { $0.kind == element }
                // Jenkins' schema has no such attribute there.
                #expect(junit.root[attribute] == (attribute == "skipped" ? nil : String(count)))
                #expect(junit.suites.compactMap { $0[attribute].flatMap { Int($0) } }.reduce(0, +) == count)
            }
            #expect(junit.root["tests"] == String(junit.cases.count))
            #expect(junit.attributes.isSubset(of: ["name", "classname", "time"]))
            #expect(junit.suites.allSatisfy { $0["time"].flatMap(Double.init) != nil && $0["timestamp"] != nil })
            return junit
        }
        #expect(try read(States.green()).cases.map(\.kind) == ["", ""])
        let violated = try read(States.violated())
        #expect(violated.cases.map(\.kind) == ["failure", ""])
        #expect(violated.cases[0].name == "SYNC-3")
        #expect(violated.cases[0].message.hasPrefix("violated: complete is true, but ]]> & <b>\\u{1b}[2J is missing"))
        #expect(violated.texts[0].contains("expected: seq 1, 2 | all\n"), "\(violated.texts)")
        let untested = try read(States.untested())
        #expect(untested.cases.map(\.kind) == ["failure", ""])
        #expect(untested.cases[0].message.hasPrefix("untested: "))
        let lenient = try read(States.untested(), as: .junitLenient)
        #expect(lenient.cases.map(\.kind) == ["skipped", ""])
        #expect(lenient.cases[0].message == untested.cases[0].message)
        #expect(try read(States.violated(), as: .junitLenient).cases.map(\.kind) == ["failure", ""])
        let broken = try read(States.broken())
        #expect(broken.cases.map(\.kind) == ["error", "error", ""])
        let stale = try read(States.stale())
        #expect(stale.cases.map(\.kind) == ["failure", "", ""])
        #expect(stale.cases[0].suite == "baseline")
        let expected = try read(States.expected())
        #expect(expected.cases.map(\.kind) == ["", "skipped"])
        #expect(expected.cases[1].message.hasPrefix("expected: the buffer is cut by count (until 2026-12-31"))
        let undeclared = try read(
            Sample.report(
                [.init(States.null, [States.verdict(States.env1, .pass)])], profiles: [.core],
                selection: [States.env1, States.sync3]))
        #expect(undeclared.cases.map(\.kind) == ["", "skipped"])
    }
}

/// What a public parser makes of a document: the counts of its root, and each case with the element in it.
private final class JUnit: NSObject, XMLParserDelegate {
    var root: [String: String] = [:]
    var suites: [[String: String]] = []
    var cases: [(suite: String, name: String, kind: String, message: String)] = []
    /// The attributes of all cases.
    var attributes: Set<String> = []
    var texts: [String] = []
    private var text = ""

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        text = ""
        switch element {
        case "testsuites": root = attributes
        case "testsuite": suites.append(attributes)
        case "testcase":
            self.attributes.formUnion(attributes.keys)
            cases.append((suites.last?["name"] ?? "", attributes["name"] ?? "", "", ""))
        default:
            cases[cases.count - 1].kind = element
            cases[cases.count - 1].message = attributes["message"] ?? ""
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(_ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?) {
        if element == "failure" || element == "error" { texts.append(text) }
    }
}

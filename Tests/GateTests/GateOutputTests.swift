import Foundation
import Holdfast
import HoldfastJSON
import HoldfastJSONSchema
import HoldfastReport
import TestSupport
import Testing

@testable import HoldfastGate
@testable import HoldfastSchemaDiff

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite struct GateOutputTests {
    /// One change that breaks, one that is waived, one of words.
    private func report() async throws -> GateReport {
        var edit = Edit {
            $0.edit("A server MUST send the", by: "A server SHOULD send the", in: "Spec/clauses/ORDER.md")
            $0.edit("answer within 30 s", by: "answer within 20 s", in: "Spec/clauses/RATE.md")
            $0.edit(#"["calm", "cross"]"#, by: #"["cross"]"#, in: "Spec/schemas/messages/chat.json")
            $0.files["Spec/README.md"] = "# <Read & me>\n"
        }
        let weakened = try #require(
            try await edit.report().entries.first { $0.finding.rule == "clause-weakened" }
        ).finding
        edit.options.waivers = try Waivers(
            """
            {"format":"holdfast-gate-waivers","version":1,"waivers":[
              {"fingerprint":"\(weakened.fingerprint)","reason":"a & b < c","expires":"2027-01-01"}]}
            """, file: "w.json", today: Edit.today)
        return try await edit.report()
    }

    @Test func `the report for machines passes its schema`() async throws {
        let value = GateJSONReport(report: try await report()).value
        let file = "Spec/schemas/files/gate-report.json"
        var registry = SchemaRegistry()
        try registry.add(JSONParser.value(SourceTree.text(file)), at: "https://holdfast.example/gate-report.json")
        let id = "https://holdfast.example/spec/1/schemas/files/gate-report.json"
        let violations = try Schema(uri: id, registry: registry).violations(in: value)
        #expect(violations.isEmpty, "\(violations)")
        #expect(value["passes"] == false)
        #expect(value["findings"]?[0]?["fails"] == true)
    }

    @Test func `JUnit reads back with as many cases, failures and skipped ones`() async throws {
        let report = try await report()
        let counter = Counter()
        let parser = XMLParser(data: Data(GateJUnitReport(report: report).text.utf8))
        parser.delegate = counter
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        #expect(counter.elements["testcase"] == report.heads.count)
        #expect(counter.elements["failure"] == report.heads.count(where: \.fails))
        #expect(counter.elements["skipped"] == 1)
        #expect(counter.suite["tests"] == "\(report.heads.count)")
        #expect(counter.suite["failures"] == "\(report.heads.count(where: \.fails))")
        #expect(counter.suite["skipped"] == "1")
        #expect(counter.suite["name"] == "protocol gate")
        #expect(counter.members["testsuites"] == ["name", "tests", "failures", "errors", "time"])
        #expect(
            counter.names.allSatisfy { $0.contains(" ") && $0.hasSuffix(")") && !$0.contains("\n") }, "\(counter.names)"
        )
        #expect(counter.members["testcase"] == ["classname", "name", "time"])
    }

    @Test func `without a finding there is one case, which passes`() async throws {
        let counter = Counter()
        let parser = XMLParser(data: Data(GateJUnitReport(report: try await Edit().report()).text.utf8))
        parser.delegate = counter
        #expect(parser.parse())
        #expect(counter.elements["testcase"] == 1)
        #expect(counter.elements["failure"] == nil)
    }

    @Test func `annotations say the verdict first and mark the lines`() async throws {
        let report = try await report()
        let lines = GateAnnotations(report: report).text.split(separator: "\n")
        #expect(lines[0].hasPrefix("::error title=protocol gate failed::NOT COMPATIBLE: old → new"))
        #expect(lines.count { $0.hasPrefix("::error") } == report.heads.count(where: \.fails) + 1)
        #expect(
            lines.contains {
                $0.hasPrefix("::error file=Fixtures/")
                    || $0.hasPrefix("::error file=Spec/schemas/messages/chat.json,line=")
            })
    }

    @Test func `SARIF has the members that readers of 2.1.0 need`() async throws {
        let report = try await report()
        let log = GateSARIFReport(report: report).value
        #expect(log["version"] == "2.1.0")
        let run = try #require(log["runs"]?[0])
        let rules = try #require(run["tool"]?["driver"]?["rules"]?.arrayValue)
        let results = try #require(run["results"]?.arrayValue)
        #expect(results.count == report.heads.count)
        for result in results {
            let index = try #require(result["ruleIndex"]?.intValue)
            #expect(rules[index]["id"] == result["ruleId"])
            #expect(["error", "warning", "note"].contains(result["level"]?.stringValue))
            #expect(result["message"]?["text"]?.stringValue?.isEmpty == false)
            let place = result["locations"]?[0]?["physicalLocation"]
            #expect(place?["artifactLocation"]?["uri"]?.stringValue?.contains(" ") == false)
            #expect((place?["region"]?["startLine"]?.intValue ?? 0) > 0)
            #expect(result["partialFingerprints"]?["holdfastGate/v1"]?.stringValue?.count == 16)
        }
        #expect(results.count { $0["suppressions"] != nil } == 1)
        #expect(results.count { $0["level"] == "error" } == report.heads.count(where: \.fails))
    }

    @Test func `the changelog reads as one would write it`() async throws {
        let report = try await Edit {
            $0.edit("A server MUST send the", by: "A server SHOULD send the", in: "Spec/clauses/ORDER.md")
            $0.edit("answer within 30 s", by: "answer within 20 s", in: "Spec/clauses/RATE.md")
        }.report()
        #expect(
            GateMarkdown(report: report).text == """
                **NOT COMPATIBLE: old → new, version 1.0: 1 breaking change for clients; 2 versioning rules broken**

                ## 2.0 (is 1.0)

                ### Breaking

                - ORDER-3 is now a SHOULD, was a MUST. **Clients must act**: clients could rely on it, and new servers do not have to do it.

                ### Protocol

                - RATE-2 now says 20 s, said 30 s. No peer has to act.

                ### To fix

                - `changelog-missing`: the new lines of CHANGELOG.md do not name ORDER-3, RATE-2 (`CHANGELOG.md:1`)
                - `breaking-without-major`: 1 change breaks peers, so the version must be 2.0 and is 1.0 (`Spec/version.json:1`)

                """)
    }

    @Test func `Markdown keeps words as they are and lets no tag through`() async throws {
        let text = GateMarkdown(
            report: try await Edit {
                $0.edit(
                    "in strictly rising order on each connection.",
                    by: "in strictly rising order, see ../x and <img src=x>, on each connection.",
                    in: "Spec/clauses/ORDER.md")
            }.report()
        ).text
        #expect(text.contains("../x"))
        #expect(text.contains("&lt;img src=x&gt;"))
        #expect(!text.contains("<img"))
        #expect(!text.contains("connection.."))
    }

    @Test(arguments: [
        ("`a<b` < c", "`a<b` &lt; c"), ("a ` <b>", "a \\` &lt;b&gt;"), ("`` <b> ``", "\\`\\` &lt;b&gt; \\`\\`"),
        ("[x](y) @me", "\\[x\\](y) &#64;me"),
    ])
    func `only what stands between two code marks is left as it is`(text: String, shown: String) {
        #expect(GateMarkdown.escaped(text) == shown)
    }

    @Test func `a terminal shows the verdict, then what fails, and ends with the code`() async throws {
        let report = try await report()
        let lines = GateConsoleReport(report, style: ConsoleStyle()).text.split(separator: "\n")
        #expect(lines.first.map(String.init) == report.headline)
        #expect(lines.dropFirst().first == "Fails")
        #expect(lines.last == "exit 1: not compatible")
        #expect(lines.contains { $0.contains("breaks: clients") })
        #expect(lines.contains { $0.contains("waived until 2027-01-01: a & b < c") })
    }
}

/// Counts elements, and keeps what the suite says about itself.
private final class Counter: NSObject, XMLParserDelegate {
    var elements: [String: Int] = [:]
    var suite: [String: String] = [:]
    /// What the cases are called.
    var names: [String] = []
    /// The attributes of elements, by their name.
    var members: [String: Set<String>] = [:]

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        elements[name, default: 0] += 1
        members[name, default: []].formUnion(attributes.keys)
        if name == "testcase", let title = attributes["name"] { names.append(title) }
        if name == "testsuite" { suite = attributes }
    }
}

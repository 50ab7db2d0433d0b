import Foundation
import Holdfast
import TestSupport
import Testing

@testable import HoldfastSite

@Suite struct SiteTests {
    private static let built = Result { () throws -> [String: String] in
        let folder = SourceTree.root + "/Fixtures/"
        var files = try SourceTree.specification().files
        files.texts["fixtures/index.json"] = try SourceTree.text("Fixtures/index.json")
        var texts: [String: String] = [:]
        for fixture in try FixtureIndex(files).entries {
            texts[fixture.file] = try? String(contentsOfFile: folder + fixture.file, encoding: .utf8)
        }
        let defect = Site.Defect(clause: ClauseID(.SYNC, 3), name: "sync-skips", summary: "Replays no `toolUse`.")
        var pages = ["report.png": "data:image/png;base64,AA=="]
        let guides = SourceTree.root + "/Sources/conformance/Documentation.docc/"
        for name in try FileManager.default.contentsOfDirectory(atPath: guides) where name.hasSuffix(".md") {
            pages[name] = try String(contentsOfFile: guides + name, encoding: .utf8)
        }
        return try Site(Specification(files), fixtureTexts: texts, toolPages: pages, defects: [defect]).files()
    }

    @Test func `every link of every page leads to a page and an anchor that are there`() throws {
        let files = try Self.built.get()
        #expect(files.count > 60)
        var anchors: [String: Set<Substring>] = [:]
        for (page, text) in files where page.hasSuffix(".html") {
            let ids = text.matches(of: /\bid="([^"]*)"/).map(\.1)
            anchors[page] = Set(ids)
            #expect(Set(ids).count == ids.count, "an anchor of \(page) is there twice")
        }
        var count = 0
        for (page, text) in files where page.hasSuffix(".html") {
            for address in text.matches(of: /(?:href|src)="([^"]*)"/).map(\.1)
            where !address.hasPrefix("https://") && !address.hasPrefix("data:") {
                count += 1
                let parts = address.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let target = parts[0].isEmpty ? page : LinkResolver.joined(String(parts[0]), to: page)
                guard files[target] != nil else {
                    Issue.record("\(page): \(address)")
                    continue
                }
                if parts.count == 2 { #expect(anchors[target]?.contains(parts[1]) == true, "\(page): \(address)") }
            }
        }
        #expect(count > 5_000)
    }

    @Test func `the pages about the program are among them, linked to the specification, and found`() throws {
        let files = try Self.built.get()
        let page = try #require(files["tool/ReportsAndBaselines.html"])
        #expect(page.contains(#"<img src="data:image/png;base64,AA==""#))
        #expect(page.contains(#"href="../schemas/files/transcript-event.html""#))
        #expect(page.contains(#"aria-current="page">Reports and baselines"#))
        #expect(files["index.html"]?.contains(#"<a href="tool/TestAServer.html">Test a server</a>"#) == true)
        let search = try #require(files["search.js"])
        for entry in ["tool/Commands.html#exit-codes", "tool/MockServer.html#"] {
            #expect(search.contains(entry), "\(entry)")
        }
        for (page, text) in files where page.hasPrefix("tool/") {
            #expect(!text.contains("../../../"), "\(page)")
        }
    }

    @Test func `every clause has its section with reason, judging, scenarios and fixtures`() throws {
        let files = try Self.built.get()
        for clause in try SourceTree.specification().clauses {
            let page = try #require(files["clauses/\(clause.id.area.rawValue).html"])
            #expect(page.contains("<section id=\"\(clause.id)\""))
        }
        let page = try #require(files["clauses/SYNC.html"])
        let start = try #require(page.firstRange(of: "<section id=\"SYNC-3\""))
        let section = page[start.lowerBound...].prefix { _ in true }.split(separator: "</section>")[0]
        for part in [
            "How it is judged", "Known bugs in the wild", "Scenarios", "Fixtures", "sync-skips", "server/SYNC/",
            "SYNC-3-",
        ] {
            #expect(section.contains(part), "\(part)")
        }
    }

    @Test func `no page asks for anything from elsewhere or runs what a file says`() throws {
        for (page, text) in try Self.built.get() where page.hasSuffix(".html") {
            #expect(
                text.matches(of: /<(?:script|link|img|iframe)[^>]*(?:src|href)="(?:https?:|\/\/)/).isEmpty, "\(page)")
            #expect(text.matches(of: /<script(?! src="[.\/]*search\.js")/).isEmpty, "\(page)")
        }
    }

    @Test(arguments: ["messages", "openapi"])
    func `the bundles in the tree are those of the schemas`(name: String) throws {
        let text = try #require(try Self.built.get()["bundle/\(name).json"])
        try Golden.check(text, against: "Spec/bundle/\(name).json")
    }

    @Test func `tags are closed in order`() throws {
        let empty: Set<Substring> = ["meta", "link", "input", "img", "path", "line", "rect", "br"]
        for (page, text) in try Self.built.get() where page.hasSuffix(".html") {
            var open: [Substring] = []
            for match in text.matches(of: /<(\/?)([a-z0-9]+)[^>]*>/) {
                let name = match.2
                if empty.contains(name) { continue }
                if match.1.isEmpty {
                    open.append(name)
                } else if open.popLast() != name {
                    Issue.record("\(page): </\(name)> at \(text[match.range.lowerBound...].prefix(60))")
                    break
                }
            }
            #expect(open.isEmpty, "\(page): \(open)")
        }
    }

    @Test func `the drawings of the flows are drawings`() throws {
        let flows = try #require(try Self.built.get()["chapters/10-flows.html"])
        #expect(flows.ranges(of: "<svg").count == 7)
        #expect(!flows.contains("sequenceDiagram"))
        #expect(flows.contains("phone to server: chat{clientMessageId: c1}"))
    }

    @Test func `text that looks like HTML stays text`() throws {
        var files = try SourceTree.specification().files
        files.texts["fixtures/index.json"] = """
            {"messages": [{"file": "messages/chat/valid/x.json", "verdict": "valid", "why": "<script>1</script>"}]}
            """
        let evil = "</code></pre><script>alert(1)</script>"
        let built = try Site(Specification(files), fixtureTexts: ["messages/chat/valid/x.json": evil]).files()
        let page = try #require(built["fixtures/messages-chat.html"])
        #expect(!page.contains("<script>"))
        #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
    }

    @Test func `a link that leads nowhere is refused with its line`() throws {
        var files = try SourceTree.specification().files
        files.texts["fixtures/index.json"] = "{}"
        files.texts["trace.md"] = "# Trace\n\nsee [x](chapters/10-flow.md) and [y](clauses/SYNC.md#sync-99)\n"
        do {
            _ = try Site(Specification(files)).files()
            Issue.record("nothing was refused")
        } catch {
            let words = error.problems.map(\.description)
            #expect(words.count == 2)
            #expect(words.first?.hasPrefix("Spec/trace.md:3:1: the link 'chapters/10-flow.md' is broken") == true)
            #expect(words.first?.contains("did you mean 'chapters/10-flows.md'?") == true)
        }
    }
}

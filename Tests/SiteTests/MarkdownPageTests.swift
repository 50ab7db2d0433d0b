import Holdfast
import HoldfastSite
import Testing

@Suite struct MarkdownPageTests {
    private func blocks(_ text: String) throws -> [MarkdownBlock] {
        try MarkdownPage(text, file: "page.md").blocks.map(\.block)
    }

    private func refusal(_ text: String) -> String? {
        do {
            _ = try MarkdownPage(text, file: "page.md")
            return nil
        } catch {
            return error.problems.map(\.description).joined(separator: "\n")
        }
    }

    @Test func `a paragraph goes on over lines`() throws {
        #expect(try blocks("one\ntwo\n\nthree\n") == [.paragraph([.text("one two")]), .paragraph([.text("three")])])
    }

    @Test func `code and stress stand side by side`() throws {
        #expect(
            try blocks("a `b*c` *d* **e `f`** g")
                == [
                    .paragraph([
                        .text("a "), .code("b*c"), .text(" "), .emphasis([.text("d")]), .text(" "),
                        .strong([.text("e "), .code("f")]), .text(" g"),
                    ])
                ])
    }

    @Test func `code between two backticks holds one`() throws {
        #expect(try blocks("`` `x` ``") == [.paragraph([.code("`x`")])])
    }

    @Test func `a link is found by its definition`() throws {
        #expect(
            try blocks("see [A-1], [b](c.md#d)\n\n[A-1]: x.md#y\n")
                == [
                    .paragraph([
                        .text("see "), .link(text: [.text("A-1")], destination: "x.md#y"), .text(", "),
                        .link(text: [.text("b")], destination: "c.md#d"),
                    ])
                ])
    }

    @Test func `brackets without a definition are text`() throws {
        #expect(try blocks("missed: [done]") == [.paragraph([.text("missed: [done]")])])
    }

    @Test func `a number at the start of a line is no list`() throws {
        #expect(try blocks("greater than\n0. And so on") == [.paragraph([.text("greater than 0. And so on")])])
    }

    @Test func `lists hold points of several lines`() throws {
        #expect(
            try blocks("* a\n  b\n* c\n\n1. d\n   e\n2. f")
                == [
                    .list(ordered: false, [[.text("a b")], [.text("c")]]),
                    .list(ordered: true, [[.text("d e")], [.text("f")]]),
                ])
    }

    @Test func `a bar in a cell is escaped`() throws {
        #expect(
            try blocks("| a | b |\n|---|---|\n| `x \\| y` | z |")
                == [
                    .table(header: [[.text("a")], [.text("b")]], rows: [[[.code("x | y")], [.text("z")]]])
                ])
    }

    @Test func `a fence holds anything`() throws {
        #expect(try blocks("```json\n{\n\n# <b>\n```") == [.code(language: "json", "{\n\n# <b>")])
    }

    @Test func `headings get anchors, and equal ones numbers`() throws {
        let page = try MarkdownPage("# A: b, `c`!\n\n## X · y-z\n\n## X · y-z\n", file: "page.md")
        #expect(page.anchors == ["a-b-c", "x--y-z", "x--y-z-1"])
        #expect(page.title == "A: b, c!")
    }

    @Test(arguments: [
        ("<b>x</b>", "HTML"), ("    code", "begins with a space"), ("x\n---\n", "reads"), ("***", "across"),
        ("* a\n  * b", "more than one paragraph"), ("| a |\n|---|\n| b | c |", "2 cells"), ("```\nx", "not closed"),
        ("a *b", "not closed"), ("a `b", "not closed"), ("a _b_", "'_'"), ("a &amp; b", "name of a character"),
        ("see [SYNC-3]", "not defined"), ("| a |\n| b |", "no line below"), ("##### x", "not a heading"),
        ("a <b> c", "begins HTML"), ("1. a\n3. b", "must be separated"), ("a  \nb", "forced break"),
    ])
    func `what is outside of the subset is refused with its line`(text: String, word: String) throws {
        if word == "reads" {
            // A line across the page after text would make a heading of it elsewhere.
            #expect(refusal("x\n\n---\n")?.contains("page.md:3:1") == true)
            return
        }
        let problem = try #require(refusal(text), "\(text)")
        #expect(problem.hasPrefix("page.md:"))
        #expect(problem.contains(word), "\(problem)")
    }
}

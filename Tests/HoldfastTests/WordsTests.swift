import Foundation
import TestSupport
import Testing

/// Words that readers had to read twice, and that must not come back into what is printed, into pages or the README.
@Suite struct WordsTests {
    /// Each with what to write instead.
    private static let unwanted = [
        "kept wherever it shows": "passed", "nothing violated: ": "no violations; ",
        "clauses, and exercised": "can be checked",
        "had too little time": "machine overloaded", "bounds lasted": "timeouts were extended",
        "asked to be left out": "skipped (--flag)", "it is not said": "no … given",
        "Whom does": "Is this change breaking?",
        "its last day": "its expiry date", "and a last day": "and an expiry date",
        "told budget": "advertised rate limit",
        "the driver has no ": "the driver does not support …",
        "honest gap": "explicit gap", "all roads": "all transports", "other roads": "other transports",
        "both roads": "both transports", "'crashes": "'is no number of", "left aside in": "skipped in",
        "principals were lent": "principals were assigned",
    ]

    /// The same for what is printed and for pages; comments in sources may hold them.
    private static let unprinted = [
        "may be given several times": "Repeatable.", "unless said otherwise": "Default: …",
        "unless told otherwise": "Default: …", "taken apart as a shell": "quotes work as in a shell",
        "name another one": "choose another one", "leave one of them out": "remove one of them",
        "leave out all but one": "keep one and remove the others", "nobody is there": "say what is missing",
        "nothing stands in the way": "ready", "told apart": "listed separately", "took no connection": "accepted no …",
        "put to the test": "exercised", "What was found": "Findings", "Made to exercise": "Exercises",
        "come to the same": "agree", "comes along": "is included", "came along": "is built in",
        "set-up": "setup", "in doubt": "inconclusive", "are no verdicts": "are not verdicts",
        "nothing was broken": "no violations", "nobody else is lent": "is assigned", "principals were lent": "assigned",
        "it is not told": "no … given", "is told by its": "is recognized by its", "so long;": "this long;",
        " is no number": "is not a number", "' is no ": "is not a", "obey scripts": "follow scripts",
        "obeys scripts": "follows scripts", "looked at with": "checked with", "which has to ": "which must",
        "clauses in question": "applicable clauses", "time(s)": "times(count)", "not performed": "skipped",
        "for its rate": "rate-limited", "without a word": "silently, or without a close frame",
        "was not refused as such": "was not refused with CODE", "was greeted": "received connected",
        "longer than the patience": "exceeds --patience",
        "someone has to ": "someone must", "binds nobody": "binds no peer", "an own ": "a … of its own",
        "suite holds": "selftest passed", "\"harness: ": "suite failure: ", "judged right": "judged correctly",
    ]

    /// Names that pages used beside the one of the glossary, which stands at the right.
    private static let otherNames = [
        "cursor": "position", "known failure": "expected violation", "harness error": "suite failure",
        "told of": "say who tells whom", "idempotency key": "key",
    ]

    /// The pages for users and contributors.
    private static let pages: [String] = {
        let guides = "Sources/conformance/Documentation.docc"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(SourceTree.root)/\(guides)")) ?? []
        return ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "Spec/README.md"]
            + names.filter { $0.hasSuffix(".md") }.sorted().map { "\(guides)/\($0)" }
    }()

    /// What people read: the pages, and the texts in sources.
    private static let files: [String] = {
        let root = URL(fileURLWithPath: SourceTree.root)
        let found = FileManager.default.enumerator(
            at: root.appendingPathComponent("Sources"), includingPropertiesForKeys: nil)
        let sources = (found?.allObjects ?? []).compactMap { ($0 as? URL)?.path }
            .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".md") || $0.hasSuffix(".js") || $0.hasSuffix(".html") }
        return sources
            + ["README.md", "CONTRIBUTING.md", "Spec/README.md", "Spec/symptoms.md", "Spec/glossary.md"].map {
                "\(SourceTree.root)/\($0)"
            }
    }()

    private static func withoutComments(_ text: String) -> String {
        text.split(separator: "\n").filter { line in !line.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
    }

    @Test func `words that had to be read twice do not come back`() throws {
        #expect(Self.files.count > 400)
        for file in Self.files {
            let text = try String(contentsOfFile: file, encoding: .utf8)
            let name = file.dropFirst(SourceTree.root.count + 1)
            for (word, instead) in Self.unwanted where text.contains(word) {
                Issue.record("\(name): '\(word)', write '\(instead)'")
            }
            let printed = name.hasSuffix(".swift") ? Self.withoutComments(text) : text
            for (word, instead) in Self.unprinted where printed.contains(word) {
                Issue.record("\(name): '\(word)', write '\(instead)'")
            }
        }
    }

    @Test func `one thing has one name in pages`() throws {
        #expect(Self.pages.count > 20)
        for page in Self.pages {
            let text = try SourceTree.text(page).lowercased()
            for (name, instead) in Self.otherNames where text.contains(name) {
                Issue.record("\(page): '\(name)', write '\(instead)'")
            }
        }
    }

    /// A relative clause as a subject has to be read twice.
    @Test func `sentences of pages begin with their subject`() throws {
        let headless = /(?:^|[.;:!] |\* )(?:What|Who|Whom|Whoever|Whatever|Of what) [^?]*[.;]/
        for page in Self.pages + ["Spec/glossary.md", "Spec/symptoms.md"] {
            let lines = try SourceTree.text(page).split(separator: "\n", omittingEmptySubsequences: false)
            for (number, line) in lines.enumerated() {
                guard let match = line.firstMatch(of: headless) else { continue }
                Issue.record("\(page):\(number + 1): '\(match.0)'")
            }
        }
    }
}

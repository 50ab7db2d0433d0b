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
        "honest gap": "explicit gap", "all roads": "all transports", "other roads": "other transports",
        "both roads": "both transports", "'crashes": "'is no number of", "left aside in": "skipped in",
        "principals were lent": "principals were assigned",
    ]

    /// What people read: the pages, and the texts in sources.
    private static let files: [String] = {
        let root = URL(fileURLWithPath: SourceTree.root)
        let found = FileManager.default.enumerator(
            at: root.appendingPathComponent("Sources"), includingPropertiesForKeys: nil)
        let sources = (found?.allObjects ?? []).compactMap { ($0 as? URL)?.path }
            .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".md") || $0.hasSuffix(".js") || $0.hasSuffix(".html") }
        return sources
            + ["README.md", "CONTRIBUTING.md", "Spec/README.md", "Spec/symptoms.md"].map { "\(SourceTree.root)/\($0)" }
    }()

    @Test func `words that had to be read twice do not come back`() throws {
        #expect(Self.files.count > 400)
        for file in Self.files {
            let text = try String(contentsOfFile: file, encoding: .utf8)
            for (word, instead) in Self.unwanted where text.contains(word) {
                Issue.record("\(file.dropFirst(SourceTree.root.count + 1)): '\(word)', write '\(instead)'")
            }
        }
    }
}

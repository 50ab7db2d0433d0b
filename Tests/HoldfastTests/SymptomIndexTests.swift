import TestSupport
import Testing

@testable import Holdfast

/// The one table that leads from what people see to the clauses: everything that it names exists.
@Suite struct SymptomIndexTests {
    private static let specification = Result { try SourceTree.specification() }

    private var entries: [SymptomIndex.Entry] {
        get throws { SymptomIndex(try Self.specification.get().files).entries }
    }

    @Test func `every clause and page exists`() throws {
        let specification = try Self.specification.get()
        #expect(try entries.count > 20)
        for entry in try entries {
            for name in entry.clauses {
                #expect(ClauseID(name).flatMap { specification[$0] } != nil, "\(entry.title): \(name)")
            }
            #expect(specification.files.texts[entry.page.file] != nil, "\(entry.title): \(entry.page)")
            #expect(!entry.text.isEmpty && !entry.words.isEmpty, "\(entry.title)")
        }
    }

    @Test func `no word leads two ways`() throws {
        let words = try entries.flatMap(\.words).map { $0.lowercased() }
        #expect(Set(words).count == words.count)
    }

    @Test(arguments: [
        "duplicate", "spinner", "lost", "reconnect", "backoff", "retry", "resend", "ack", "seq", "turnId", "sessionId",
        "tier", "dialect", "untested", "gap", "silence",
    ])
    func `what people type is found`(word: String) throws {
        #expect(SymptomIndex(try Self.specification.get().files).entries(for: word).count == 1)
    }

    @Test func `a part of a title is found too`() throws {
        let index = SymptomIndex(try Self.specification.get().files)
        #expect(index.entries(for: "wrong conv").map(\.title) == ["The answer is in the wrong conversation"])
        #expect(index.entries(for: "no such thing").isEmpty)
    }
}

import TestSupport
import Testing

@Suite struct HelpTests {
    @Test(arguments: [[], ["--help"]])
    func `help fits a screen and shows the exit codes`(words: [String]) async throws {
        let run = try await BuiltBinary.run(words)
        #expect(run.status == 0)
        #expect(run.out.split(separator: "\n", omittingEmptySubsequences: false).dropLast().count <= 24)
        #expect(run.out.contains("0 conforms · 1 violation · 2 incomplete"))
    }

    @Test func `list prints how many clauses are pending`() async throws {
        let run = try await BuiltBinary.run(["list"])
        #expect(run.status == 0)
        #expect(run.out.contains("SYNC-3"))
        #expect(run.out.contains(" pending, "))
    }

    @Test func `explain shows sentence, reason and scenarios`() async throws {
        let run = try await BuiltBinary.run(["explain", "SYNC-3"])
        #expect(run.status == 0)
        for part in ["MUST", "Why", "How it is judged", "Scenarios", "Fixtures", "Spec/clauses/SYNC.md"] {
            #expect(run.out.contains(part), "\(part)")
        }
        #expect(!run.out.contains("\u{1B}"))
    }
}

import Holdfast
import TestSupport
import Testing

@Suite struct ClauseReaderTests {
    private let sound = """
        # SYNC: replay

        Words of introduction, with a MUST that binds nobody.

        ### SYNC-3 · server · sync
        A server MUST set `complete` to true only when `missed` holds
        every frame.
        Why: a trimmed buffer looks whole (seed 004, line 487).
        Judged from: each `syncResult`,
        against what was shown.
        Capture: frames, request bodies.
        From: R24, seed 004 line 487. Since: 1.0.

        A note that is no part of the clause, with a SHOULD.

        ### ORDER-3 · server · sync
        A server MAY leave numbers unused.
        Why: filters.
        Judged from: nothing.
        Excluded: a permission.
        From: R27. Since: 1.1.
        """

    private func problems(_ text: String) -> [String] {
        inputProblems(of: try ClauseReader.clauses(in: text, file: "clauses/SYNC.md")).map(\.description)
    }

    private func clause(
        heading: String = "### SYNC-3 · server · sync", sentence: String = "A server MUST answer.",
        rest: String = "Why: it helps.\nJudged from: frames.\nCapture: any.\nFrom: R24. Since: 1.0."
    ) -> String {
        "\(heading)\n\(sentence)\n\(rest)\n"
    }

    @Test func `a chapter gives its clauses in order`() throws {
        let clauses = try ClauseReader.clauses(in: sound, file: "clauses/SYNC.md")
        #expect(clauses.map(\.id.description) == ["SYNC-3", "ORDER-3"])
        let first = try #require(clauses.first)
        #expect(first.sentence == "A server MUST set `complete` to true only when `missed` holds every frame.")
        #expect(first.why == "a trimmed buffer looks whole (seed 004, line 487).")
        #expect(first.judgedFrom == "each `syncResult`, against what was shown.")
        #expect(first.captureNeeds == [.frames, .requestBodies])
        #expect(clauses.last?.captureNeeds == nil)
        #expect(first.sources == ["R24", "seed 004 line 487"])
        #expect(first.since == "1.0")
        #expect(first.keyword == .must)
        #expect(first.profile == .sync)
        #expect(first.exclusion == nil)
        #expect(first.file == "clauses/SYNC.md")
        #expect(first.line == 5)
        #expect(clauses.last?.exclusion == "a permission.")
    }

    @Test func `MUST NOT and SHOULD NOT are keywords of their own`() throws {
        let forbidden = try ClauseReader.clauses(in: clause(sentence: "A server MUST NOT lie."), file: "f")
        #expect(forbidden.map(\.keyword) == [.mustNot])
        let discouraged = try ClauseReader.clauses(in: clause(sentence: "A server SHOULD NOT wait."), file: "f")
        #expect(discouraged.map(\.keyword) == [.shouldNot])
        #expect(Keyword.mustNot.isRequirement)
        #expect(!Keyword.shouldNot.isRequirement)
    }

    @Test func `a chapter without clauses is a problem`() {
        #expect(
            problems("# SYNC\n\nNothing yet.") == [
                """
                Spec/clauses/SYNC.md:1:1: no clause found
                  expected: headings such as '### SYNC-3 · server · sync'
                  fix: add one
                """
            ])
    }

    @Test func `a heading that is none is a problem`() {
        for heading in [
            "SYNC-03 · server · sync", "SYNK-3 · server · sync", "SYNC-3 · proxy · sync", "SYNC-3 · server",
        ] {
            #expect(
                problems(clause(heading: "### \(heading)")) == [
                    """
                    Spec/clauses/SYNC.md:1:1: '\(heading)' is not a clause heading
                      expected: '### AREA-n · server|client · profile'
                      fix: correct the heading
                    """
                ])
        }
    }

    @Test func `a profile of the other side is a problem`() {
        #expect(
            problems(clause(heading: "### SYNC-3 · client · sync")) == [
                """
                Spec/clauses/SYNC.md:1:1: SYNC-3 binds the client but names profile 'sync'
                  expected: a profile of that side
                  fix: correct the role or the profile
                """
            ])
    }

    @Test func `a sentence without keyword is a problem`() {
        #expect(
            problems(clause(sentence: "A server must answer.")) == [
                """
                Spec/clauses/SYNC.md:1:1: SYNC-3 has no keyword
                  expected: exactly one of MUST, MUST NOT, SHOULD, SHOULD NOT, MAY
                  fix: make each sentence a separate clause
                """
            ])
    }

    @Test func `a sentence with two keywords is a problem`() {
        #expect(
            problems(clause(sentence: "A server MUST answer and SHOULD NOT wait.")) == [
                """
                Spec/clauses/SYNC.md:1:1: SYNC-3 has 2 keywords, MUST and SHOULD NOT
                  expected: exactly one of MUST, MUST NOT, SHOULD, SHOULD NOT, MAY
                  fix: make each sentence a separate clause
                """
            ])
    }

    @Test func `each missing line is a problem`() {
        #expect(
            problems(clause(rest: "")) == [
                """
                Spec/clauses/SYNC.md:1:1: SYNC-3 has no line 'Why:'
                  expected: Why, Judged from, From
                  fix: add it
                """,
                """
                Spec/clauses/SYNC.md:1:1: SYNC-3 has no line 'Judged from:'
                  expected: Why, Judged from, From
                  fix: add it
                """,
                """
                Spec/clauses/SYNC.md:1:1: SYNC-3 has no line 'From:'
                  expected: Why, Judged from, From
                  fix: add it
                """,
                """
                Spec/clauses/SYNC.md:1:1: SYNC-3 has no 'Since:'
                  expected: 'From: R24. Since: 1.0.'
                  fix: add it
                """,
            ])
    }

    @Test func `a clause in the chapter of another area is a problem`() throws {
        #expect(
            try problemsOfSpecification { $0.texts["clauses/SYNC.md"] = clause(heading: "### ENV-99 · server · core") }
                == [
                    """
                    Spec/clauses/SYNC.md:1:1: ENV-99 stands in the chapter of SYNC
                      expected: clauses of SYNC only
                      fix: move it to Spec/clauses/ENV.md
                    """
                ])
    }

    @Test func `an id given twice is a problem`() throws {
        #expect(
            try problemsOfSpecification { $0.texts["clauses/SYNC.md"] = clause() + "\n" + clause() } == [
                """
                Spec/clauses/SYNC.md:8:1: SYNC-3 is already defined in line 1
                  expected: every id once
                  fix: give the second one the next free number
                """
            ])
    }

    @Test func `a missing chapter is a problem`() throws {
        #expect(
            try problemsOfSpecification { $0.texts["clauses/SYNC.md"] = nil } == [
                """
                Spec/clauses/SYNC.md: no such file
                  expected: one chapter for each area
                  fix: restore the file
                """
            ])
    }

    @Test func `a broken schema is a problem`() throws {
        let found = try problemsOfSpecification { $0.texts["schemas/messages/pong.json"] = #"{"requird":[]}"# }
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("Spec/schemas/messages/pong.json: ") == true)
        #expect(found.first?.contains("requird") == true)
    }

    @Test func `a need of a capture that nobody knows is a problem`() throws {
        #expect(try ClauseReader.clauses(in: clause(), file: "f").first?.captureNeeds == [])
        let rest = "Why: it helps.\nJudged from: frames.\nCapture: frames, luck.\nFrom: R24. Since: 1.0."
        #expect(
            problems(clause(rest: rest)) == [
                """
                Spec/clauses/SYNC.md:1:1: SYNC-3 names an unknown need of a capture, 'luck'
                  expected: any, or some of stage, solitude, program, push service, delays, frames, principals, \
                credentials, headers, request bodies
                  fix: correct the line 'Capture:'
                """
            ])
    }

    @Test func `a clause that does not say which captures show it is a problem`() throws {
        let rest = "Why: it helps.\nJudged from: frames.\nFrom: R24. Since: 1.0."
        #expect(
            try problemsOfSpecification { $0.texts["clauses/SYNC.md"] = clause(rest: rest) } == [
                """
                Spec/clauses/SYNC.md:1:1: SYNC-3 has no line 'Capture:'
                  expected: what a capture must contain to judge the clause, or 'any'
                  fix: add it below 'Judged from:'
                """
            ])
        // What cannot be judged at all need not say it, and a specification that is older than the line says it nowhere.
        #expect(
            try problemsOfSpecification {
                $0.texts["clauses/SYNC.md"] = clause(rest: rest + "\nExcluded: a permission.")
            } == [])
        let older = try problemsOfSpecification { files in
            for (path, text) in files.texts where path.hasPrefix("clauses/") {
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
                files.texts[path] = lines.filter { !$0.hasPrefix("Capture:") }.joined(separator: "\n")
            }
        }
        #expect(older == [])
    }

    private func problemsOfSpecification(_ change: (inout SpecificationFiles) -> Void) throws -> [String] {
        var files = SpecificationFiles.embedded
        change(&files)
        return inputProblems(of: try Specification(files)).map(\.description)
    }
}

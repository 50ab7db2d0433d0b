import TestSupport
import Testing

/// What `server --life` says of a short life.
@Suite struct LifeTests {
    @Test func `a short life of a healthy server conforms, and says how far it came`() async throws {
        let run = try await BuiltBinary.run(
            ["server", "--reference", "--skip-crashes", "--life", "3s", "--only", "life", "--seed", "1"])
        #expect(run.status == 0, "\(run.out)\(run.err)")
        #expect(run.out.contains("server/life/1: "), "\(run.out)")
        #expect(run.out.contains("pairs of features met"), "\(run.out)")
        #expect(run.out.contains("was too short for: "), "\(run.out)")
        let headline = run.out.split(separator: "\n").first { $0.hasPrefix("conforms") } ?? ""
        #expect(headline.firstMatch(of: /\d+ not met by this life/) != nil, "\(run.out)")
    }

    @Test func `a life that fails fast ends at the first look that shows a violation, and repeats nothing`()
        async throws
    {
        let begun = ContinuousClock.now
        let run = try await BuiltBinary.run([
            "server", "--reference", "--skip-crashes", "--defect", "order-lists-answers-first", "--life", "10m",
            "--seed", "1", "--only", "life", "--fail-fast",
        ])
        #expect(run.status == 1 && .now - begun < .seconds(300), "\(run.out)\(run.err)")
        #expect(run.out.contains("violation (stopped after 1 scenario with a violation): "), "\(run.out)")
        #expect(!run.out.contains("shorter lives"), "\(run.out)")
    }

    @Test func `what a life finds is told with its time, and again with the seed`() async throws {
        let folder = try TemporaryDirectory()
        let run = try await BuiltBinary.run([
            "server", "--reference", "--skip-crashes", "--defect", "order-lists-answers-first", "--life", "4s",
            "--seed",
            "1", "--only", "life", "--out", folder.path,
        ])
        #expect(run.status == 1, "\(run.out)\(run.err)")
        #expect(run.out.firstMatch(of: /violation [A-Z]+-\d+ after [\d.]+ m?s of this life/) != nil, "\(run.out)")
        #expect(run.out.contains("--life 4s --seed 1 --only "), "\(run.out)")
        #expect(run.out.contains("@server/life/1"), "\(run.out)")
    }

    @Test func `a dry run names the life`() async throws {
        let run = try await BuiltBinary.run(
            ["server", "--reference", "--dry-run", "--only", "life", "--life", "3m", "--seed", "1"])
        #expect(run.out == "a life of 3m from seed 1\n", "\(run.out)\(run.err)")
    }

    @Test(arguments: [["--life", "3min"], ["--life=nonsense"], ["--life", "0s"]])
    func `a life that is no time is refused`(words: [String]) async throws {
        let run = try await BuiltBinary.run(["server", "--reference"] + words)
        #expect(run.status == 64)
        #expect(run.err.contains("is not a time"), "\(run.err)")
    }
}

import ArgumentParser
import Holdfast
import HoldfastSuite

struct LifeOptions: ParsableArguments {
    @Option(
        defaultAsFlag: LifeWord(text: LifeTime.usual.description),
        help: ArgumentHelp(
            "After the scenarios, keep one process busy for this long, such as 90s or 3m. Without a value: two minutes.",
            discussion: "'--only life' runs nothing else.", valueName: "time"))
    var life: LifeWord?

    @Option(help: "The random seed of a life. Default: a new one, which is printed.")
    var seed: UInt64?

    /// The given seed, from its flag or from a name such as `server/life/7`; nil for a new one.
    func seed(_ only: [String]) throws(InputProblem) -> UInt64? {
        let named = Set(only.filter(Self.isLife).compactMap { $0.split(separator: "/").last.flatMap { UInt64($0) } })
        let seeds = named.union([seed].compactMap(\.self))
        guard seeds.count < 2 else {
            throw InputProblem(
                "--seed", "there are several: \(seeds.sorted().map(String.init).joined(separator: ", "))",
                expected: "one life", fix: "keep one seed, in --seed or in --only")
        }
        guard seed == nil || life != nil || only.contains(where: Self.isLife) else {
            throw InputProblem(
                "--seed", "only a life uses it", expected: "--life, or --only life", fix: "add --life, or remove --seed"
            )
        }
        return seeds.first
    }

    /// The length of the life; nil if none is wanted.
    func time(_ only: [String]) throws(InputProblem) -> LifeTime? {
        guard let life else { return only.contains(where: Self.isLife) ? .usual : nil }
        guard let time = LifeTime(life.text) else {
            throw InputProblem(
                "--life", "'\(life.text)' is not a time from a second to a day",
                expected: "1s to 24h, such as 90s, 3m, 1h or a number of seconds",
                fix: "correct it, or write --life alone for two minutes")
        }
        return time
    }

    /// The plan of a dry run: that of the scenarios, and the life.
    func plan(of scenarios: String, _ only: [String]) throws(InputProblem) -> String {
        guard let time = try time(only) else { return scenarios }
        let life = "a life of \(time)" + (try seed(only).map { " from seed \($0)" } ?? "") + "\n"
        return Self.isAlone(only) ? life : scenarios + "then " + life
    }

    /// The patterns of `--only` other than a life.
    static func scenarioPatterns(_ only: [String]) -> [String] { only.filter { !isLife($0) } }

    /// Whether `--only` names a life and nothing else.
    static func isAlone(_ only: [String]) -> Bool { !only.isEmpty && scenarioPatterns(only).isEmpty }

    /// The clauses that a life is limited to, as in `SYNC-3@life`; nil for all.
    static func clauses(_ only: [String]) -> Set<ClauseID>? {
        let parts = only.map { $0.split(separator: "@") }
        return isAlone(only) && parts.allSatisfy { $0.count == 2 }
            ? Set(parts.compactMap { ClauseID(String($0[0])) }) : nil
    }

    /// The options of a life from a seed; `rerun` returns the command that runs the plan in a file.
    static func options(
        _ only: [String], seed: UInt64, out: String?, rerun: @escaping @Sendable (String) -> String
    ) -> Life.Options {
        var options = Life.Options()
        (options.isAlone, options.clauses) = (isAlone(only), clauses(only))
        options.keep = { clause, text in
            let path = "\(out ?? "explored")/life-\(clause)-\(seed).json"
            try Files.write(text, to: path, makingFolders: true)
            return rerun(ShellWords.quoted(path))
        }
        return options
    }

    /// Whether a pattern names a life: `life`, `server/life/7`, or a clause in one.
    private static func isLife(_ pattern: String) -> Bool {
        let name = pattern.split(separator: "@").last ?? ""
        return name == "life" || name.contains("/life/")
    }
}

/// The word after `--life`; a URL or a path there is the next argument.
struct LifeWord: ExpressibleByArgument, CustomStringConvertible {
    let text: String
    // The help shows this text as the default of a bare --life.
    var description: String { text }

    init(text: String) { self.text = text }

    init?(argument: String) {
        guard !argument.contains(where: { $0 == ":" || $0 == "/" }) else { return nil }
        text = argument
    }
}

@preconcurrency import Dispatch
import Holdfast
import HoldfastCaptures
import HoldfastJudge
import HoldfastPlatform
import HoldfastReport
import HoldfastSmallFoundation
import HoldfastTranscript

/// Facts that a user states about captures, which seldom contain them.
package struct JudgeOptions: Sendable {
    /// The format of every file; if nil, each is detected.
    let form: CaptureForm?
    let reading: CaptureReader.Options
    /// The longest silence of a pipe, in seconds; 0 for no limit.
    let pipeTimeout: Int
    /// Whether the profiles come from the greetings, because no flag or file declares them.
    let isUndeclared: Bool
    /// Whether profiles were given, which then replace those in a transcript.
    let hasGivenProfiles: Bool
    /// The built-in dialects, whose messages identify their captures.
    let dialects: [Dialect]

    package init(
        form: CaptureForm?, reading: CaptureReader.Options, pipeTimeout: Int, isUndeclared: Bool = false,
        hasGivenProfiles: Bool = false, dialects: [Dialect] = []
    ) {
        (self.form, self.reading, self.dialects, self.pipeTimeout) = (form, reading, dialects, max(0, pipeTimeout))
        (self.isUndeclared, self.hasGivenProfiles) = (isUndeclared, hasGivenProfiles)
    }

    package init(
        form name: String?, role side: String?, profiles named: [String], subject described: SubjectFile?,
        dialect: Dialect, isOnePerson: Bool, isBesideServer: Bool, isLossy: Bool, pipeTimeout: Int,
        under specification: Specification
    ) throws {
        var problems = InputProblem.unknown(
            [name].compactMap(\.self), "format", given: "--as", among: CaptureForm.allCases.map(\.rawValue),
            otherwise: "choose one of these")
        problems += InputProblem.unknown(
            [side].compactMap(\.self), "side", given: "--role", among: Role.allCases.map(\.rawValue),
            expected: "server or client", otherwise: "choose one of them")
        let role = side.flatMap(Role.init(rawValue:)) ?? .server
        let fallback = (role == .client ? nil : described?.profiles) ?? dialect.defaultProfiles(of: role)
        let declared = named.isEmpty ? fallback : Profile.declared(named: named, of: role, &problems)
        try problems.throwAll()
        self.init(
            form: name.flatMap(CaptureForm.init(rawValue:)),
            reading: CaptureReader.Options(
                subject: History.Subject(
                    name: described?.fullName ?? "capture", role: role, profiles: declared, hasScriptedAgent: false,
                    limits: described?.limits ?? [:]),
                dialect: dialect, isOnePerson: isOnePerson ? true : nil, known: isBesideServer ? [.network] : [],
                lacking: isLossy ? [.frames] : []),
            pipeTimeout: pipeTimeout,
            isUndeclared: named.isEmpty && described?.profiles == nil, hasGivenProfiles: !named.isEmpty,
            dialects: try specification.dialects())
    }
}

/// Judges files on several threads; each holds one history at a time, so memory does not grow with the files.
package struct JudgeRun: Sendable {
    private let specification: Specification
    private let options: JudgeOptions
    private let jobs: Int
    private let keepsParts: Bool
    private let draws: Bool

    /// `keepsParts` keeps parts with violations for files, `draws` keeps parts for a page with charts.
    package init(
        under specification: Specification, _ options: JudgeOptions, jobs: Int, keepsParts: Bool, draws: Bool = false
    ) {
        (self.specification, self.options, self.jobs) = (specification, options, jobs)
        (self.keepsParts, self.draws) = (keepsParts, draws)
    }

    /// The unfinished files, and the number of workers on each.
    private struct Pool {
        var waiting: [JudgeSource]
        var active: [(source: JudgeSource, workers: Int)] = []
    }

    package func judge(_ paths: [String], showing show: ProgressDisplay? = nil) async -> Judgment {
        let sources = paths.enumerated().map { JudgeSource($0.element, index: $0.offset, options: options) }
        let start = ContinuousClock.now
        let pool = Mutex(Pool(waiting: sources.reversed()))
        let judgment = Mutex(
            Judgment(files: sources.map { .init(name: $0.name) }, drawn: draws ? DrawnParts() : nil))
        let progress = show.map { _ in JudgeProgress(paths) }
        let end = progress.flatMap { progress in show?({ progress.content }) }
        await onDeepStack {
            DispatchQueue.concurrentPerform(iterations: max(1, jobs)) { _ in
                while let source = next(pool) {
                    let hasMore = take(from: source, into: judgment)
                    pool.withLock { pool in
                        guard let index = pool.active.firstIndex(where: { $0.source === source }) else { return }
                        pool.active[index].workers -= 1
                        if !hasMore { pool.active.remove(at: index) }
                    }
                    progress?.note(source, violations: judgment.withLock { $0.clauses(.violation).count })
                }
            }
        }
        end?()
        return judgment.withLock { judgment in
            for (index, source) in sources.enumerated() { judgment.files[index].summary = source.summary }
            judgment.duration = .now - start
            judgment.differences.sort { ($0.file, $0.number, $0.clause) < ($1.file, $1.number, $1.clause) }
            return judgment
        }
    }

    /// Gives each worker its own file while any are waiting, then the file with the fewest workers.
    private func next(_ pool: borrowing Mutex<Pool>) -> JudgeSource? {
        pool.withLock { pool in
            if let source = pool.waiting.popLast() {
                pool.active.append((source, 1))
                return source
            }
            guard let least = pool.active.indices.min(by: { pool.active[$0].workers < pool.active[$1].workers }) else {
                return nil
            }
            pool.active[least].workers += 1
            return pool.active[least].source
        }
    }

    private func take(from source: JudgeSource, into judgment: borrowing Mutex<Judgment>) -> Bool {
        guard let unit = source.next() else { return false }
        let found = HoldfastJudge.examine(unit.history, under: specification)
        judgment.withLock {
            $0.add(
                unit, name: source.name, found.verdicts, found.symptoms, found.timeline, under: specification,
                keepsParts: keepsParts)
        }
        return true
    }
}

private final class JudgeProgress: Sendable {
    private struct State {
        var bytes: [String: Int] = [:]
        var last: String?
        var violations = 0
    }

    /// The bytes of all files; nil if one of them is a pipe, whose size is unknown.
    private let total: Int?
    private let began = ContinuousClock.now
    private let state = Mutex(State())

    init(_ paths: [String]) {
        let sizes = paths.compactMap { path -> Int? in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            return attributes?[.type] as? FileAttributeType == .typeRegular ? attributes?[.size] as? Int : nil
        }
        total = sizes.count == paths.count ? sizes.reduce(0, +) : nil
    }

    func note(_ source: JudgeSource, violations: Int) {
        let (name, bytes) = (source.name, source.summary.bytes)
        state.withLock { state in
            state.bytes[name] = bytes
            state.last = name
            state.violations = violations
        }
    }

    var content: TextProgress {
        let passed = ContinuousClock.now - began
        return state.withLock { state in
            let done = state.bytes.values.reduce(0, +)
            let size = JudgmentText.size(done) + (total.map { " of \(JudgmentText.size($0))" } ?? "")
            var left: TimeLeft.Estimate?
            if let total, done > 0, passed > .seconds(1) {
                left = .about(passed * (Double(max(0, total - done)) / Double(done)))
            }
            return TextProgress(
                done: "\(size), \(JudgmentText.rate(done, passed))",
                flaws: Meter.Flaw.violation.words(state.violations),
                left: left, running: [state.last].compactMap(\.self))
        }
    }
}

import Holdfast
import HoldfastBasics
import HoldfastJudge
import HoldfastPlatform
import HoldfastProxy
import HoldfastReport
import HoldfastTranscript

/// Judges growing files and pipes, divided and judged exactly like complete captures.
///
/// The open part is judged repeatedly. A finding is reported once two checks in a row have found it, or once the part
/// is complete.
package struct FollowRun: Sendable {
    /// A violation or a warning to report, or one that later events cleared.
    package struct Notice: Sendable {
        package let clause: Clause
        let name: String
        let finding: Finding
        let lines: [String]
        package let isWithdrawn: Bool
    }

    /// The settings of a run besides judging.
    package struct Plan: Sendable {
        /// The buffer of a pipe in bytes; lines beyond it are dropped.
        package var capacity = 64 << 20
        /// Judges one in this many principals; nil for all.
        package var sample: Int?
        /// The folder for parts with violations, which are written as they are found.
        package var out: String?
        package var draws = false
        package var metrics: FollowMetrics?

        package init() {}
    }

    private let specification: Specification
    private let options: JudgeOptions
    private let plan: Plan
    private let notify: @Sendable (Notice) -> Void
    private let note: @Sendable (String) -> Void
    /// The maximum number of files at once, since each has its own thread.
    private static let maxFiles = 64

    /// Judges by a specification; `notify` gets each finding, `note` remarks about the files.
    package init(
        under specification: Specification, _ options: JudgeOptions, _ plan: Plan,
        note: @escaping @Sendable (String) -> Void, notify: @escaping @Sendable (Notice) -> Void
    ) {
        (self.specification, self.options, self.plan) = (specification, options, plan)
        (self.note, self.notify) = (note, notify)
    }

    /// Judges until every pipe has ended, or `end` returns.
    package func judge(_ paths: [String], until end: @escaping @Sendable () async -> Void) async throws -> Judgment {
        guard paths.count <= Self.maxFiles else {
            throw InputProblem(
                "--follow", "\(paths.count) files are too many to follow", expected: "at most \(Self.maxFiles)",
                fix: "follow some of them, or merge them into one pipe")
        }
        let sources = paths.enumerated().map { JudgeSource($0.element, index: $0.offset, options: options) }
        var inputs: [FollowedInput] = []
        for (path, source) in zip(paths, sources) {
            do throws(SystemError) {
                inputs.append(try FollowedInput(path, capacity: plan.capacity))
            } catch {
                throw InputProblem(.unreadable("\(error)"), in: source.name, at: source.name, fix: "")
            }
        }
        let start = ContinuousClock.now
        let shared = SharedJudgment(
            Judgment(files: sources.map { .init(name: $0.name) }, drawn: plan.draws ? DrawnParts() : nil))
        let followed = inputs
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await end()
                for input in followed { input.stop() }
            }
            await withTaskGroup(of: Void.self) { readers in
                for (index, source) in sources.enumerated() {
                    readers.addTask {
                        await onDeepStack { follow(source, index, followed[index], into: shared) }
                    }
                }
            }
            group.cancelAll()
        }
        return shared.value.withLock { judgment in
            for (index, source) in sources.enumerated() { judgment.files[index].summary = source.summary }
            judgment.duration = .now - start
            return judgment
        }
    }

    private final class SharedJudgment: Sendable {
        let value: Mutex<Judgment>
        let parts = Mutex<(written: Int, hasFailed: Bool)>((0, false))

        init(_ judgment: Judgment) { value = Mutex(judgment) }
    }

    private func follow(_ source: JudgeSource, _ index: Int, _ input: FollowedInput, into shared: SharedJudgment) {
        var known = KnownFindings()
        var lastJudged: JudgeSource.Unit?
        var sample = plan.sample.map(PrincipalSample.init)
        var (hasNewLines, nextJudgment) = (false, ContinuousClock.now)
        var dropped = 0
        func close(_ unit: JudgeSource.Unit) {
            let (verdicts, symptoms, _) = HoldfastJudge.examine(unit.history, under: specification)
            shared.value.withLock {
                $0.add(unit, name: source.name, verdicts, symptoms, under: specification, keepsParts: false)
            }
            write(unit, verdicts, shared)
            plan.metrics?.exercised(Self.exercised(verdicts), of: index, isClosed: true)
            let (new, withdrawn) = known.close(unit.locations, verdicts)
            announce(new, in: unit, source.name)
            for (id, finding) in withdrawn {
                guard let clause = specification[id] else { continue }
                notify(Notice(clause: clause, name: source.name, finding: finding, lines: [], isWithdrawn: true))
            }
            (known, lastJudged) = (KnownFindings(), nil)
        }
        do {
            var isOver = false
            while !isOver {
                let piece = try input.next()
                if let piece {
                    switch piece {
                    case .end: isOver = true
                    case .rotated: note("\(source.name): rotated; line numbers start again at 1")
                    case .truncated:
                        plan.metrics?.lost(of: index)
                        note("\(source.name): truncated; unread lines are lost")
                    case .dropped(let lines, let bytes):
                        dropped += lines
                        plan.metrics?.lost(lines: lines, bytes: bytes, of: index)
                        note(
                            """
                            \(source.name): \(counted(lines, "line")) dropped, \(readable(dropped)) so far: they arrive faster \
                            than they can be judged
                            """)
                    case .lines: hasNewLines = true
                    }
                    var events: [Event] = []
                    let hasMetrics = plan.metrics != nil
                    let units = try source.take(piece, sampling: &sample) { if hasMetrics { events.append($0) } }
                    plan.metrics?.take(events, of: index, by: options.reading.dialect)
                    for unit in units { close(unit) }
                }
                guard hasNewLines || known.hasSuspects, .now >= nextJudgment, !isOver else { continue }
                let start = ContinuousClock.now
                if hasNewLines, let unit = source.open {
                    let verdicts = HoldfastJudge.judge(unit.history, under: specification)
                    plan.metrics?.exercised(Self.exercised(verdicts), of: index, isClosed: false)
                    lastJudged = unit
                    announce(known.update(unit.locations, verdicts), in: unit, source.name)
                } else if let unit = lastJudged {
                    announce(known.confirm(), in: unit, source.name)
                }
                hasNewLines = false
                // Checks take at most a fifth of the time.
                nextJudgment = .now + max(.milliseconds(300), (.now - start) * 4)
            }
        } catch let problem as InputProblem {
            source.end(with: problem)
        } catch {
            source.end(
                with: InputProblem(
                    source.name, "reading failed: \(error)", expected: "a file that stays readable",
                    fix: "make it readable and start again"))
        }
        if let unit = source.last() { close(unit) }
    }

    private func announce(_ found: [(clause: ClauseID, finding: Finding)], in unit: JudgeSource.Unit, _ name: String) {
        for (id, finding) in found {
            guard let clause = specification[id] else { continue }
            plan.metrics?.found(id)
            let lines = JudgedEvents(unit: unit).lines(of: finding.events)
            notify(Notice(clause: clause, name: name, finding: finding, lines: lines, isWithdrawn: false))
        }
    }

    private static func exercised(_ verdicts: [Verdict]) -> [ClauseID: Int] {
        verdicts.reduce(into: [:]) { if $1.exercised > 0 { $0[$1.clause] = $1.exercised } }
    }

    /// Writes a part with violations at once, so that it need not be kept in memory.
    private func write(_ unit: JudgeSource.Unit, _ verdicts: [Verdict], _ shared: SharedJudgment) {
        guard let out = plan.out, verdicts.contains(where: { $0.outcome == .violation }),
            shared.parts.withLock({ parts in
                guard parts.written < Judgment.maxParts else { return false }
                parts.written += 1
                return true
            })
        else { return }
        do {
            try Files.write(
                TranscriptWriter.text(unit.history),
                to: "\(out)/" + JSONReport.transcript(of: unit.partName), makingFolders: true)
        } catch {
            let isFirst = shared.parts.withLock { parts in
                defer { parts.hasFailed = true }
                return !parts.hasFailed
            }
            if isFirst { note("\(error)") }
        }
    }
}

extension FollowRun.Notice {
    /// The finding as text; nil if it is only counted and not withdrawn.
    package func text(_ style: ConsoleStyle, _ detail: ReportTally.Detail) -> String? {
        let what = JudgedEvents.cut(finding.what)
        if isWithdrawn {
            return style.spelled("withdrawn \(style.name(clause)): \(what); later events clear it") + "\n"
        }
        var text = ["\(style.head(clause)): \(what)"]
        var cited = lines[...]
        switch detail {
        case .explained:
            text.append(style.wrapped("“\(clause.sentence)”", indent: 2))
            // The head already says what happened.
            text += style.lines(finding, indent: 4, JudgedEvents.cut).dropFirst()
        case .brief(let leftOut):
            cited = lines.suffix(1)
            if leftOut > 0 { text[0] += " (\(readable(leftOut)) more since the last)" }
        case .counted: return nil
        }
        text += cited.map { "    \(JudgedEvents.cut(name)) \($0)" }
        return style.spelled(text.joined(separator: "\n")) + "\n"
    }
}

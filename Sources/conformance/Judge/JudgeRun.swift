@preconcurrency import Dispatch
import Holdfast
import Judge
import Report
import Synchronization

/// Judges files on several threads; each holds one history at a time, so memory does not grow with the files.
struct JudgeRun: Sendable {
    let specification: Specification
    let options: JudgeOptions
    let jobs: Int
    let keepsParts: Bool

    /// The files that may have more, and how many workers take from each.
    private struct Pool {
        var waiting: [JudgeSource]
        var active: [(source: JudgeSource, workers: Int)] = []
    }

    /// Judges everything in the files.
    func judge(_ paths: [String]) async -> Judgement {
        let sources = paths.enumerated().map { JudgeSource($0.element, place: $0.offset, options: options) }
        let clock = ContinuousClock()
        let start = clock.now
        let pool = Mutex(Pool(waiting: sources.reversed()))
        let judgement = Mutex(Judgement(files: sources.map { .init(name: $0.name) }))
        let progress = JudgeProgress(paths, isShown: Console.showsProgress)
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "holdfast.judge").async {
                DispatchQueue.concurrentPerform(iterations: max(1, jobs)) { _ in
                    while let source = next(pool) {
                        let isMore = take(from: source, into: judgement)
                        finish(source, isMore: isMore, pool)
                        progress.note(source, violations: judgement.withLock { $0.clauses(.violation).count })
                    }
                }
                continuation.resume()
            }
        }
        progress.end()
        return judgement.withLock { judgement in
            for (place, source) in sources.enumerated() { judgement.files[place].summary = source.summary }
            judgement.duration = clock.now - start
            judgement.differences.sort { ($0.file, $0.number, $0.clause) < ($1.file, $1.number, $1.clause) }
            return judgement
        }
    }

    /// A file of its own for each worker while there are any, then the one with the fewest workers.
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

    private func finish(_ source: JudgeSource, isMore: Bool, _ pool: borrowing Mutex<Pool>) {
        pool.withLock { pool in
            guard let place = pool.active.firstIndex(where: { $0.source === source }) else { return }
            pool.active[place].workers -= 1
            if !isMore { pool.active.remove(at: place) }
        }
    }

    private func take(from source: JudgeSource, into judgement: borrowing Mutex<Judgement>) -> Bool {
        guard let unit = source.next() else { return false }
        let verdicts = Judge.judge(unit.history, under: specification)
        judgement.withLock {
            $0.add(unit, name: source.name, verdicts, under: specification, keepsParts: keepsParts)
        }
        return true
    }
}

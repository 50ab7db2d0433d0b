import Dispatch
import Synchronization

/// Makes records durable on a thread of its own, several at a time where several wait.
///
/// A synchronisation of the disk takes milliseconds, whatever it holds; while one runs, the next records gather and share
/// the one after it. The order of the appends is the order on disk and the order of the outcomes.
final class RecordLog: Sendable {
    /// The end of one append.
    struct Outcome: Sendable {
        let write: Int
        /// Nil when the records are durable; otherwise nothing of them was kept.
        let problem: StorageProblem?
    }

    /// The outcomes, in the order of the appends.
    let outcomes: AsyncStream<[Outcome]>

    private struct Batch {
        var waiting: [(write: Int, bytes: [UInt8])] = []
        var isWriting = false
    }

    private let continuation: AsyncStream<[Outcome]>.Continuation
    private let file: Mutex<LogFile>
    private let batch = Mutex(Batch())
    private let queue = DispatchQueue(label: "holdfast.records")

    /// Opens the log of a folder and reads what it holds.
    /// - Throws: As ``LogFile/open(folder:lines:)``, and `damaged` for a line that is no record.
    static func open(
        folder: String, defects: Set<Defect> = []
    ) throws(StorageProblem) -> (log: RecordLog, records: [StoredRecord]) {
        var lines: [[UInt8]] = []
        var file = try LogFile.open(folder: folder, lines: &lines)
        if defects.contains(.persistRewritesItsFileInPlace) { file.rewriteInPlace(pausing: 8000) }
        if defects.contains(.persistRewritesWithoutWaiting) { file.rewriteInPlace(pausing: 0) }
        var records: [StoredRecord] = []
        for (position, line) in lines.enumerated() {
            guard let record = StoredRecord(line: line) else {
                throw StorageProblem(.damaged(line: position + 1), path: folder + "/records.log")
            }
            records.append(record)
        }
        return (RecordLog(file), records)
    }

    private init(_ file: consuming sending LogFile) {
        self.file = Mutex(file)
        (outcomes, continuation) = AsyncStream.makeStream()
    }

    /// Appends records before it returns; the outcome follows.
    func appendAtOnce(_ records: [StoredRecord], write: Int) {
        let bytes = records.flatMap { LogFormat.bytes(of: $0.line) }
        continuation.yield(file.withLock { Self.write([(write, bytes)], to: &$0) })
    }

    /// Appends records, all or none; the outcome follows.
    func append(_ records: [StoredRecord], write: Int) {
        let bytes = records.flatMap { LogFormat.bytes(of: $0.line) }
        let starts = batch.withLock { batch in
            batch.waiting.append((write, bytes))
            defer { batch.isWriting = true }
            return !batch.isWriting
        }
        if starts { queue.async { self.drain() } }
    }

    /// Ends the outcomes and gives the folder free, behind everything appended before.
    func close() async {
        await withCheckedContinuation { closed in
            queue.async {
                self.file.withLock { $0.close() }
                self.continuation.finish()
                closed.resume()
            }
        }
    }

    private func drain() {
        while true {
            let waiting = batch.withLock { batch in
                defer { batch.waiting = [] }
                batch.isWriting = !batch.waiting.isEmpty
                return batch.waiting
            }
            guard !waiting.isEmpty else { return }
            continuation.yield(file.withLock { Self.write(waiting, to: &$0) })
        }
    }

    private static func write(_ waiting: [(write: Int, bytes: [UInt8])], to file: inout LogFile) -> [Outcome] {
        do throws(StorageProblem) {
            try file.append(waiting.flatMap(\.bytes))
            return waiting.map { Outcome(write: $0.write, problem: nil) }
        } catch {
            guard waiting.count > 1 else { return waiting.map { Outcome(write: $0.write, problem: error) } }
            // What is too much together may fit alone.
            return waiting.flatMap { write([$0], to: &file) }
        }
    }
}

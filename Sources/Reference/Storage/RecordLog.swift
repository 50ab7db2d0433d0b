import Dispatch
import HoldfastPlatform

/// Makes records durable on its own thread, in batches.
///
/// A sync of the disk takes milliseconds whatever its size; records that arrive during one share the next. The order of
/// the appends is the order on disk and of the outcomes.
final class RecordLog: Sendable {
    struct Outcome: Sendable {
        let write: Int
        /// Nil if the records are durable; otherwise none of them was kept.
        let problem: StorageProblem?
    }

    let outcomes: AsyncStream<[Outcome]>

    /// Ways in which a broken server writes its log.
    struct Deviations: Sendable {
        /// Whether the caller writes the records itself, before the call returns.
        var writesAtOnce = false
        /// Called before each write, with the path of the file.
        var beforeWriting: (@Sendable (String) -> Void)?
    }

    private struct Batch {
        var waiting: [(write: Int, bytes: [UInt8])] = []
        var isWriting = false
    }

    private let continuation: AsyncStream<[Outcome]>.Continuation
    private let file: Mutex<LogFile>
    private let batch = Mutex(Batch())
    private let deviations: Deviations
    private let path: String
    private let queue = DispatchQueue(label: "holdfast.records")

    /// Opens the log of a folder and reads its contents.
    /// - Throws: As ``LogFile/open(folder:lines:)``, and `damaged` for a line that is not a record.
    static func open(
        folder: String, deviations: Deviations = Deviations()
    ) throws(StorageProblem) -> (log: RecordLog, records: [StoredRecord]) {
        var lines: [[UInt8]] = []
        let file = try LogFile.open(folder: folder, lines: &lines)
        var records: [StoredRecord] = []
        for (position, line) in lines.enumerated() {
            guard let record = StoredRecord(line: line) else {
                throw StorageProblem(.damaged(line: position + 1), path: folder + "/records.log")
            }
            records.append(record)
        }
        return (RecordLog(file, deviations, path: folder + "/records.log"), records)
    }

    private init(_ file: consuming sending LogFile, _ deviations: Deviations, path: String) {
        self.file = Mutex(file)
        self.deviations = deviations
        self.path = path
        (outcomes, continuation) = AsyncStream.makeStream()
    }

    func append(_ records: [StoredRecord], write: Int) {
        let bytes = records.flatMap { LogFormat.bytes(of: $0.line) }
        if deviations.writesAtOnce { return keep([(write, bytes)]) }
        let starts = batch.withLock { batch in
            batch.waiting.append((write, bytes))
            defer { batch.isWriting = true }
            return !batch.isWriting
        }
        if starts { queue.async { self.drain() } }
    }

    /// Ends the outcomes and releases the folder, after everything appended before.
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
            keep(waiting)
        }
    }

    private func keep(_ waiting: [(write: Int, bytes: [UInt8])]) {
        continuation.yield(
            file.withLock { file in
                deviations.beforeWriting?(path)
                return Self.write(waiting, to: &file)
            })
    }

    private static func write(_ waiting: [(write: Int, bytes: [UInt8])], to file: inout LogFile) -> [Outcome] {
        do throws(StorageProblem) {
            try file.append(waiting.flatMap(\.bytes))
            return waiting.map { Outcome(write: $0.write, problem: nil) }
        } catch {
            guard waiting.count > 1 else { return waiting.map { Outcome(write: $0.write, problem: error) } }
            // Writes that do not fit together may fit one by one.
            return waiting.flatMap { write([$0], to: &file) }
        }
    }
}

import Holdfast
import HoldfastJSON
import HoldfastPlatform

/// Reads a text in blocks that end at line ends, so that a text of any length takes little memory.
struct LineReader: Sendable {
    /// Why a text cannot be read to its end.
    enum Problem: Error {
        case file(InputFile.Problem)
        case longLine(limit: Int)
    }

    private var file: InputFile
    private let lineLimit: Int
    /// The beginning of a line that is not yet complete.
    private var rest: [UInt8] = []
    private var isAtEnd = false

    /// Opens a file, or standard input for `-`.
    init(_ path: String, lineLimit: Int) throws(InputFile.Problem) {
        file = try InputFile(path)
        self.lineLimit = lineLimit
    }

    /// The next lines, whole; nil at the end, and once something was wrong.
    mutating func next() throws(Problem) -> [UInt8]? {
        guard !isAtEnd else { return nil }
        isAtEnd = true
        while true {
            let more: [UInt8]
            do { more = try file.next() } catch { throw .file(error) }
            guard !more.isEmpty else { return rest.isEmpty ? nil : rest }
            let known = rest.count
            rest += more
            if let end = rest[known...].lastIndex(of: 0x0A) {
                let lines = Array(rest[...end])
                rest.removeFirst(lines.count)
                isAtEnd = false
                return lines
            }
            guard rest.count <= lineLimit else { throw .longLine(limit: lineLimit) }
        }
    }
}

/// Judges a text of one message a line, on several threads, and tells what is wrong in the order of the lines.
///
/// No more than a few blocks of lines are read and not yet told at any time, so memory does not grow with the text, whatever is wrong
/// with it.
package struct ValidateLines {
    /// How many blocks are read or judged at the same time.
    private let jobs: Int
    private let makeJudge: @Sendable () -> any ValidateJudge

    package init(jobs: Int, makeJudge: @escaping @Sendable () -> any ValidateJudge) {
        self.jobs = jobs
        self.makeJudge = makeJudge
    }

    /// The result of all lines.
    package struct Total {
        var lines = 0
        package var messages = 0
        package var invalid = 0
        /// Why the lines that follow were not read.
        var problem: LineReader.Problem?
    }

    /// The result of one block.
    private struct Block: Sendable {
        let number: Int
        var lines = 0
        var messages = 0
        var invalid = 0
        /// Faults by their line in the block, from 0.
        var faults: [(line: Int, fault: ValidateFault)] = []
    }

    /// The result of a task in the group.
    private enum Event: Sendable {
        case judged(Block)
        case failed(LineReader.Problem)
        case ended
    }

    /// The text, from which one task at a time takes the next block.
    private final class Source: Sendable {
        private let state: Mutex<(reader: LineReader, count: Int)>

        init(_ reader: LineReader) { state = Mutex((reader, 0)) }

        func next() throws(LineReader.Problem) -> (lines: [UInt8], number: Int)? {
            try state.withLock { (state) throws(LineReader.Problem) in
                guard let lines = try state.reader.next() else { return nil }
                state.count += 1
                return (lines, state.count - 1)
            }
        }
    }

    /// Judges every line that is not blank, and gives each fault with its line, from 1, to `tell`.
    func run(_ reader: LineReader, _ tell: @Sendable (Int, ValidateFault) -> Void) async -> Total {
        let source = Source(reader)
        var total = Total()
        await withTaskGroup(of: Event.self) { group in
            var running = 0
            var told = 0
            var isAtEnd = false
            var waiting: [Int: Block] = [:]
            while true {
                // A task reads and judges one block: those that are busy never wait for one that has to be woken.
                while !isAtEnd, running < jobs, running + waiting.count < jobs * 2 {
                    group.addTask { judgeNext(of: source) }
                    running += 1
                }
                guard let event = await group.next() else { break }
                running -= 1
                switch event {
                case .judged(let block): waiting[block.number] = block
                case .failed(let problem): (total.problem, isAtEnd) = (problem, true)
                case .ended: isAtEnd = true
                }
                while let next = waiting.removeValue(forKey: told) {
                    for (offset, fault) in next.faults { tell(total.lines + 1 + offset, fault) }
                    total.lines += next.lines
                    total.messages += next.messages
                    total.invalid += next.invalid
                    told += 1
                }
            }
        }
        return total
    }

    /// Judges the lines of a file, and gives each fault in words to `tell`.
    package func run(_ file: String, as name: String, _ tell: @Sendable (String) -> Void) async throws -> Total {
        let fix = "wait until nobody writes to it, or validate a copy"
        let reader: LineReader
        do throws(InputFile.Problem) {
            reader = try LineReader(file, lineLimit: JSONLimits.standard.maxBytes)
        } catch {
            throw InputProblem(error, in: name, at: name, fix: fix)
        }
        let found = await run(reader) { line, fault in tell(fault.text(in: name, line: line)) }
        let location = "\(name):\(found.lines + 1)"
        switch found.problem {
        case .file(let problem): throw InputProblem(problem, in: location, at: location, fix: fix)
        case .longLine(let limit):
            throw InputProblem(
                location, "the line has more than \(limit) bytes",
                expected: "one message per line, at most \(limit) bytes",
                fix: "remove the line, or end every message with a line break")
        case nil: return found
        }
    }

    private func judgeNext(of source: Source) -> Event {
        do throws(LineReader.Problem) {
            guard let (lines, number) = try source.next() else { return .ended }
            return .judged(judge(lines, number))
        } catch {
            return .failed(error)
        }
    }

    private func judge(_ lines: [UInt8], _ number: Int) -> Block {
        var judge = makeJudge()
        var block = Block(number: number)
        lines.withUnsafeBufferPointer { bytes in
            var start = 0
            while start < bytes.count {
                let end = lineEnd(bytes, start)
                let message = UnsafeBufferPointer(rebasing: bytes[start..<end])
                if !isBlank(message) {
                    let faults = judge.faults(in: message)
                    block.messages += 1
                    if !faults.isEmpty { block.invalid += 1 }
                    block.faults += faults.map { (block.lines, $0) }
                }
                block.lines += 1
                start = end + 1
            }
        }
        return block
    }

    /// The place of the first line end from a place on, or the end.
    private func lineEnd(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int {
        let end = index(of: 0x0A, in: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[start...]))
        return end.map { start + $0 } ?? bytes.count
    }

    private func isBlank(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        line.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
    }
}

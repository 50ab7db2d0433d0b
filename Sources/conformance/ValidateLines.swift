import JSON

/// Judges a text of one message a line, on several threads, and tells what is wrong in the order of the lines.
///
/// The text is cut at line ends into blocks. No more than a few blocks are waiting to be told at any time, so memory does not grow with
/// the text, whatever is wrong with it.
struct ValidateLines {
    let text: ValidateMapping
    /// How many blocks are judged at the same time.
    let jobs: Int
    let makeJudge: @Sendable () -> any ValidateJudge
    /// Cut behind the first line end after so many bytes.
    var blockSize = 4 << 20

    /// What one block came to.
    private struct Block: Sendable {
        let number: Int
        var lines = 0
        var messages = 0
        var invalid = 0
        /// Faults by their line in the block, from 0.
        var faults: [(line: Int, fault: ValidateFault)] = []
    }

    /// What all lines came to.
    struct Total {
        var messages = 0
        var invalid = 0
    }

    /// Judges every line that is not blank, and gives each fault with its line, from 1, to `tell`.
    func run(_ tell: @Sendable (Int, ValidateFault) -> Void) async -> Total {
        var total = Total()
        await withTaskGroup(of: Block.self) { group in
            var start = 0
            var cut = 0
            var told = 0
            var line = 1
            var waiting: [Int: Block] = [:]
            while true {
                while start < text.bytes.count, cut - told < jobs * 4, cut - told - waiting.count < jobs {
                    let end = text.lineEnd(after: min(start + blockSize, text.bytes.count))
                    group.addTask { [start, cut] in judge(start..<end, cut) }
                    start = end
                    cut += 1
                }
                guard let block = await group.next() else { break }
                waiting[block.number] = block
                while let next = waiting.removeValue(forKey: told) {
                    for (offset, fault) in next.faults { tell(line + offset, fault) }
                    line += next.lines
                    total.messages += next.messages
                    total.invalid += next.invalid
                    told += 1
                }
            }
        }
        return total
    }

    private func judge(_ range: Range<Int>, _ number: Int) -> Block {
        var judge = makeJudge()
        var block = Block(number: number)
        var start = range.lowerBound
        while start < range.upperBound {
            let end = text.lineEnd(after: start)
            let message = UnsafeBufferPointer(rebasing: text.bytes[start..<end])
            if !isBlank(message) {
                let faults = judge.faults(in: message)
                block.messages += 1
                if !faults.isEmpty { block.invalid += 1 }
                block.faults += faults.map { (block.lines, $0) }
            }
            block.lines += 1
            start = end
        }
        return block
    }

    private func isBlank(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        line.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
    }
}

/// Reads a code that nothing has damaged; written apart from the encoder, so that both would have to err alike.
struct Reader {
    private let modules: [[Bool]]
    private var side: Int { modules.count }
    private var version: Int { (side - 17) / 4 }

    init(_ modules: [[Bool]]) {
        self.modules = modules
    }

    /// Level M: for each version, how many blocks of how many codewords of data.
    private static let blocks: [Int: [(count: Int, data: Int)]] = [
        1: [(1, 16)], 2: [(1, 28)], 3: [(1, 44)], 4: [(2, 32)], 5: [(2, 43)], 6: [(4, 27)], 7: [(4, 31)],
        8: [(2, 38), (2, 39)], 9: [(3, 36), (2, 37)],
    ]

    private var mask: Int {
        // Bits 14 to 10 of the format are the first five of row 8; the mask is the last three of them.
        let first = (0..<5).reduce(0) { $0 << 1 | (modules[8][$1] ? 1 : 0) } ^ 0b10101
        return first & 7
    }

    private func isData(_ row: Int, _ column: Int) -> Bool {
        if row < 9 && column < 9 || row < 9 && column >= side - 8 || row >= side - 8 && column < 9 { return false }
        if row == 6 || column == 6 { return false }
        if version >= 7, row < 6 && column >= side - 11 || column < 6 && row >= side - 11 { return false }
        if version == 1 { return true }
        let last = side - 7
        let centres = version < 7 ? [6, last] : [6, (6 + last) / 2, last]
        return !centres.contains { y in
            centres.contains { x in
                let isUnderFinder = y == 6 && (x == 6 || x == last) || y == last && x == 6
                return !isUnderFinder && abs(row - y) <= 2 && abs(column - x) <= 2
            }
        }
    }

    private func isTurned(_ i: Int, _ j: Int) -> Bool {
        let rules: [(Int, Int) -> Int] = [
            { ($0 + $1) % 2 }, { i, _ in i % 2 }, { _, j in j % 3 }, { ($0 + $1) % 3 }, { ($0 / 2 + $1 / 3) % 2 },
            { ($0 * $1) % 2 + ($0 * $1) % 3 }, { (($0 * $1) % 2 + ($0 * $1) % 3) % 2 },
            { (($0 + $1) % 2 + ($0 * $1) % 3) % 2 },
        ]
        return rules[mask](i, j) == 0
    }

    var text: String? {
        var bits: [Bool] = []
        let columns = (0..<side).reversed().filter { $0 != 6 }
        for pair in stride(from: 0, to: columns.count - 1, by: 2) {
            let rows = pair / 2 % 2 == 0 ? Array((0..<side).reversed()) : Array(0..<side)
            for row in rows {
                for column in [columns[pair], columns[pair + 1]] where isData(row, column) {
                    bits.append(modules[row][column] != isTurned(row, column))
                }
            }
        }
        let codewords = stride(from: 0, to: bits.count - 7, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        guard let groups = Self.blocks[version] else { return nil }
        let sizes = groups.flatMap { Array(repeating: $0.data, count: $0.count) }
        var blocks: [[UInt8]] = sizes.map { _ in [] }
        var place = 0
        for round in 0..<(sizes.max() ?? 0) {
            for block in sizes.indices where round < sizes[block] {
                blocks[block].append(codewords[place])
                place += 1
            }
        }
        let data = blocks.flatMap { $0 }
        guard data[0] >> 4 == 4 else { return nil }
        let count = Int(data[0] & 15) << 4 | Int(data[1] >> 4)
        let bytes = (0..<count).map { data[$0 + 1] << 4 | data[$0 + 2] >> 4 }
        return String(decoding: bytes, as: UTF8.self)
    }
}

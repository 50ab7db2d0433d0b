/// The codewords of a text: mode, length, bytes, padding, and error correction, interleaved by block.
enum QRBits {
    /// All codewords in the order in which they are placed.
    static func codewords(of text: [UInt8], in version: QRVersion) -> [UInt8] {
        let data = padded(text, to: version.blocks.reduce(0, +))
        var blocks: [[UInt8]] = []
        var start = 0
        for count in version.blocks {
            blocks.append(Array(data[start..<start + count]))
            start += count
        }
        let corrections = blocks.map { ReedSolomon.correction(of: $0, count: version.correction) }
        return interleaved(blocks) + interleaved(corrections)
    }

    /// Byte mode is 0100, and up to version 9 the length has eight bits; all of it lies half a byte off the codewords.
    private static func padded(_ text: [UInt8], to count: Int) -> [UInt8] {
        var halves: [UInt8] = [0b0100, UInt8(text.count >> 4), UInt8(text.count & 15)]
        for byte in text { halves += [byte >> 4, byte & 15] }
        halves.append(0)
        var data = stride(from: 0, to: halves.count - 1, by: 2).map { halves[$0] << 4 | halves[$0 + 1] }
        var isFirst = true
        while data.count < count {
            data.append(isFirst ? 0xEC : 0x11)
            isFirst.toggle()
        }
        return data
    }

    private static func interleaved(_ blocks: [[UInt8]]) -> [UInt8] {
        let longest = blocks.map(\.count).max() ?? 0
        return (0..<longest).flatMap { index -> [UInt8] in
            blocks.filter { index < $0.count }.map { $0[index] }
        }
    }
}

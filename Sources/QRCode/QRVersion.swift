/// One size of a QR code at error correction level M (ISO/IEC 18004, tables 9 and E.1).
struct QRVersion: Sendable {
    /// 1 to 9; beyond, texts are longer than an address is.
    let number: Int
    /// Codewords of error correction in each block.
    let correction: Int
    /// Codewords of data in each block.
    let blocks: [Int]
    /// The rows and columns in which alignment patterns have their centre.
    let centres: [Int]

    /// Modules on each side.
    var side: Int { 17 + 4 * number }

    /// The longest text in bytes: what is left beside mode and length.
    var capacity: Int { blocks.reduce(0, +) - 2 }

    static let all: [QRVersion] = [
        QRVersion(number: 1, correction: 10, blocks: [16], centres: []),
        QRVersion(number: 2, correction: 16, blocks: [28], centres: [6, 18]),
        QRVersion(number: 3, correction: 26, blocks: [44], centres: [6, 22]),
        QRVersion(number: 4, correction: 18, blocks: [32, 32], centres: [6, 26]),
        QRVersion(number: 5, correction: 24, blocks: [43, 43], centres: [6, 30]),
        QRVersion(number: 6, correction: 16, blocks: [27, 27, 27, 27], centres: [6, 34]),
        QRVersion(number: 7, correction: 18, blocks: [31, 31, 31, 31], centres: [6, 22, 38]),
        QRVersion(number: 8, correction: 22, blocks: [38, 38, 39, 39], centres: [6, 24, 42]),
        QRVersion(number: 9, correction: 22, blocks: [36, 36, 36, 37, 37], centres: [6, 26, 46]),
    ]
}

import Testing

@testable import HoldfastQRCode

@Suite struct QRCodeTests {
    /// The data of the standard's best known example, HELLO WORLD at 1-M, and its correction.
    @Test func `the correction of a known block`() {
        let data: [UInt8] = [32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236, 17, 236, 17]
        #expect(
            ReedSolomon.correction(of: data, count: 10) == [196, 35, 39, 119, 235, 215, 231, 226, 93, 23])
    }

    @Test(arguments: Goldens.all.indices)
    func `another encoder draws the same`(index: Int) throws {
        let golden = Goldens.all[index]
        let code = try #require(QRCode(golden.text, mask: golden.mask))
        #expect(rows(code) == golden.rows)
    }

    @Test(arguments: [(0, "101010000010010"), (5, "100000011001110"), (7, "100101010100000")])
    func `the format is that of the table`(mask: Int, bits: String) {
        var grid = QRGrid(QRVersion.all[0])
        grid.placeFormat(mask: mask)
        let beside = [0, 1, 2, 3, 4, 5, 7].map { grid.dark[8][$0] } + [grid.dark[8][8]]
        let above = [7, 5, 4, 3, 2, 1, 0].map { grid.dark[$0][8] }
        #expect(String((beside + above).map { $0 ? "1" : "0" }) == bits)
    }

    @Test func `a text takes the smallest size that holds it`() {
        for (bytes, side) in [(0, 21), (14, 21), (15, 25), (26, 25), (27, 29), (122, 45), (123, 49), (180, 53)] {
            #expect(QRCode(String(repeating: "a", count: bytes), mask: 0)?.modules.count == side, "\(bytes) bytes")
        }
        #expect(QRCode(String(repeating: "a", count: 181)) == nil)
    }

    @Test(arguments: [0, 1, 14, 15, 26, 27, 42, 43, 62, 63, 84, 85, 106, 107, 122, 123, 152, 153, 180])
    func `what was drawn reads back`(count: Int) throws {
        let text = String((0..<count).map { Character(Unicode.Scalar(UInt8(33 + ($0 * 7 + count) % 90))) })
        let code = try #require(QRCode(text, mask: count % 8))
        #expect(Reader(code.modules).text == text)
    }

    @Test func `the mask that is easiest to read is taken`() throws {
        let text = "ws://192.168.1.23:8080/"
        let code = try #require(QRCode(text))
        let points = try (0...7).map { QRPenalty.points(try #require(QRCode(text, mask: $0)).modules) }
        #expect(points[code.mask] == points.min())
        #expect(Set(points).count > 1)
    }

    @Test func `two rows share a line, and the margin is light`() throws {
        let code = try #require(QRCode("A"))
        let lines = code.drawing().split(separator: "\n")
        #expect(lines.count == 15)
        #expect(lines.allSatisfy { $0.count == 29 })
        #expect(lines[0] == String(repeating: "█", count: 29)[...])
        #expect(lines[2].hasPrefix("████ ▄▄▄▄▄ █"))
        #expect(code.drawing(isOnLight: true).hasPrefix(" "))
    }

    private func rows(_ code: QRCode) -> [String] {
        code.modules.map { String($0.map { $0 ? "#" : "." }) }
    }
}

/// The modules of a QR code while it is drawn: which are dark, and which belong to a pattern and hold no data.
struct QRGrid {
    let version: QRVersion
    private(set) var dark: [[Bool]]
    private var isPattern: [[Bool]]

    private var side: Int { version.side }

    /// A grid with every pattern in place, and room for the format.
    init(_ version: QRVersion) {
        self.version = version
        dark = Array(repeating: Array(repeating: false, count: version.side), count: version.side)
        isPattern = dark
        for (row, column) in [(0, 0), (0, side - 7), (side - 7, 0)] { placeFinder(row, column) }
        for row in version.centres {
            for column in version.centres where !isPattern[row][column] { placeAlignment(row, column) }
        }
        for index in 8..<side - 8 {
            set(6, index, index % 2 == 0)
            set(index, 6, index % 2 == 0)
        }
        placeFormat(mask: 0)
        placeVersion()
    }

    private mutating func set(_ row: Int, _ column: Int, _ isDark: Bool) {
        dark[row][column] = isDark
        isPattern[row][column] = true
    }

    /// A finder with the light line around it.
    private mutating func placeFinder(_ top: Int, _ left: Int) {
        for row in max(0, top - 1)...min(side - 1, top + 7) {
            for column in max(0, left - 1)...min(side - 1, left + 7) {
                let distance = max(abs(row - top - 3), abs(column - left - 3))
                set(row, column, distance != 2 && distance != 4)
            }
        }
    }

    private mutating func placeAlignment(_ row: Int, _ column: Int) {
        for y in -2...2 {
            for x in -2...2 { set(row + y, column + x, max(abs(x), abs(y)) != 1) }
        }
    }

    // MARK: format and version

    /// The fifteen bits that tell level M and a mask, twice, and the module that is always dark.
    mutating func placeFormat(mask: Int) {
        var rest = mask << 10
        for bit in (10...12).reversed() where rest >> bit & 1 == 1 { rest ^= 0x537 << (bit - 10) }
        let bits = (mask << 10 | rest) ^ 0x5412
        for index in 0..<15 {
            let isDark = bits >> index & 1 == 1
            switch index {
            case 0...5: set(index, 8, isDark)
            case 6...7: set(index + 1, 8, isDark)
            case 8: set(8, 7, isDark)
            default: set(8, 14 - index, isDark)
            }
            if index < 8 { set(8, side - 1 - index, isDark) } else { set(side - 15 + index, 8, isDark) }
        }
        set(side - 8, 8, true)
    }

    /// The eighteen bits that tell the version, twice, from version 7.
    private mutating func placeVersion() {
        guard version.number >= 7 else { return }
        var rest = version.number << 12
        for bit in (12...17).reversed() where rest >> bit & 1 == 1 { rest ^= 0x1F25 << (bit - 12) }
        let bits = version.number << 12 | rest
        for index in 0..<18 {
            let isDark = bits >> index & 1 == 1
            set(index / 3, side - 11 + index % 3, isDark)
            set(side - 11 + index % 3, index / 3, isDark)
        }
    }

    // MARK: data

    /// Fills in the codewords in columns of two, from the right and up and down in turn, past the vertical timing line.
    mutating func index(_ codewords: [UInt8]) {
        var bit = 0
        var isUpward = true
        var right = side - 1
        while right > 0 {
            if right == 6 { right -= 1 }
            for step in 0..<side {
                let row = isUpward ? side - 1 - step : step
                for column in [right, right - 1] where !isPattern[row][column] {
                    // What is left over when all codewords are placed stays light.
                    if bit < codewords.count * 8 { dark[row][column] = codewords[bit / 8] >> (7 - bit % 8) & 1 == 1 }
                    bit += 1
                }
            }
            isUpward.toggle()
            right -= 2
        }
    }

    /// Turns over every module of data that a mask names.
    mutating func apply(mask: Int) {
        for row in 0..<side {
            for column in 0..<side where !isPattern[row][column] && Self.isNamed(row, column, by: mask) {
                dark[row][column].toggle()
            }
        }
        placeFormat(mask: mask)
    }

    private static func isNamed(_ row: Int, _ column: Int, by mask: Int) -> Bool {
        switch mask {
        case 0: (row + column) % 2 == 0
        case 1: row % 2 == 0
        case 2: column % 3 == 0
        case 3: (row + column) % 3 == 0
        case 4: (row / 2 + column / 3) % 2 == 0
        case 5: row * column % 2 + row * column % 3 == 0
        case 6: (row * column % 2 + row * column % 3) % 2 == 0
        default: ((row + column) % 2 + row * column % 3) % 2 == 0
        }
    }
}

/// How hard a grid is to read (ISO/IEC 18004, section 7.8.3); the mask with the least is taken.
enum QRPenalty {
    static func points(_ dark: [[Bool]]) -> Int {
        let columns = dark.indices.map { column in dark.map { $0[column] } }
        let lines = (dark + columns).reduce(0) { $0 + runs($1) + finders($1) }
        return lines + squares(dark) + balance(dark)
    }

    /// Five or more alike in a line.
    private static func runs(_ line: [Bool]) -> Int {
        var points = 0
        var length = 0
        for (index, isDark) in line.enumerated() {
            length = index > 0 && line[index - 1] == isDark ? length + 1 : 1
            if length == 5 { points += 3 } else if length > 5 { points += 1 }
        }
        return points
    }

    /// What looks like a finder with light on one side.
    private static func finders(_ line: [Bool]) -> Int {
        let finder = [true, false, true, true, true, false, true]
        let light = [false, false, false, false]
        guard line.count >= 11 else { return 0 }
        return (0...line.count - 11).reduce(0) { points, start in
            let part = Array(line[start..<start + 11])
            return part == finder + light || part == light + finder ? points + 40 : points
        }
    }

    /// Two by two alike.
    private static func squares(_ dark: [[Bool]]) -> Int {
        var points = 0
        for row in 1..<dark.count {
            for column in 1..<dark.count {
                let isDark = dark[row][column]
                if dark[row - 1][column] == isDark, dark[row][column - 1] == isDark,
                    dark[row - 1][column - 1] == isDark
                {
                    points += 3
                }
            }
        }
        return points
    }

    /// More dark than light, or less.
    private static func balance(_ dark: [[Bool]]) -> Int {
        let count = dark.reduce(0) { $0 + $1.count { $0 } }
        return abs(count * 20 - dark.count * dark.count * 10) / (dark.count * dark.count) * 10
    }
}

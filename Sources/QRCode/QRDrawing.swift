extension QRCode {
    /// The code in half blocks, two rows of modules in a line, with the margin that readers need.
    ///
    /// Light modules are drawn and dark ones left out, as most terminals are dark; `isOnLight` turns that over.
    package func drawing(isOnLight: Bool = false) -> String {
        let margin = 4
        let side = modules.count + 2 * margin
        let isDrawn = { (row: Int, column: Int) -> Bool in
            let (row, column) = (row - margin, column - margin)
            let isInside = modules.indices.contains(row) && modules.indices.contains(column)
            return (isInside && modules[row][column]) == isOnLight
        }
        var lines: [String] = []
        for row in stride(from: 0, to: side, by: 2) {
            lines.append(
                String(
                    (0..<side).map { column -> Character in
                        switch (isDrawn(row, column), row + 1 < side && isDrawn(row + 1, column)) {
                        case (true, true): "█"
                        case (true, false): "▀"
                        case (false, true): "▄"
                        case (false, false): " "
                        }
                    }))
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// Durations of RFC 3339, appendix A.
enum DurationFormat {
    static func accepts(_ string: String) -> Bool {
        var reader = TextReader(string)
        guard reader.take("P") != nil else { return false }
        var unitCount = 0
        if !units("YMD", &reader, &unitCount) { return false }
        if reader.current == UInt8(ascii: "W") { return false }
        if reader.take("T") != nil {
            let before = unitCount
            guard units("HMS", &reader, &unitCount), unitCount > before else { return false }
        }
        if unitCount == 0 { return weeks(string) }
        return reader.isAtEnd && unitCount > 0
    }

    private static func weeks(_ string: String) -> Bool {
        var reader = TextReader(string)
        return reader.take("P") != nil && !reader.digits().isEmpty && reader.take("W") != nil && reader.isAtEnd
    }

    /// Numbers with units in order, without a gap between the largest and the smallest.
    private static func units(_ order: String, _ reader: inout TextReader, _ count: inout Int) -> Bool {
        var next: Int?
        let letters = Array(order.utf8)
        while let byte = reader.current, (0x30...0x39).contains(byte) {
            _ = reader.digits()
            guard let unit = reader.current, let index = letters.firstIndex(of: unit) else {
                // Weeks stand alone and are read by themselves.
                return count == 0 && next == nil && reader.current == UInt8(ascii: "W")
            }
            guard next == nil || next == index else { return false }
            _ = reader.take("YMDHS")
            next = index + 1
            count += 1
        }
        return true
    }
}
